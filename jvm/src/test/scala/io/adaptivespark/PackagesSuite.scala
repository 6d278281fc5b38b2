package io.adaptivespark

import java.nio.file.{Files, Path, Paths}

import scala.jdk.CollectionConverters._

import org.scalatest.funsuite.AnyFunSuite

/** What the packages of the extension may import of each other, and in which file a type stands. */
class PackagesSuite extends AnyFunSuite {
  import PackagesSuite._

  test("packages import only what the list allows") {
    val found = sources.flatMap(of => of.imports.map(imported => s"${of.name} -> $imported" -> of.file))
    val unlisted = found.filterNot { case (arrow, _) => arrows.contains(arrow) }
    assert(unlisted.distinct.sorted == Nil, "Turn the import round, or move the type to an earlier package.")
    assert(
      (arrows -- found.map(_._1)).toSeq.sorted == Nil,
      "Nothing needs these arrows any more: take them out."
    )
  }

  test("each package comes after all that it imports") {
    val order = allowed.map(_._1)
    val backwards = allowed.flatMap { case (name, imported) =>
      imported.filterNot(each => order.take(order.indexOf(name)).contains(each)).map(each =>
        s"$name -> $each"
      )
    }
    assert(backwards == Nil)
  }

  test("packages without Spark have none of its imports") {
    val importing =
      sources.filter(of => of.name == "filter.order" && of.text.contains("import org.apache.spark"))
    assert(importing.map(_.file) == Nil)
  }

  test("one package alone tells the operators that scan apart, and the formats of files") {
    val asking = sources.filter(of =>
      !of.words.intersect(scans).isEmpty && !Set("scan", "shim", Spark).contains(of.name)
    )
    assert(asking.map(_.file) == Nil, "Ask ScanKind.")
  }

  test(
    "a type that other files use stands in a file of its name, or with the sealed type that it is a case of"
  ) {
    val elsewhere = for {
      of <- sources
      (declared, parent) <- of.types if declared != of.file && !of.types.contains(parent)
      user <- sources.find(other => (other ne of) && other.words.contains(declared))
    } yield s"$declared of ${of.file}.scala is used by ${user.file}.scala"
    assert(elsewhere.sorted == Nil)
  }
}

private object PackagesSuite {
  private val Spark = "spark"

  /** By package, what it may import, itself left out; a package comes after all that it imports. */
  private val allowed: Seq[(String, Seq[String])] = Seq(
    "shim" -> "",
    Spark -> "shim", // the code that stands in Spark's own package, to reach what is private there
    "conf" -> "spark shim",
    "schema" -> "conf",
    "scan" -> "spark shim",
    "hint" -> "shim conf",
    "filter.order" -> "",
    "filter.safety" -> "shim",
    "filter.plan" -> "spark shim hint filter.order filter.safety",
    "filter.sampling" -> "conf filter.order",
    "history.label" -> "spark",
    "history.text" -> "spark filter.plan",
    "history.bound" -> "history.label",
    "history.memory" -> "spark shim filter.order filter.plan filter.sampling history.label history.bound",
    "history.write" -> "",
    "history" -> "spark conf schema filter.sampling history.label history.bound history.memory history.write",
    "filter.run" -> "shim conf filter.order filter.plan filter.sampling history.label history.text history",
    "filter.codegen" -> "filter.order filter.safety filter.plan filter.sampling filter.run",
    "filter.exec" ->
      "spark shim conf scan hint filter.order filter.plan filter.sampling history.text filter.run filter.codegen",
    "join.keys" -> "shim",
    "join.keys.collecting" -> "join.keys",
    "join.keys.testing" -> "shim filter.safety join.keys",
    "join.scan" -> "spark scan join.keys join.keys.testing",
    "join.exec" ->
      ("spark shim conf scan history.label history.text history.memory history join.keys " +
        "join.keys.collecting join.keys.testing join.scan"),
    "join.legality" -> "shim scan filter.safety join.keys join.scan",
    "join.build" ->
      "shim scan filter.plan filter.exec join.keys.testing join.scan join.exec join.legality",
    "join.rule" ->
      ("shim conf scan hint filter.plan history.label history.text history.memory history filter.exec join.keys " +
        "join.keys.collecting join.keys.testing join.scan join.exec join.legality join.build"),
    "analyze" -> "spark shim conf",
    "function" -> "spark shim schema history.label history.memory history analyze",
    "freshness" -> "shim history.label history.write history",
    "aqe" -> "conf scan history.label history.text history join.exec analyze",
    "" ->
      ("shim conf schema hint history.label history.memory history filter.run filter.exec join.rule analyze " +
        "function freshness aqe")
  ).map { case (name, imported) => name -> imported.split(' ').toSeq.filter(_.nonEmpty) }

  private val scans = Set(
    "FileSourceScanExec",
    "InMemoryTableScanExec",
    "BatchScanExec",
    "TableCacheQueryStageExec",
    "ParquetFileFormat",
    "OrcFileFormat"
  )

  private val arrows = allowed.flatMap { case (name, imported) =>
    imported.map(each => s"$name -> $each")
  }.toSet

  /** A file of the extension.
    *
    * @param types
    *   those at its top, each with the type that it extends first, empty where it extends none
    */
  private final case class Source(file: String, name: String, text: String) {
    val words: Set[String] = """(?<!\.)\b[A-Z]\w*""".r.findAllIn(text).toSet
    val types: Map[String, String] = Declaration.findAllMatchIn(text)
      .map(found => found.group(1) -> Option(found.group(2)).getOrElse("")).toMap
    val imports: Seq[String] =
      (Own.findAllMatchIn(text).map(_.group(1).stripPrefix(".")) ++
        InSpark.findAllMatchIn(text).map(_ => Spark)).filter(_ != name).toSeq.distinct
  }

  private val Declaration =
    """(?m)^(?:[a-z]+(?:\[\w+\])? )*(?:class|trait|object) (\w+)(?:[^{}]*? extends (\w+))?""".r
  private val Own = """(?<!package )\bio\.adaptivespark((?:\.[a-z]\w*)*)\.[A-Z{]""".r
  private val InSpark = """import org\.apache\.spark\.sql\.execution\.adaptivespark\.""".r
  private val Comment = """(?s)/\*.*?\*/|//[^\n]*""".r
  private val Text = """(?s)\"\"\".*?\"\"\"|"(?:\\.|[^"\\\n])*"""".r

  // an expression within a text counts, its letters don't
  private val Hole = """\$\{([^}]*)\}""".r

  private lazy val sources: Seq[Source] = {
    // suites run in a folder of the module
    val main = Iterator.iterate(Paths.get("").toAbsolutePath)(_.getParent).map(_.resolve("src/main"))
      .find(Files.isDirectory(_)).get
    val files = Files.walk(main).iterator.asScala.filter(_.toString.endsWith(".scala")).toVector
    files.map { file =>
      val code = Comment.replaceAllIn(Files.readString(file), "")
      Source(
        file.getFileName.toString.stripSuffix(".scala"),
        packageOf(file),
        Text.replaceAllIn(
          code,
          held => {
            val text = held.matched
            java.util.regex.Matcher.quoteReplacement(Hole.findAllMatchIn(text).map(_.group(1)).mkString(
              " \"\" ",
              " ",
              " "
            ))
          }
        )
      )
    }
  }

  private def packageOf(file: Path): String = {
    val folders = file.getParent.iterator.asScala.map(_.toString).toSeq
    if (folders.contains("org")) Spark else folders.drop(folders.indexOf("adaptivespark") + 1).mkString(".")
  }
}
