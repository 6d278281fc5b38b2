"""dbt-spark clones Delta tables only; what is left is that nothing is cloned onto itself."""

from dbt.tests.adapter.dbt_clone.test_dbt_clone import BaseCloneSameTargetAndState


class TestCloneSameTargetAndState(BaseCloneSameTargetAndState):
    pass
