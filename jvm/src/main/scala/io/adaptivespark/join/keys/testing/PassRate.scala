package io.adaptivespark.join.keys.testing

/** The rows that were tested and that passed, of the first rows of each task. */
final class PassRate(counts: PartitionCounts) extends Serializable {
  def add(partition: Int, tested: Int, passed: Int): Unit =
    counts.add((partition, Vector(tested.toLong, passed.toLong)))

  /** The share of rows that pass; all of them as long as none was tested. The function holds on to the sums alone. */
  def passing: () => Double = PassRate.passing(counts.sums)
}

private object PassRate {
  private def passing(sums: PartitionCounts.Sums): () => Double = () => {
    val testedAndPassed = sums.all
    if (testedAndPassed.head == 0) 1 else testedAndPassed.last.toDouble / testedAndPassed.head
  }
}
