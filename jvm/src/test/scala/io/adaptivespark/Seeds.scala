package io.adaptivespark

import java.util.SplittableRandom

import scala.util.Random

/** Where random tests begin: each case has a seed of its own, which the environment's `SEED` and those after it are.
  *
  * `make test` begins at 0, `make test-all` at a new seed each time, which it prints. A failure names the seed of its
  * case. `SEED=` that one, with one case, repeats it.
  */
object Seeds {
  val first: Long = sys.env.get("SEED").fold(0L)(_.trim.toLong)

  def of(count: Int): Seq[Long] = (0 until count).map(first + _)

  /** The generator of one case. Java's own begin almost alike where seeds are neighbours: for the seeds 0 to 10,000
    * `new Random(seed).nextInt(4)` has the same value at first.
    */
  def random(seed: Long): Random = new Random(new SplittableRandom(seed).nextLong())
}
