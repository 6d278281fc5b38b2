package io.adaptivespark

import java.net.URL
import java.util.jar.JarInputStream

/** The classes of the extension's jar.
  *
  * A Thrift server closes the class loader of `spark.jars` with the first session that ends; from then on it gives
  * neither classes nor resources, but those that it has loaded go on working.
  */
private object OwnClasses {

  /** Loads all of them now, unless the loader is Java's own, which nobody closes.
    *
    * @throws LinkageError
    *   where Spark lacks what one of them extends
    */
  def load(): Unit = {
    val loader = getClass.getClassLoader
    if (loader ne ClassLoader.getSystemClassLoader)
      // initialized when they are used, as always
      names(getClass.getProtectionDomain.getCodeSource.getLocation).foreach(Class.forName(_, false, loader))
  }

  /** Names of the classes in a jar; none for a folder, which `spark.jars` never has. */
  def names(jar: URL): Seq[String] =
    if (jar.getPath.endsWith("/")) Seq.empty
    else {
      val entries = new JarInputStream(jar.openStream())
      try
        Iterator.continually(entries.getNextJarEntry).takeWhile(_ != null).map(_.getName)
          .filter(_.endsWith(".class")).map(_.stripSuffix(".class").replace('/', '.')).toVector
      finally entries.close()
    }
}
