package io.adaptivespark.history.write

import scala.collection.mutable

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.TableIdentifier
import org.scalatest.funsuite.AnyFunSuite

class WritesSuite extends AnyFunSuite {
  private val running = mutable.Set.empty[Long]
  private val writes = new Writes(running.contains)
  private val (mine, other) = (new Object, new Object)
  private val orders = TableIdentifier("orders", Some("shop"))
  private val written = WrittenTables.named(Seq(orders))

  test("a write counts once its execution is over") {
    val mark = writes.mark
    running += 7L
    writes.began(Some(7L), other, written)
    assert(writes.mark == mark && writes.since(mark, mine).isNone)
    running -= 7L
    assert(writes.since(mark, mine) == written)
    assert(writes.mark == mark + 1 && writes.since(mark + 1, mine).isNone)
  }

  test("an execution sees its own writes before it is over") {
    val mark = writes.mark
    running += 9L
    writes.began(Some(9L), other, written)
    assert(writes.since(mark, Some(9L)) == written)
    assert(writes.since(mark, Some(10L)).isNone && writes.since(mark, None).isNone)
    running -= 9L
    assert(writes.since(mark, None) == written)
  }

  test("a write that no execution runs counts at once") {
    val mark = writes.mark
    writes.began(None, other, written)
    assert(writes.since(mark, mine) == written)
  }

  test("a session's own writes are no news to it") {
    val mark = writes.mark
    writes.began(None, mine, written)
    assert(writes.since(mark, mine).isNone)
    assert(writes.since(mark, other) == written)
  }

  test("a reader who has missed more than is kept takes every table for written") {
    val mark = writes.mark
    (0 until Writes.Limit).foreach(_ => writes.began(None, other, written))
    assert(writes.since(mark, mine) == written)
    writes.began(None, other, written)
    assert(writes.since(mark, mine) == WrittenTables.Every)
  }

  test("a write planned several times counts once") {
    val mark = writes.mark
    running += 8L
    (1 to 5).foreach(_ => writes.began(Some(8L), other, written))
    running -= 8L
    assert(writes.mark == mark + 1)
  }

  test("a table is known by its name in any case, with and without its catalog, and by its folders") {
    val folders = Seq(new Path("file:/data/orders"))
    assert(written.holdRows(TableIdentifier("ORDERS", Some("Shop"), Some("spark_catalog")), Nil))
    assert(!written.holdRows(TableIdentifier("orders", Some("other")), folders))
    assert(WrittenTables.in(new Path("/data/orders/day=1")).holdRows(orders, folders))
    assert(WrittenTables.in(new Path("file:/data")).holdRows(orders, folders))
    assert(!WrittenTables.in(new Path("/data/orders2")).holdRows(orders, folders))
    assert(WrittenTables.Every.holdRows(TableIdentifier("x"), Nil))
  }

  test("statistics alone are no rows") {
    val described = WrittenTables.described(Seq(orders))
    assert(described != WrittenTables.None && !described.holdRows(orders, Nil))
    assert((described ++ written).holdRows(orders, Nil))
  }

  test("a name without its schema stands for every table") {
    assert(WrittenTables.named(Seq(orders, TableIdentifier("x"))) == WrittenTables.Every)
    assert(WrittenTables.named(Nil) == WrittenTables.Every)
  }
}
