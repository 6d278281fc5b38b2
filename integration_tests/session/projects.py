"""A dbt project on disk whose Spark stays on this machine, and dbt in a process of its own to run it."""

import os
import subprocess
import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]


def on_this_machine(folder):
    """Confs of a small Spark that stays on this machine, with its files in `folder`."""
    return {
        "spark.master": "local[2]",
        "spark.driver.memory": "1g",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.ui.enabled": False,
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
    }


def write_project(project, files, threads, **settings):
    """The project `shop`: `files` by path, its `settings`, and a profile under which Spark writes beside them."""
    for path, text in files.items():
        (project / path).parent.mkdir(exist_ok=True)
        (project / path).write_text(text, encoding="utf-8")
    (project / "dbt_project.yml").write_text(
        yaml.safe_dump({"name": "shop", "version": "1.0", "profile": "shop", **settings})
    )
    confs = {
        **on_this_machine(project),
        "spark.driver.extraJavaOptions": f"-Dderby.system.home={project}",
    }
    target = {"type": "adaptive_spark", "schema": "shop", "threads": threads, "server_side_parameters": confs}
    (project / "profiles.yml").write_text(
        yaml.safe_dump({"shop": {"target": "dev", "outputs": {"dev": target}}})
    )


def dbt(project, *arguments):
    """How `dbt` with `arguments` ended, and what it printed."""
    command = [sys.executable, "-m", "dbt.cli.main", "--no-use-colors", *arguments]
    return subprocess.run(
        [*command, "--project-dir", str(project), "--profiles-dir", str(project)],
        cwd=project,
        env={**os.environ, "PYTHONPATH": str(ROOT), "DBT_SEND_ANONYMOUS_USAGE_STATS": "false"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
