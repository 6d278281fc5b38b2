"""Stops with one sentence unless this Python and the Java on this machine can build and run the project.

Runs before anything is installed, under whatever Python there is: nothing here needs a recent one.
"""

import os
import re
import subprocess
import sys

PYTHON_MINIMUM = (3, 11)  # pyspark 4.3 refuses older ones
JAVA_MINIMUM = 17
SPARK_MODULE = "jdk.incubator.vector"  # cut-down runtimes lack it
INSTALL_JAVA = "install Java 17 or newer (e.g. `apt-get install openjdk-17-jdk-headless`) and put it on PATH, or set JAVA_HOME."


def java_command():
    # type: () -> str
    """The Java that Maven and Spark will take, too: JAVA_HOME's if it is set, else the first on PATH."""
    home = os.environ.get("JAVA_HOME")
    return os.path.join(home, "bin", "java") if home else "java"


def java_major(version_output):
    # type: (str) -> int
    """17 for `openjdk version "17.0.15" 2025-04-15`, 8 for `java version "1.8.0_402"`; 0 if there is no version."""
    found = re.search(r'version "(?:1\.)?(\d+)', version_output)
    return int(found.group(1)) if found else 0


def python_complaint():
    # type: () -> str
    """Why this Python will not do, or nothing."""
    running = ".".join(str(part) for part in sys.version_info[:3])
    if sys.version_info < PYTHON_MINIMUM:
        return (
            "Python {} is too old ({}): install Python 3.11 or newer, which Spark 4.3's pyspark needs, and name it: "
            "make PYTHON=python3.11 ...".format(running, sys.executable)
        )
    try:
        __import__("ensurepip")
    except ImportError:
        return "Python {} cannot make virtual environments: install its venv module (e.g. `apt-get install python3-venv`).".format(
            running
        )
    return ""


def run_java(*arguments):
    # type: (str) -> tuple[int, str]
    """The exit code and output of Java; OSError if it is not there."""
    ran = subprocess.Popen(
        [java_command()] + list(arguments), stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    output = ran.communicate()[0].decode("utf-8", "replace")
    return ran.returncode, output


def java_complaint():
    # type: () -> str
    """Why the Java on this machine will not do, or nothing."""
    command = java_command()
    try:
        code, banner = run_java("-version")
    except OSError:
        return "No Java found ({}): {}".format(command, INSTALL_JAVA)
    major = java_major(banner)
    if code != 0 or major == 0:
        return "`{} -version` fails: {}".format(command, INSTALL_JAVA)
    if major < JAVA_MINIMUM:
        return "Java {} is too old ({}): {}".format(major, command, INSTALL_JAVA)
    if SPARK_MODULE not in run_java("--list-modules")[1]:
        return "Java {} ({}) lacks the module {}, which Spark needs: {}".format(
            major, command, SPARK_MODULE, INSTALL_JAVA
        )
    return ""


if __name__ == "__main__":
    sys.exit(python_complaint() or java_complaint() or 0)
