package io.adaptivespark.shim

import org.apache.spark.sql.catalyst.parser.ParserInterface

/** A session's parser that runs `complete` once, before the session parses anything. Spark 4.3 has no use for it. */
final private[shim] class BeforeFirstParse(parser: ParserInterface)(complete: () => Unit)
    extends ParserShim(parser) {
  private var begun = false

  override protected def asking[T](sql: String)(parse: => T): T = {
    completeOnce()
    parse
  }

  // What parses while Spark makes the analyzer goes on; other threads wait.
  private def completeOnce(): Unit = synchronized {
    if (!begun) {
      begun = true
      complete()
    }
  }
}
