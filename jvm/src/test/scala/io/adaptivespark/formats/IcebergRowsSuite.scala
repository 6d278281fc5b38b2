package io.adaptivespark.formats

class IcebergRowsSuite extends FormatRows(IcebergTables) with IcebergSuite {
  override protected def outcome(statement: String): Either[String, Seq[String]] =
    if (EqualityDeletes.ran(spark, statement)) Right(Nil) else super.outcome(statement)
}
