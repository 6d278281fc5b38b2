"""Tells Spark to look for the jars of a format at Maven Central first, and in Maven's folder on this machine last.

Spark itself begins with `~/.m2`. Maven leaves there the descriptor of a jar that it did not need without the jar, and
Spark then ends with `download failed` instead of asking Maven Central (Spark 4.1.4 with `jsr305` 3.0.2).
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from xml.sax.saxutils import quoteattr

from dbt.adapters.adaptive_spark.spark.fetched_jars import own_folder, write_whole

SETTINGS_KEY = "spark.jars.ivySettings"
# Spark takes another host from the environment, too.
_HOST_VARIABLE, _HOST = "DEFAULT_ARTIFACT_REPOSITORY", "https://repo1.maven.org/maven2/"

# Ivy keeps the name of the place where it found a jar. These are not Spark's, or it would look there again.
_SETTINGS = """<ivysettings>
  <property name="ivy.maven.lookup.sources" value="false"/>
  <property name="ivy.maven.lookup.javadoc" value="false"/>
  <settings defaultResolver="host-first"/>
  <resolvers>
    <chain name="host-first">
      <ibiblio name="host" m2compatible="true" root={host}/>
      <ibiblio name="this-machine" m2compatible="true" root={local}/>
    </chain>
  </resolvers>
</ivysettings>
"""


def host_first(confs: Mapping[str, str], folder: Path) -> dict[str, str]:
    """The conf that names these settings, which it writes below Spark's `folder` for jars; none where the user's
    `confs` name others.

    Raises OSError where they cannot be written.
    """
    if SETTINGS_KEY in confs:
        return {}
    file = own_folder(folder) / "ivysettings.xml"
    host = os.environ.get(_HOST_VARIABLE, _HOST)
    local = (Path.home() / ".m2" / "repository").as_uri()
    write_whole(file, _SETTINGS.format(host=quoteattr(host), local=quoteattr(f"{local}/")))
    return {SETTINGS_KEY: file.resolve().as_uri()}
