package io.adaptivespark.filter.safety

/** Arithmetic, bits, and functions of doubles. */
private[adaptivespark] object MathExamples extends NeverThrowsFamily {
  override val always: Seq[(String, Seq[String])] = Seq(
    "+ - * try_add try_subtract try_multiply" -> Seq(
      "d + d2",
      "d * d2",
      "f - f",
      "m + m2",
      "m * m2",
      "m - m2",
      "year(dt) * 100 + month(dt)",
      "CAST(i AS BIGINT) * 100 + j",
      "CAST(by AS INT) - sh",
      "i % 1000 * 60 + second(ts)",
      "try_add(i, j)",
      "try_subtract(l, l2)",
      "try_multiply(n, n)",
      "try_add(n, n)"
    ),
    "/ % mod div pmod try_divide try_mod" -> Seq(
      "i / 2",
      "d / -0.5D",
      "m / 3",
      "m2 / 7.5",
      "i % 2",
      "l % -1",
      "d % 3",
      "pmod(i, 7)",
      "l div 10",
      "i div 3",
      "pmod(d, 2.5D)",
      "try_divide(d, d2)",
      "try_divide(n, p)",
      "try_mod(i, j)",
      "try_mod(m, m2)"
    ),
    "negative abs positive" -> Seq(
      "-d",
      "-n",
      "abs(d)",
      "abs(m)",
      "-CAST(i AS BIGINT)",
      "+i"
    ),
    "round bround ceil ceiling floor" -> Seq(
      "round(d, 2)",
      "round(f)",
      "round(n, 0)",
      "round(p, 3)",
      "round(i, 0)",
      "bround(m, 1)",
      "bround(d, 38)",
      "ceil(n)",
      "ceil(m)",
      "ceil(p)",
      "floor(q)"
    ),
    "& | ^ ~ << >> >>> shiftleft shiftright shiftrightunsigned bit_count" -> Seq(
      "i & j",
      "l | l2",
      "i ^ j",
      "~by",
      "i << j",
      "l >> i",
      "l >>> i",
      "bit_count(l)",
      "bit_count(bo)"
    ),
    "sqrt cbrt exp expm1 pow power hypot rint sign signum ln log log2 log10 log1p degrees radians" -> Seq(
      "sqrt(d)",
      "cbrt(d)",
      "exp(d)",
      "expm1(d)",
      "pow(d, d2)",
      "hypot(d, d2)",
      "rint(d)",
      "signum(d)",
      "ln(d)",
      "log(d, d2)",
      "log2(d)",
      "log10(d)",
      "log1p(d)",
      "degrees(d)",
      "radians(d)"
    ),
    "sin cos tan cot sec csc asin acos atan atan2 sinh cosh tanh asinh acosh atanh" -> Seq(
      "sin(d)",
      "cos(d)",
      "tan(d)",
      "cot(d)",
      "sec(d)",
      "csc(d)",
      "asin(d)",
      "acos(d)",
      "atan(d)",
      "atan2(d, d2)",
      "sinh(d)",
      "cosh(d)",
      "tanh(d)",
      "asinh(d)",
      "acosh(d)",
      "atanh(d)"
    )
  )

  override val withoutAnsi: Seq[(String, Seq[String])] = Seq(
    "+ - * / % div pmod negative abs round" -> Seq(
      "i + j",
      "l * l2",
      "n + n",
      "n * n",
      "by - by",
      "d / d2",
      "n / p",
      "i % j",
      "d % d2",
      "m % m2",
      "m div m2",
      "l div l2",
      "pmod(i, j)",
      "pmod(m, m2)",
      "-i",
      "abs(l)",
      "round(l, 2)"
    )
  )
}
