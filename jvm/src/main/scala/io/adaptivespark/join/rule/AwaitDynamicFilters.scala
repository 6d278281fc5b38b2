package io.adaptivespark.join.rule

import io.adaptivespark.join.build.BuildSide

/** Under adaptive execution, whenever it plans, the first time before any of its stages is made: the filter's builds become stages first. */
object AwaitDynamicFilters extends PlaceDynamicFilters(started = false) {
  override protected def mayRead(source: BuildSide): Boolean = true
}
