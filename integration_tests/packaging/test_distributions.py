"""Users' downloads: the wheel and the source distribution install into an empty environment and run a model there."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest

from build_support.builds import ROOT, VERSION_FILE, Build, builds, chosen, version
from build_support.install_cells import dbt_cores
from build_support.minimal_project import fault, write

AT_TOP = {"build", "dist", "examples", "benchmarks"}
ANYWHERE = shutil.ignore_patterns(".*", "target", "*.egg-info", "__pycache__")


# The jar that `make test` builds; `make dist` builds all.
HAS_JAR = chosen()


@dataclass(frozen=True)
class Distributions:
    wheel: Path
    sdist: Path


@pytest.fixture(scope="module")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> Distributions:
    """Both, built the way a release is: the wheel from the unpacked sdist, so that the sdist is complete."""
    folder = tmp_path_factory.mktemp("distributions")
    built = build(copy_checkout(folder), "--outdir", str(folder), lines=HAS_JAR[0].spark)
    assert built.returncode == 0, built.stdout
    return Distributions(next(folder.glob("*.whl")), next(folder.glob("*.tar.gz")))


@pytest.fixture(scope="module")
def environment(distributions: Distributions, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the wheel and what pip takes with it, unpinned, as a user has it; pyspark's wheel comes from
    pip's cache where there is one. dbt-core is not the newest, which needs more than the package index."""
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    pip_install(folder, f"{distributions.wheel}[session,thrift,report]", f"dbt-core<{dbt_cores()[-1]}")
    return folder


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return write(tmp_path)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    return copy_checkout(tmp_path)


def copy_checkout(folder: Path) -> Path:
    """A copy to build from, so that a build leaves nothing in the checkout."""

    def ignored(path: str, names: list[str]) -> set[str]:
        return ANYWHERE(path, names) | (AT_TOP if Path(path) == ROOT else set())

    return Path(shutil.copytree(ROOT, folder / "checkout", ignore=ignored))


def build(source: Path, *arguments: str, lines: str = "all") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "build", "--no-isolation", *arguments, str(source)]
    environment = {**os.environ, "SPARK": lines}
    return subprocess.run(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )


def pip_install(environment: Path, *arguments: str) -> None:
    python = environment / "bin" / "python"
    command = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-compile"]
    subprocess.run([*command, *arguments], check=True, env={**os.environ, "SPARK": HAS_JAR[0].spark})


def with_jars(checkout: Path, *built: Build) -> Path:
    """The checkout with jars of no classes for these lines, and no others."""
    for each in builds():
        jar = checkout / each.jar.relative_to(ROOT)
        jar.unlink(missing_ok=True)
        if each in built:
            jar.parent.mkdir(parents=True, exist_ok=True)
            with zipfile.ZipFile(jar, "w") as archive:
                archive.writestr("io/adaptivespark/build.properties", f"version={version()}\n")
    return checkout


