"""Spark starts with extensions of other projects beside ours: a user reads which of them does not work."""

import os
import shutil
import subprocess
import textwrap
import zipfile
from pathlib import Path

import pytest
from programs import CONNECT, LOUD, OF_A_PROGRAM, python

# beside ours, in a program's own Spark
OF_THEIRS = """
builder.config("spark.jars", find_jar(mine, installed_line(spark_home())) + "," + CONFS["spark.jars"]).config(
    "spark.sql.extensions", "org.example.Counted,io.adaptivespark.AdaptiveSparkExtensions").getOrCreate()
"""
EXTENSIONS = {
    "Throws": 'throw new IllegalStateException("no licence");',
    "Unlinked": 'throw new NoClassDefFoundError("org/example/Base");',
    "Counted": """System.setProperty("applied", Integer.getInteger("applied", 0) + 1 + "");
        return scala.runtime.BoxedUnit.UNIT;""",
    "Resolving": """extensions.injectResolutionRule(session -> { throw new IncompatibleClassChangeError("View"); });
        return scala.runtime.BoxedUnit.UNIT;""",
}
SOURCE = """
package org.example;
public class {name} extends
    scala.runtime.AbstractFunction1<org.apache.spark.sql.SparkSessionExtensions, scala.runtime.BoxedUnit> {{
  public scala.runtime.BoxedUnit apply(org.apache.spark.sql.SparkSessionExtensions extensions) {{ {body} }}
}}
"""


@pytest.fixture(scope="module")
def extensions_jar(tmp_path_factory):
    """A jar with extensions of another project, each with a fault of its own."""
    from dbt.adapters.adaptive_spark.spark.installation import spark_home

    folder = tmp_path_factory.mktemp("extensions")
    sources = {name: SOURCE.format(name=name, body=body) for name, body in EXTENSIONS.items()}
    sources["NoFunction"] = "package org.example; public class NoFunction {}"
    for name, text in sources.items():
        (folder / f"{name}.java").write_text(text)
    home = os.environ.get("JAVA_HOME")
    javac = shutil.which("javac", path=Path(home) / "bin" if home else None)
    files = [str(folder / f"{name}.java") for name in sources]
    subprocess.run(
        [javac, "-cp", f"{spark_home()}/jars/*", "-d", str(folder / "classes"), *files], check=True
    )
    with zipfile.ZipFile(folder / "theirs.jar", "w") as jar:
        for file in (folder / "classes").rglob("*.class"):
            jar.write(file, file.relative_to(folder / "classes"))
    return str(folder / "theirs.jar")


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("Throws", "does not work: java.lang.IllegalStateException: no licence. "),
        ("Resolving", "does not work: java.lang.IncompatibleClassChangeError: View. "),
    ],
)
def test_an_extension_of_others_that_keeps_spark_from_working_is_named(confs, extensions_jar, name, sentence):
    mine = {"spark.sql.extensions": f"org.example.{name}", "spark.jars": extensions_jar}
    again = "try:\n    CommandSessions(profile).connect(lambda: 'node')\nexcept Exception as error:\n    print(error.msg)\n"
    program = CONNECT.replace("raise SystemExit(", "print(") + again
    expected = (
        f"The extension org.example.{name} in spark.sql.extensions {sentence}"
        "Use its release for this Spark, or leave it out."
    )
    ended = python(program, {**confs, **mine})
    assert ended.stdout.splitlines() == [f"FailedToConnectError: {expected}", expected], ended.stderr[-2000:]


def test_extensions_of_others_that_spark_leaves_out_are_warnings(confs, extensions_jar):
    use_its_release = "Use its release for this Spark, or leave it out."
    faults = {
        "Missing": "is not loaded: there is no such class on Spark's class path. Add its package to spark.jars.packages or "
        "its jar to spark.jars, or leave it out.",
        "NoFunction": f"does not work: it is not a function of SparkSessionExtensions. {use_its_release}",
        "Unlinked": f"does not work: java.lang.NoClassDefFoundError: org/example/Base. {use_its_release}",
    }
    mine = {
        "spark.sql.extensions": ",".join(f"org.example.{name}" for name in faults),
        "spark.jars": extensions_jar,
    }
    ended = python(LOUD + CONNECT + 'print(handle.statistics("select 1"))', {**confs, **mine})
    assert ended.stdout.splitlines() == [
        *(
            f"The extension org.example.{name} in spark.sql.extensions {fault}"
            for name, fault in faults.items()
        ),
        "[Row(1=1)]",
    ], ended.stderr[-2000:]


def test_an_extension_of_others_is_applied_as_often_as_spark_alone_does(confs, extensions_jar):
    mine = {"spark.sql.extensions": "org.example.Counted", "spark.jars": extensions_jar}
    ask = """
    handles = [handle, *(CommandSessions(profile).connect(lambda: "node", each) for each in (True, False))]
    handles[-1].statistics("select 1")
    print(handle.session._jvm.java.lang.System.getProperty("applied"))
    """
    for program in (
        LOUD + CONNECT,
        OF_A_PROGRAM.replace("builder.getOrCreate()", OF_THEIRS) + LOUD + CONNECT,
    ):
        ended = python(program + textwrap.dedent(ask), {**confs, **mine})
        assert ended.stdout.splitlines()[-1] == "1", ended.stderr[-2000:]


def test_a_log_at_level_error_hides_no_extension_whose_class_is_missing(confs, extensions_jar):
    mine = {"spark.sql.extensions": "org.example.Missing", "spark.log.level": "ERROR"}
    ended = python(LOUD + CONNECT, {**confs, **mine})
    (sentence,) = ended.stdout.splitlines()
    assert sentence.startswith("The extension org.example.Missing in spark.sql.extensions is not loaded: ")
