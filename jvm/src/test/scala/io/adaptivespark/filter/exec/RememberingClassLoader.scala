package io.adaptivespark.filter.exec

import java.util.concurrent.ConcurrentHashMap

/** Looks each name up once, also the many that are not there: Janino asks for the same names
  * with every class that it compiles.
  */
final class RememberingClassLoader(parent: ClassLoader) extends ClassLoader(parent) {
  private val known = new ConcurrentHashMap[String, Option[Class[_]]]

  override protected def loadClass(name: String, resolve: Boolean): Class[_] =
    known.computeIfAbsent(name, find).getOrElse(throw new ClassNotFoundException(name))

  private def find(name: String): Option[Class[_]] =
    try Some(getParent.loadClass(name))
    catch { case _: ClassNotFoundException => None }
}
