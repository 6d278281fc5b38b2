package io.adaptivespark

import java.net.{URL, URLClassLoader}
import java.nio.file.{Files, Paths}
import java.util.jar.{JarEntry, JarOutputStream}

import scala.io.Source
import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.spark.sql.SparkSessionExtensions
import org.apache.spark.sql.execution.UnaryExecNode
import org.scalatest.funsuite.AnyFunSuite

import io.adaptivespark.conf.Build

class AdaptiveSparkExtensionsSuite extends AnyFunSuite with SparkSuite {

  test("adaptive_spark_version() is the version of the build") {
    assert(spark.sql("SELECT adaptive_spark_version()").head().getString(0) == Build.version)
    assert(Build.version.nonEmpty && !Build.version.contains("$"))
  }

  test("applying the extension twice injects once") {
    var injected = 0
    val extensions = new SparkSessionExtensions {
      override def injectColumnar(builder: ColumnarRuleBuilder): Unit = injected += 1
    }
    new AdaptiveSparkExtensions().apply(extensions)
    new AdaptiveSparkExtensions().apply(extensions)
    assert(injected == 1)
  }

  test("a Spark that the jar is not built for gets a sentence that names the jars that there are") {
    assert(Build.mismatch("3.4.4", "2.12.17").contains(
      s"adaptive-spark ${Build.version} is built for Spark ${Build.sparkLine} (Scala ${Build.scalaLine}) and inactive " +
        s"on Spark 3.4.4 (Scala 2.12.17). This release has jars for ${Build.shipped}: " +
        "use the jar of your Spark, or a Spark that has one."
    ))
    assert(Build.shipped.contains(s"Spark ${Build.sparkLine} (Scala ${Build.scalaLine})"))
    assert(Build.mismatch(Build.sparkLine + ".7", Build.scalaLine + ".1").isEmpty)
    assert(Build.mismatch(Build.sparkLine + "0.7", Build.scalaLine + ".1").nonEmpty)
    assert(Build.mismatch(Build.sparkLine + ".7", "2.11.12").nonEmpty)
  }

  test(
    "all classes are loaded when the extension is applied, so that none is missed once their loader is closed"
  ) {
    val (jar, all) = jarOfClasses()
    val spark = new Others(getClass.getClassLoader)
    val loader = new URLClassLoader(Array(jar), spark)
    val entry =
      loader.loadClass(classOf[AdaptiveSparkExtensions].getName).getDeclaredConstructor().newInstance()
    entry.asInstanceOf[SparkSessionExtensions => Unit](new SparkSessionExtensions)
    loader.close()
    assert(all.size > 100)
    all.foreach(name => assert(loader.loadClass(name).getClassLoader eq loader))
  }

  test("a Spark that lacks what a class needs gets a sentence, and only the version function") {
    val (jar, _) = jarOfClasses()
    val spark = new Others(getClass.getClassLoader, lacks = Set(classOf[UnaryExecNode].getName))
    val loader = new URLClassLoader(Array(jar), spark)
    val entry =
      loader.loadClass(classOf[AdaptiveSparkExtensions].getName).getDeclaredConstructor().newInstance()
    var functions = Seq.empty[String]
    val extensions = new SparkSessionExtensions {
      override def injectFunction(function: FunctionDescription): Unit = {
        functions :+= function._1.funcName
        val error = intercept[UnsupportedOperationException](function._3(Seq.empty))
        assert(error.getMessage.startsWith(
          s"adaptive-spark ${Build.version} is inactive: this Spark lacks what its classes need (java.lang.NoClassDefFoundError"
        ))
      }
      override def injectColumnar(builder: ColumnarRuleBuilder): Unit = fail("a rule was injected")
    }
    entry.asInstanceOf[SparkSessionExtensions => Unit](extensions)
    assert(functions == Seq("adaptive_spark_version"))
    loader.close()
  }

  test("the entry point has no lambda, which would keep it from running on another Scala") {
    for (name <- Seq("AdaptiveSparkExtensions", "AdaptiveSparkExtensions$", "conf.Build", "conf.Build$")) {
      val file = s"/io/adaptivespark/${name.replace('.', '/')}.class"
      val code =
        Using.resource(Source.fromInputStream(getClass.getResourceAsStream(file), "ISO-8859-1"))(_.mkString)
      assert(code.contains("adaptivespark") && !code.contains("LambdaDeserialize"), name)
    }
  }

  /** The compiled classes of this build as a jar, with their names. */
  private def jarOfClasses(): (URL, Seq[String]) = {
    val classes =
      Paths.get(classOf[AdaptiveSparkExtensions].getProtectionDomain.getCodeSource.getLocation.toURI)
    val files =
      Using.resource(Files.walk(classes))(_.iterator.asScala.filter(Files.isRegularFile(_)).toVector)
    val file = Files.createTempFile("classes", ".jar")
    file.toFile.deleteOnExit()
    val names = files.map(each => classes.relativize(each).toString.replace('\\', '/'))
    Using.resource(new JarOutputStream(Files.newOutputStream(file))) { jar =>
      files.zip(names).foreach { case (each, name) =>
        jar.putNextEntry(new JarEntry(name))
        jar.write(Files.readAllBytes(each))
      }
    }
    (file.toUri.toURL, names.filter(_.endsWith(".class")).map(_.stripSuffix(".class").replace('/', '.')))
  }

  /** Spark's classes without ours, and without some more. */
  private class Others(all: ClassLoader, lacks: Set[String] = Set.empty) extends ClassLoader(all) {
    override protected def loadClass(name: String, resolve: Boolean): Class[_] =
      if (name.contains(".adaptivespark.") || lacks(name)) throw new ClassNotFoundException(name)
      else super.loadClass(name, resolve)
  }
}
