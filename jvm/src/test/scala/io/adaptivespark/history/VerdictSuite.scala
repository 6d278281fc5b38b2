package io.adaptivespark.history

import org.scalatest.funsuite.AnyFunSuite

class VerdictSuite extends AnyFunSuite {

  test("each kind of verdict is among the examples, from which its code is exported") {
    val declared = classOf[Verdict].getDeclaredClasses.filter(classOf[Verdict].isAssignableFrom)
    assert(declared.nonEmpty && Verdict.examples.map(_.getClass).toSet == declared.toSet)
  }

  test("no two verdicts have one code, and codes are words that programs keep") {
    val codes = Verdict.examples.map(_.code)
    assert(codes.distinct == codes)
    assert(codes.filterNot(_.matches("[a-z]+(_[a-z]+)*")) == Nil)
  }

  test("figures are the numbers of the text") {
    for (verdict <- Verdict.examples; (name, figure) <- verdict.figuresByName) {
      val shown = if (name == "kept") f"${figure * 100}%.0f" else f"$figure%.0f"
      assert(verdict.text.contains(shown), name)
    }
  }
}
