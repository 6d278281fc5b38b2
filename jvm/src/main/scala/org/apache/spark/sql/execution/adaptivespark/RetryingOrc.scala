package org.apache.spark.sql.execution.adaptivespark

import org.apache.spark.sql.execution.datasources.orc.OrcFileFormat

class RetryingOrc extends OrcFileFormat with RetryingFormat
