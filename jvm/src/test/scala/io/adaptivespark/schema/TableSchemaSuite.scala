package io.adaptivespark.schema

import org.apache.spark.sql.types.{IntegerType, StringType}
import org.scalatest.funsuite.AnyFunSuite

class TableSchemaSuite extends AnyFunSuite {
  private val table = TableSchema(
    "some_function",
    "",
    "a thing",
    Seq(Column("thing", "a", "INT", "its a"), Column("thing", "b", "STRING", "its b"))
  )

  test("a row has its values in the order of the columns, and null for none") {
    val row = table.row("b" -> Some("x"), "a" -> None)
    assert(row.toSeq == Seq(null, "x"))
    assert(table.struct.map(_.dataType) == Seq(IntegerType, StringType))
  }

  for (
    (values, wrong) <- Seq(
      Seq("a" -> 1) -> "b",
      Seq("a" -> 1, "b" -> "x", "c" -> 2) -> "c",
      Seq("a" -> 1, "b" -> "x", "b" -> "y") -> "b"
    )
  )
    test(s"a row of ${values.mkString(", ")} is refused and names $wrong") {
      val error = intercept[IllegalArgumentException](table.row(values: _*))
      assert(error.getMessage == s"some_function: each column has one value, but not $wrong.")
    }

  test("functions have names of their own, and so have the columns of each") {
    val functions = TableFunctions.all.map(_.function)
    assert(functions.distinct == functions)
    TableFunctions.all.foreach { each =>
      val names = each.columns.map(_.name)
      assert(names.distinct == names, each.function)
    }
  }

  test("the page has a row for each column, and no other line of more than 100 characters") {
    val lines = ColumnDocs.markdown.linesIterator.toSeq
    val columns = TableFunctions.all.flatMap(_.columns)
    assert(lines.count(_.startsWith("| `")) == columns.size)
    assert(lines.filterNot(_.startsWith("|")).forall(_.length <= 100))
  }
}
