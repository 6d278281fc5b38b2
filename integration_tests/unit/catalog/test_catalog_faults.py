"""Catalogs that cannot be used: told of once, each with the conf to set."""

from dbt.adapters.adaptive_spark.catalog.catalog_faults import CatalogFaults


def test_a_catalog_that_is_not_configured_is_told_of_once():
    told = []
    faults = CatalogFaults(lambda catalog: catalog == "lake", told.append)
    sentence = faults.of("desert")
    assert faults.of("desert") == sentence and faults.of("lake") is None
    assert told == [sentence]
    assert sentence.startswith("The catalog desert is not configured: spark.sql.catalog.desert is not set.")
    assert "in server_side_parameters of the profile" in sentence


def test_a_catalog_that_a_hook_configures_is_used_from_then_on():
    configured, told = set(), []
    faults = CatalogFaults(configured.__contains__, told.append)
    assert faults.of("lake") is not None
    configured.add("lake")
    assert faults.of("lake") is None and len(told) == 1


def test_a_catalog_whose_schemas_dbt_takes_for_empty_is_never_used():
    configured = set()
    faults = CatalogFaults(configured.__contains__, lambda _: None)
    sentence = faults.for_good("lake")
    configured.add("lake")
    assert faults.of("lake") == sentence == faults.for_good("lake")


def test_a_catalog_that_does_not_answer_is_out_of_use_with_its_first_reason():
    told = []
    faults = CatalogFaults(lambda _: True, told.append)
    assert faults.of("sea") is None
    sentence = faults.note("sea", "Connection\nrefused.")
    assert faults.note("sea", "Another reason.") == sentence == faults.of("sea")
    assert told == [sentence]
    assert sentence.startswith(
        "The catalog sea cannot be used: Connection refused. Check spark.sql.catalog.sea and "
    )
