package io.adaptivespark.formats

class DeltaRowsSuite extends FormatRows(DeltaTables) with DeltaSuite
