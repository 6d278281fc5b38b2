import java.net.InetSocketAddress;
import java.util.Map;

import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.jdbc.JdbcCatalog;
import org.apache.iceberg.rest.RESTCatalogAdapter;
import org.apache.iceberg.rest.RESTCatalogServlet;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;

/** Iceberg's REST catalog on a port of this machine, with its tables in a folder. */
public class RestCatalog {
  public static void main(String[] arguments) throws Exception {
    String folder = arguments[1];
    JdbcCatalog tables = new JdbcCatalog();
    tables.setConf(new Configuration());
    tables.initialize(
        "tables",
        Map.of("uri", "jdbc:sqlite:" + folder + "/catalog.db", "warehouse", folder, "jdbc.schema-version", "V1"));
    ServletContextHandler paths = new ServletContextHandler();
    paths.addServlet(new ServletHolder(new RESTCatalogServlet(new RESTCatalogAdapter(tables))), "/*");
    Server server = new Server(new InetSocketAddress("127.0.0.1", Integer.parseInt(arguments[0])));
    server.setHandler(paths);
    server.start();
    server.join();
  }
}
