"""Tells Spark to look for the jars of a format at Maven Central first, and in Maven's folder on this machine last.

Spark itself begins with `~/.m2`. Maven leaves there the descriptor of a jar that it did not need without the jar, and
Spark then ends with `download failed` instead of asking Maven Central (Spark 4.1.4 with `jsr305` 3.0.2).
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit
from xml.sax.saxutils import quoteattr

from dbt.adapters.adaptive_spark.spark.fetched_jars import own_folder, write_whole
from dbt.adapters.adaptive_spark.spark.session_conf import listed

SETTINGS_KEY = "spark.jars.ivySettings"
REPOSITORIES_KEY = "spark.jars.repositories"
# Spark takes another host from the environment, too. It may have a password, which Ivy reads there.
_HOST_VARIABLE, _HOST = "DEFAULT_ARTIFACT_REPOSITORY", "https://repo1.maven.org/maven2/"

# Ivy keeps the name of the place where it found a jar. These are not Spark's, or it would look there again. A host
# behind a wall that drops packets would be waited for by each jar, as long as the system waits.
_SETTINGS = """<ivysettings>
  <properties environment="env"/>
  <property name="ivy.maven.lookup.sources" value="false"/>
  <property name="ivy.maven.lookup.javadoc" value="false"/>
  <settings defaultResolver="hosts-first"/>
  <timeout-constraints>
    <timeout-constraint name="soon" connectionTimeout="10000" readTimeout="60000"/>
  </timeout-constraints>
  <resolvers>
    <chain name="hosts-first">
{hosts}
      <ibiblio name="this-machine" m2compatible="true" root="file:${{user.home}}/.m2/repository/"/>
    </chain>
  </resolvers>
</ivysettings>
"""
_PLACE = '      <ibiblio name="host-{at}" m2compatible="true" root={root} timeoutConstraint="soon"/>'


def hosts_first(confs: Mapping[str, str], folder: Path) -> dict[str, str]:
    """The conf that names these settings, which it writes below Spark's `folder` for jars; none where the user's
    `confs` name others.

    Hosts in `spark.jars.repositories` come after Maven Central; Spark itself puts them after `~/.m2`, and there those
    with a password stay. Raises OSError where the settings cannot be written.
    """
    if SETTINGS_KEY in confs:
        return {}
    first = f"${{env.{_HOST_VARIABLE}}}" if os.environ.get(_HOST_VARIABLE) else _HOST
    others = [url for url in listed(confs.get(REPOSITORIES_KEY, "")) if "@" not in urlsplit(url).netloc]
    hosts = "\n".join(
        _PLACE.format(at=at, root=quoteattr(url)) for at, url in enumerate([first, *others], start=1)
    )
    file = own_folder(folder) / "ivysettings.xml"
    write_whole(file, _SETTINGS.format(hosts=hosts))
    return {SETTINGS_KEY: file.resolve().as_uri()}
