"""Runs Scala suites of the chosen builds: all, a group, or what is asked for. A run without a test is a failure.

`SPARK=4.0` chooses the build for that line of Spark; `RELEASE=4.0.2` runs it, compiled as ever, on that release.
`group joins` and `group rest` are for two JVMs at a time, `group oldest` for the oldest line: what may move in
filters and joins. `group formats` is for the newest line that has all table formats, whose random cases need FORMS=all.
All leave out the cross product of forms, unless FORMS=all.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from build_support.builds import Build, chosen
from build_support.compiling import ensure_suites, suites_are_whole, target
from build_support.format_jars import format_jars
from build_support.java_options import LONG, SHORT
from build_support.maven import MODULE, spark_jars
from build_support.outcomes import outcome
from build_support.toolchain import java_command

SUITES = MODULE / "src" / "test" / "scala"
OURS = "io.adaptivespark"
JOINS = f"{OURS}.join"
FORMATS = f"{OURS}.formats"
# Seconds for each MERGE, as many for a join.
RANDOM_FORMATS = f"{FORMATS}.random"
# Where lines of Spark differ in what throws, and in the plans of joins.
OF_A_LINE = {f"{OURS}.{name}" for name in ("filter.safety", "join.legality")}
# Suites tag with it what differs from a test in the form of its plan alone.
CROSS_PRODUCT = f"{OURS}.CrossProduct"
# What Spark's own launcher opens to itself (JavaModuleOptions).
OPENED = [
    *(
        f"java.base/java.{name}"
        for name in ("lang", "lang.invoke", "lang.reflect", "io", "net", "nio", "util")
    ),
    *(
        "java.base/java.util.concurrent",
        "java.base/java.util.concurrent.atomic",
        "java.base/jdk.internal.ref",
    ),
    *("java.base/sun.nio.ch", "java.base/sun.nio.cs", "java.base/sun.security.action"),
    *("java.base/sun.util.calendar", "java.security.jgss/sun.security.krb5"),
]
OPTIONS = [
    *("-Xmx2g", "-Dspark.ui.enabled=false"),
    *("-XX:+IgnoreUnrecognizedVMOptions", "--add-modules=jdk.incubator.vector"),
    *(f"--add-opens={each}=ALL-UNNAMED" for each in OPENED),
    *("-Dio.netty.tryReflectionSetAccessible=true", "-Dio.netty.allocator.type=pooled"),
    *("--sun-misc-unsafe-memory-access=allow", "--enable-native-access=ALL-UNNAMED"),
]
# Where reports of suites go that were named one by one.
ASKED = "asked"


def compiled() -> None:
    """Compiles the suites of the chosen builds."""
    for build in chosen():
        ensure_suites(build)


def all_forms() -> bool:
    """True if FORMS=all asks for the cross product, too."""
    return os.environ.get("FORMS") == "all"


def group(name: str) -> list[str]:
    """ScalaTest's arguments for the suites of a group."""
    packages = {".".join(file.relative_to(SUITES).parent.parts) for file in SUITES.rglob("*Suite.scala")}
    joins = {each for each in packages if each == JOINS or each.startswith(f"{JOINS}.")}
    formats = {FORMATS, RANDOM_FORMATS} if all_forms() else {FORMATS}
    chosen = {"joins": joins, "rest": packages - joins, "oldest": packages & OF_A_LINE, "formats": formats}[
        name
    ]
    forms = [] if all_forms() else ["-l", CROSS_PRODUCT]
    return [*(argument for each in sorted(chosen) for argument in ("-m", each)), *forms]


def reports(build: Build, name: str) -> list[Path]:
    """The JUnit reports of the group `name` on a build, as it ran last."""
    return list(_reports(build, name).glob("*.xml"))


def failures(name: str, build: Build) -> list[str]:
    """The tests of a group that failed on a build when they last ran: suite, test, and the first line of why."""
    return list(outcome(reports(build, name)).failed)


def _reports(build: Build, name: str) -> Path:
    return target(build) / "test-reports" / name


def run(name: str, arguments: Sequence[str]) -> int:
    """The exit code of ScalaTest's Runner with `arguments`, such as `-s io.adaptivespark.SomeSuite`, on each build."""
    return max(_run(build, _reports(build, name), arguments) for build in chosen())


def _run(build: Build, folder_of_reports: Path, arguments: Sequence[str]) -> int:
    if not suites_are_whole(build):
        print(
            f"{build.name}: the suites and the main classes are of two compiles. Run `make scalatest`.",
            flush=True,
        )
        return 1
    shutil.rmtree(folder_of_reports, ignore_errors=True)
    # Spark writes where it runs, and suites make tables below the JVM's folder for what is temporary.
    folder = target(build) / "runs" / folder_of_reports.name
    shutil.rmtree(folder, ignore_errors=True)
    temporary = folder / "tmp"
    temporary.mkdir(parents=True)
    spark = spark_jars(replace(build, pyspark=os.environ.get("RELEASE") or build.pyspark))
    # What a format brings comes last: Spark's own releases of the same libraries are those that it runs with.
    jars = [
        (target(build) / "test-classpath.txt").read_text().strip(),
        f"{spark}/*",
        *map(str, format_jars(build)),
    ]
    classes = os.pathsep.join(jars)
    machine = [*OPTIONS, *(LONG if os.environ.get("HOTSPOT") == "full" else SHORT).split()]
    machine.append(f"-Djava.io.tmpdir={temporary}")
    command = [java_command(), *machine, "-cp", classes, "org.scalatest.tools.Runner"]
    command += ["-R", str(target(build) / "test-classes"), "-oDF", "-u", str(folder_of_reports), *arguments]
    environment = {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1"}
    code = subprocess.run(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL).returncode
    if code == 0 and outcome(folder_of_reports.glob("*.xml")).ran == 0:
        print(f"{build.name}: ScalaTest ran no test.", flush=True)
        return 1
    return code


def main(arguments: Sequence[str]) -> int:
    """`compile`, `group NAME`, or arguments for ScalaTest's Runner."""
    if arguments[:1] == ["group"]:
        return run(arguments[1], group(arguments[1]))
    compiled()
    return 0 if arguments == ["compile"] else run(ASKED, arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
