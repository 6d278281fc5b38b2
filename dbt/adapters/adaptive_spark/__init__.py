from dbt.adapters.base.plugin import AdapterPlugin

from dbt.adapters.adaptive_spark.credentials import AdaptiveSparkCredentials
from dbt.adapters.adaptive_spark.impl import AdaptiveSparkAdapter
from dbt.include import adaptive_spark

Plugin = AdapterPlugin(
    adapter=AdaptiveSparkAdapter,  # type: ignore[arg-type]  # dbt's own adapters fit its protocol no better
    credentials=AdaptiveSparkCredentials,
    include_path=adaptive_spark.PACKAGE_PATH,
    dependencies=["spark"],
)
