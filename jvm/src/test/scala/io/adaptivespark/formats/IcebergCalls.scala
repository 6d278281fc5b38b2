package io.adaptivespark.formats

import java.lang.reflect.Method

import org.apache.spark.sql.SparkSession

/** Calls of Iceberg's classes by name, since Iceberg need not be there. */
private[formats] object IcebergCalls {

  /** A class below Iceberg's own package. */
  def classNamed(name: String): Class[_] = Class.forName(s"org.apache.iceberg.$name")

  /** A table as Iceberg has it. */
  def table(spark: SparkSession, name: String): AnyRef =
    call(null, "spark.Spark3Util", "loadIcebergTable", spark, name)

  /** What a method of the class `by` gives, which may be for its package alone; `of` is null for a static one. */
  def call(of: Any, by: String, name: String, arguments: Any*): AnyRef = {
    def fits(method: Method): Boolean = method.getName == name &&
      method.getParameterCount == arguments.size &&
      method.getParameterTypes.zip(arguments).forall { case (parameter, argument) =>
        argument == null || parameter.isInstance(argument) ||
        (parameter.isPrimitive && !argument.isInstanceOf[String])
      }
    val owner = classNamed(by)
    val methods =
      Iterator.iterate[Class[_]](owner)(_.getSuperclass).takeWhile(_ != null).flatMap(_.getDeclaredMethods)
    val method = (methods ++ owner.getMethods).find(fits)
      .getOrElse(throw new NoSuchMethodException(s"$by.$name"))
    method.setAccessible(true)
    method.invoke(of, arguments.map(_.asInstanceOf[AnyRef]): _*)
  }
}