@pytest.mark.parametrize("kind", ["wheel", "sdist"])
def test_a_model_runs_from_an_installed(
    kind: str, distributions: Distributions, environment: Path, project: Path
) -> None:
    pip_install(environment, "--no-deps", "--force-reinstall", str(getattr(distributions, kind)))
    clean = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "SPARK_HOME")}
    ran = subprocess.run(
        [str(environment / "bin" / "dbt"), "run", "--profiles-dir", str(project)],
        cwd=project,
        env={**clean, "DBT_SEND_ANONYMOUS_USAGE_STATS": "false"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert ran.returncode == 0, ran.stdout
    assert fault(project) == ""
    told = subprocess.run(
        [str(environment / "bin" / "dbt-adaptive-spark"), "report"],
        cwd=project,
        env=clean,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert told.returncode == 0, told.stdout
    assert "numbers" in (project / "target" / "adaptive_spark_report.html").read_text()


def shipped_files() -> set[str]:
    """Everything in the checkout's two packages, relative to it, that is not a cache or the jar of another line."""
    packages = [ROOT / "dbt" / kind / "adaptive_spark" for kind in ("adapters", "include")]
    others = {each.jar for each in builds() if each != HAS_JAR[0]}
    files = {file for package in packages for file in package.rglob("*") if file.is_file()} - others
    return {str(file.relative_to(ROOT)) for file in files if "__pycache__" not in file.parts}


def test_wheel_holds_the_two_packages_and_nothing_else(distributions: Distributions) -> None:
    with zipfile.ZipFile(distributions.wheel) as wheel:
        names = {name for name in wheel.namelist() if ".dist-info/" not in name}
    assert names == shipped_files()


def test_sdist_holds_the_packages_and_the_sources_of_the_jars(distributions: Distributions) -> None:
    with tarfile.open(distributions.sdist) as sdist:
        names = {name.split("/", 1)[1] for name in sdist.getnames() if "/" in name}
    sources = {str(file.relative_to(ROOT)) for file in (ROOT / "jvm" / "src").rglob("*.scala")}
    assert names >= shipped_files() | sources | {"jvm/pom.xml", "jvm/builds.json", "LICENSE", "README.md"}


@pytest.mark.parametrize(("kind", "missing"), [("--wheel", builds()[0]), ("--sdist", builds()[-1])])
def test_building_without_the_jar_of_a_line_says_how_to_get_it(
    kind: str, missing: Build, checkout: Path
) -> None:
    built = build(with_jars(checkout, *(each for each in builds() if each != missing)), kind)
    assert built.returncode != 0
    assert (
        f"{missing.jar.name} is missing, and the package is no use without it: run `make jars SPARK=all` first."
        in built.stdout
    )


@pytest.mark.parametrize(("lines", "carried"), [("all", builds()), (builds()[-1].spark, builds()[-1:])])
def test_a_package_carries_the_jars_of_all_lines_or_of_the_one_that_is_asked_for(
    lines: str, carried: list[Build], checkout: Path
) -> None:
    built = build(with_jars(checkout, *builds()), "--wheel", "--outdir", str(checkout / "dist"), lines=lines)
    assert built.returncode == 0, built.stdout
    with zipfile.ZipFile(next((checkout / "dist").glob("*.whl"))) as wheel:
        jars = {Path(name).name for name in wheel.namelist() if name.endswith(".jar")}
    assert jars == {each.jar.name for each in carried}


def test_building_for_a_line_that_there_is_not_says_which_there_are(checkout: Path) -> None:
    built = build(checkout, "--wheel", lines="2.4")
    assert built.returncode != 0
    assert "SPARK is 2.4, and there is no build for that line. There are builds for 4.3, " in built.stdout


def test_building_with_the_jar_of_another_version_says_so(checkout: Path) -> None:
    with_jars(checkout, *builds())
    (checkout / VERSION_FILE.relative_to(ROOT)).write_text('version = "99.0.0"\n')
    built = build(checkout, "--wheel")
    assert built.returncode != 0
    assert (
        f"{builds()[0].jar.name} was not built for version 99.0.0: run `make jars SPARK=all` first."
        in built.stdout
    )


def test_jar_holds_our_classes_its_version_and_the_license() -> None:
    for build in HAS_JAR:
        with zipfile.ZipFile(build.jar) as jar:
            names = [name for name in jar.namelist() if not name.endswith("/")]
            properties = jar.read("io/adaptivespark/build.properties").decode().splitlines()
        ours = ("io/adaptivespark/", "org/apache/spark/sql/execution/adaptivespark/")
        assert {name for name in names if not name.startswith(ours)} == {
            "META-INF/MANIFEST.MF",
            "META-INF/LICENSE",
        }
        shipped = ", ".join(f"Spark {each.spark} (Scala {each.scala})" for each in builds())
        assert properties == [
            f"version={version()}",
            f"spark={build.spark}",
            f"scala={build.scala}",
            f"builds={shipped}",
        ]


# Classes of Scala 2.12 and of Spark 3 whose members, as far as they are used, are still the same today.
ON_EVERY_SPARK = {
    "scala/Function1",
    "scala/None$",
    "scala/Option",
    "scala/Some",
    "scala/Tuple3",
    "scala/runtime/AbstractFunction1",
    "scala/runtime/BoxedUnit",
    "scala/runtime/LambdaDeserialize",
    "scala/util/Properties$",
    "org/apache/spark/package$",
    "org/apache/spark/sql/SparkSessionExtensions",
    "org/apache/spark/sql/catalyst/FunctionIdentifier",
    "org/apache/spark/sql/catalyst/expressions/Expression",
    "org/apache/spark/sql/catalyst/expressions/ExpressionInfo",
}
WIDTHS = {3: 4, 4: 4, 5: 8, 6: 8, 7: 2, 8: 2, 9: 4, 10: 4, 11: 4, 12: 4, 15: 3, 16: 2, 17: 4, 18: 4}


def java_and_classes(compiled: bytes) -> tuple[int, set[str]]:
    """The Java that a class file is for, and the classes that its constants name (JVM specification, 4.4)."""
    assert compiled[:4] == b"\xca\xfe\xba\xbe"
    texts: dict[int, str] = {}
    named: list[int] = []
    at, entry = 10, 1
    while entry < int.from_bytes(compiled[8:10], "big"):
        tag = compiled[at]
        if tag == 1:
            end = at + 3 + int.from_bytes(compiled[at + 1 : at + 3], "big")
            texts[entry], at = compiled[at + 3 : end].decode(errors="replace"), end
        else:
            if tag == 7:
                named.append(int.from_bytes(compiled[at + 1 : at + 3], "big"))
            at += 1 + WIDTHS[tag]
        entry += 2 if tag in (5, 6) else 1
    return int.from_bytes(compiled[6:8], "big") - 44, {texts[each] for each in named}


def test_the_entry_class_runs_on_sparks_and_javas_that_the_jar_is_not_for() -> None:
    entry = re.compile(r"io/adaptivespark/(AdaptiveSparkExtensions|conf/Build)(\$.*)?")
    for build in HAS_JAR:
        with zipfile.ZipFile(build.jar) as jar:
            names = [name.removesuffix(".class") for name in jar.namelist() if name.endswith(".class")]
            found = {
                name: java_and_classes(jar.read(f"{name}.class")) for name in names if entry.fullmatch(name)
            }
        assert len(found) >= 4
        for java, classes in found.values():
            assert java == 8
            assert {name for name in classes if name.startswith(("scala/", "org/apache/"))} <= ON_EVERY_SPARK
