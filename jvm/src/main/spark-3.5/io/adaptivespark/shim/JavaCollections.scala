package io.adaptivespark.shim

import scala.collection.convert.{DecorateAsJava, DecorateAsScala}

/** Java's collections as Scala's, and the other way. Until 3.5 Spark is built with Scala 2.12, too, which has them
  * elsewhere than 2.13.
  */
object JavaCollections extends DecorateAsJava with DecorateAsScala
