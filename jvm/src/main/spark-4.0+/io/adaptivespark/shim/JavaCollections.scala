package io.adaptivespark.shim

import scala.collection.convert.{AsJavaExtensions, AsScalaExtensions}

/** Java's collections as Scala's, and the other way. Spark 4.0 left Scala 2.12, which has them elsewhere. */
object JavaCollections extends AsJavaExtensions with AsScalaExtensions
