"""The command `dbt-adaptive-spark`: the report of a run, and the jar for a Spark that dbt does not start."""

from __future__ import annotations

import click

from dbt.adapters.adaptive_spark.report.cli import report


@click.group()
def main() -> None:
    """Reports what dbt on adaptive Spark did, and says which jar a Spark needs."""


main.add_command(report)


@main.command()
@click.option("--spark", help="The Spark, such as 3.5.  [default: that of SPARK_HOME, or of pyspark]")
@click.option("--scala", help="Its Scala, such as 2.12, where there is a jar for more than one.")
def jar(spark: str | None, scala: str | None) -> None:
    """Prints the path of the extension's jar for a Spark, which goes into its conf spark.jars."""
    # these import dbt, for which the report does not wait
    from dbt.adapters.exceptions.connection import FailedToConnectError

    from dbt.adapters.adaptive_spark.spark.installation import jar_for

    try:
        click.echo(jar_for(spark, scala))
    except FailedToConnectError as error:
        raise click.ClickException(str(error.msg)) from error


if __name__ == "__main__":
    main()
