package io.adaptivespark.shim

import scala.collection.convert.{DecorateAsJava, DecorateAsScala}

/** Java's collections as Scala's, and the other way. Scala 2.13 has them elsewhere. */
object JavaCollections extends DecorateAsJava with DecorateAsScala
