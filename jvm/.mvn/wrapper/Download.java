import java.io.InputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.util.HexFormat;

/** What mvnw falls back on where there is neither curl, wget nor Python: {@code URL FILE}, or {@code --sha512 FILE}. */
final class Download {
  public static void main(String[] args) throws Exception {
    if (args[0].equals("--sha512")) {
      byte[] sha512 = MessageDigest.getInstance("SHA-512").digest(Files.readAllBytes(Path.of(args[1])));
      System.out.println(HexFormat.of().formatHex(sha512));
    } else {
      try (InputStream body = URI.create(args[0]).toURL().openStream()) {
        Files.copy(body, Path.of(args[1]), StandardCopyOption.REPLACE_EXISTING);
      }
    }
  }
}
