"""Snapshots: both strategies, hard deletes of all kinds, keys of several columns, and names of their own."""

import pytest
from dbt.tests.adapter.basic.test_snapshot_check_cols import BaseSnapshotCheckCols
from dbt.tests.adapter.basic.test_snapshot_timestamp import BaseSnapshotTimestamp
from dbt.tests.adapter.simple_snapshot.new_record_check_mode import BaseSnapshotNewRecordCheckMode
from dbt.tests.adapter.simple_snapshot.new_record_dbt_valid_to_current import (
    BaseSnapshotNewRecordDbtValidToCurrent,
)
from dbt.tests.adapter.simple_snapshot.new_record_timestamp_mode import BaseSnapshotNewRecordTimestampMode
from dbt.tests.adapter.simple_snapshot.test_ephemeral_snapshot_hard_deletes import (
    BaseSnapshotEphemeralHardDeletes,
    BaseSnapshotNewColumnSpecificCheckCols,
    BaseSnapshotNewColumnTimestampStrategy,
    BaseSnapshotNewColumnWithDeletes,
)
from dbt.tests.adapter.simple_snapshot.test_snapshot import BaseSimpleSnapshot, BaseSnapshotCheck
from dbt.tests.adapter.simple_snapshot.test_various_configs import (
    BaseSnapshotColumnNames,
    BaseSnapshotColumnNamesFromDbtProject,
    BaseSnapshotInvalidColumnNames,
    BaseSnapshotMultiUniqueKey,
)


class TestSnapshotCheckCols(BaseSnapshotCheckCols):
    pass


class TestSnapshotTimestamp(BaseSnapshotTimestamp):
    pass


@pytest.mark.repeated
class TestSimpleSnapshot(BaseSimpleSnapshot):
    pass


class TestSnapshotCheck(BaseSnapshotCheck):
    pass


@pytest.mark.repeated
class TestNewRecordCheckMode(BaseSnapshotNewRecordCheckMode):
    pass


@pytest.mark.repeated
class TestNewRecordTimestampMode(BaseSnapshotNewRecordTimestampMode):
    pass


class TestNewRecordDbtValidToCurrent(BaseSnapshotNewRecordDbtValidToCurrent):
    pass


class TestEphemeralHardDeletes(BaseSnapshotEphemeralHardDeletes):
    pass


class TestNewColumnTimestampStrategy(BaseSnapshotNewColumnTimestampStrategy):
    pass


class TestNewColumnSpecificCheckCols(BaseSnapshotNewColumnSpecificCheckCols):
    pass


class TestNewColumnWithDeletes(BaseSnapshotNewColumnWithDeletes):
    pass


class TestColumnNames(BaseSnapshotColumnNames):
    pass


class TestColumnNamesFromDbtProject(BaseSnapshotColumnNamesFromDbtProject):
    pass


class TestInvalidColumnNames(BaseSnapshotInvalidColumnNames):
    pass


class TestMultiUniqueKey(BaseSnapshotMultiUniqueKey):
    pass
