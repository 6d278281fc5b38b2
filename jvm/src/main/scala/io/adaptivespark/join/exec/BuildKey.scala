package io.adaptivespark.join.exec

/** The `key`-th of the join keys of the `build`-th build. */
final case class BuildKey(build: Int, key: Int)
