package io.adaptivespark.join.rule

import io.adaptivespark.join.build.BuildSide

/** Places filters under adaptive execution, each time that it plans.
  *
  * The first time it has made no stage yet: the builds of a filter then become stages before its scan does.
  */
object AwaitDynamicFilters extends PlaceDynamicFilters(started = false) {
  override protected def mayRead(source: BuildSide): Boolean = true
}
