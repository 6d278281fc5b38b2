package io.adaptivespark

import java.net.URI
import java.util.concurrent.{CountDownLatch, Semaphore}
import java.util.concurrent.atomic.AtomicInteger

import org.apache.hadoop.fs.{FileSystem, LocatedFileStatus, Path, RawLocalFileSystem, RemoteIterator}

/** Local files under the scheme `held`, whose listings are counted, and wait while a test holds them. */
class HeldFileSystem extends RawLocalFileSystem {
  override def getScheme: String = "held"
  override def getUri: URI = URI.create("held:///")

  override def listFiles(folder: Path, recursive: Boolean): RemoteIterator[LocatedFileStatus] = {
    HeldFileSystem.listings.incrementAndGet()
    HeldFileSystem.gate.pass()
    FileSystem.getLocal(getConf).listFiles(new Path(folder.toUri.getPath), recursive)
  }
}

object HeldFileSystem {
  val listings = new AtomicInteger
  val gate = new Gate
}

/** Where threads wait while a test holds it. */
final class Gate {
  @volatile private var opened = new CountDownLatch(0)

  /** Permits, one for each thread that came. */
  val came = new Semaphore(0)

  def hold(): Unit = {
    came.drainPermits()
    opened = new CountDownLatch(1)
  }

  def open(): Unit = opened.countDown()

  def pass(): Unit = {
    came.release()
    opened.await()
  }
}
