package io.adaptivespark.formats

class IcebergRowsSuite extends FormatRows(IcebergTables) with IcebergSuite
