package io.adaptivespark.shim

import scala.collection.convert.{AsJavaExtensions, AsScalaExtensions}

/** Java's collections as Scala's, and the other way. Scala 2.12 has them elsewhere. */
object JavaCollections extends AsJavaExtensions with AsScalaExtensions
