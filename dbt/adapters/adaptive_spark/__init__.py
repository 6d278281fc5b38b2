"""dbt's plugin for `type: adaptive_spark`, made once dbt asks for it: the command
`dbt-adaptive-spark` does without dbt.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dbt.adapters.base.plugin import AdapterPlugin

    Plugin: AdapterPlugin


def __getattr__(name: str) -> AdapterPlugin:
    """Makes `Plugin`, the only name here, on its first use."""
    if name != "Plugin":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from dbt.adapters.base.plugin import AdapterPlugin

    from dbt.adapters.adaptive_spark.credentials import AdaptiveSparkCredentials
    from dbt.adapters.adaptive_spark.impl import AdaptiveSparkAdapter
    from dbt.include import adaptive_spark

    plugin = AdapterPlugin(
        adapter=AdaptiveSparkAdapter,  # type: ignore[arg-type]  # dbt's own adapters fit its protocol no better
        credentials=AdaptiveSparkCredentials,
        include_path=adaptive_spark.PACKAGE_PATH,
        dependencies=["spark"],
    )
    globals()[name] = plugin
    return plugin
