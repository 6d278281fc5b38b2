from build_support.outcomes import ended_by_test, outcome

REPORT = """<testsuites><testsuite>
<testcase classname="shop" name="sells"/>
<testcase classname="shop" name="opens"><failure message="closed&#10;at night"/></testcase>
<testcase classname="shop" name="closes"><error message="no key"/></testcase>
<testcase classname="shop" name="moves"><skipped message="no van"/></testcase>
<testcase classname="shop" name="returns"><skipped message="no van"/></testcase>
</testsuite></testsuites>"""


def test_tests_are_counted_by_how_they_ended(tmp_path):
    (tmp_path / "a.xml").write_text(REPORT)
    (tmp_path / "b.xml").write_text('<testsuite><testcase classname="bank" name="pays"/></testsuite>')
    found = outcome(tmp_path.glob("*.xml"))
    assert found.passed == 2
    assert found.failed == ("shop: opens: closed", "shop: closes: no key")
    assert found.skipped == {"no van": 2}
    assert found.ran == 4


def test_without_reports_nothing_ran():
    assert outcome([]).ran == 0


def test_each_test_has_its_end(tmp_path):
    (tmp_path / "a.xml").write_text(REPORT)
    assert ended_by_test(tmp_path.glob("*.xml")) == {
        "shop: sells": "passed",
        "shop: opens": "failed",
        "shop: closes": "failed",
        "shop: moves": "skipped",
        "shop: returns": "skipped",
    }
