"""Columns that a query filters, joins and groups by, found through whatever stands between it and the table."""

import pytest

from dbt.adapters.adaptive_spark.statistics.column_usage import UNKNOWN, Columns, UnreadSqlError, parsed, use

TABLE = Columns({name: frozenset([name]) for name in ("a", "b", "c", "d", "id")}, whole=True)


def found(sql, **others):
    relations = {"r": TABLE, **others}
    return use(parsed(sql), lambda name: relations.get(name[-1], UNKNOWN))


@pytest.mark.parametrize(
    ("sql", "columns"),
    [
        ("select a, b from r", ""),
        ("select a from r where b > 1 and c = 'x'", "b c"),
        ("SELECT A FROM S.R WHERE `d` = 1", "d"),
        ("select x.a from s.r x where x.b = 1", "b"),
        ("select r.a from r join t on r.id = t.id and t.a = 1", "id"),
        ("select a from r left join t using (id)", "id"),
        ("select a from r natural join (select id, 1 as z from r) q", "id"),
        ("select r.a from r, t where r.b = t.b", "b"),
        ("select a, count(*) from r group by a", "a"),
        ("select a x, sum(b) from r group by 1", "a"),
        ("select a as x from r group by x", "a"),
        ("select a + b as x, sum(c) s from r group by all having s > 3", "a b"),
        ("select a from r group by cube (a, b)", "a b"),
        ("select a from r group by grouping sets ((a), (b, c))", "a b c"),
        ("select a, count(distinct b) from r group by a having count(distinct c) > 1", "a"),
        ("select distinct a, b from r", "a b"),
        ("select a from r union select b from s", "a"),
        ("select a from r union all select b from s", ""),
        ("select b from s except select a from r", "a"),
        ("select a from r qualify row_number() over (partition by b order by c) = 1", ""),
        ("select a from r order by b", ""),
        ("with w as (select a as x, b from r) select * from w where x = 1", "a"),
        ("with w(z, y) as (select a, b from r) select * from w where z = 1", "a"),
        (
            "with w as (select * from r), v as (select * from w) select count(*) from v join t on v.id = t.id",
            "id",
        ),
        ("with r as (select 1 as a) select * from r where a = 1", ""),
        ("with q as (select id from r), t as (select 1 as c) select * from t where c = 1", ""),
        ("select * from (select a, b from r) q(z, y) where y = 1", "b"),
        ("select * from r as q(v, w, x, y, z) where w = 1", "b"),
        ("with w as (select a, b from r) select q.z from w q(z, y) where q.y = 1", "b"),
        ("select t.x from t left join (r join s on r.a = s.a and r.c > 1) on t.id = r.id", "a c id"),
        ("select t.x from (r join s using (b)) join t on t.id = r.id", "b id"),
        ("select * from t where x in (select a from r where b = 1)", "a b"),
        ("select * from r where a in (select x from t)", "a"),
        ("select * from t where exists (select 1 from r where r.c = t.c)", "c"),
        ("select * from r where not exists (select 1 from t where t.k = r.c)", "c"),
        ("select * from r where a > (select max(b) from r)", "a"),
        ("select (select max(x) from t where t.k = r.d) as m from r", "d"),
        ("select * from r where b.field = 1 and r.c.field = 2 and s.r.d.field = 3", "b c d"),
        ("select * from r lateral view explode(a) e as k where k > 1 and b = 2", "b"),
        ("select * from r tablesample (10 percent) where a = 1", "a"),
        ("select * from r pivot (sum(a) for b in (1, 2)) where c = 1", "c"),
        (
            "with recursive q as (select id from r union all select id + 1 from q) select * from q where id > 1",
            "id",
        ),
        ("select /*+ BROADCAST(t) */ * from r semi join t on r.id = t.k where a = 1", "a id"),
        ("select * from t where unknown = 1 and t.a = 2", ""),
    ],
)
def test_columns_that_a_query_uses(sql, columns):
    used = found(sql)
    assert sorted(used.filtered | used.keyed) == columns.split()


@pytest.mark.parametrize(
    ("sql", "filtered", "keyed"),
    [
        ("select a, count(*) from r where b = 1 group by a", "b", "a"),
        ("select a from r group by 1 having a > 1", "a", "a"),
        ("select distinct a from r join t on r.id = t.id and r.b > t.b", "b", "a id"),
        ("select r.a from r join t using (id) group by r.a, r.b", "", "a b id"),
        ("select * from (select a from r natural join (select a, 1 as z from r) q) group by a", "", "a"),
        ("select x from (select a as x, b as y from r group by a, b) where x = 1", "a", "a b"),
        ("select a from r union select b from s", "", "a"),
        ("select a from r intersect select b from s", "", "a"),
        ("select b from s except select a from r", "", "a"),
        ("select * from t where x in (select a from r group by b)", "", "a b"),
        ("select * from r where a in (select x from t) and b in (1, 2)", "b", "a"),
        ("select * from r join t on r.a <=> t.a and (r.b = t.b or cast(r.c as int) = t.c)", "c", "a b"),
        ("select * from r join t on r.id = t.id where r.id between 1 and 9", "id", "id"),
        ("select * from t where exists (select 1 from r where r.c = t.c and r.d = 'x')", "d", "c"),
    ],
)
def test_what_is_filtered_and_what_is_only_a_key(sql, filtered, keyed):
    used = found(sql)
    assert (sorted(used.filtered), sorted(used.keyed)) == (filtered.split(), keyed.split())


@pytest.mark.parametrize(
    ("condition", "columns"),
    [
        ("a like 'x%' and b rlike 'y' and c = 1", "c"),
        ("a like 'x%' or (a = 'y' and not (b <> 2))", "a b"),
        ("a not like '%x' and a ilike 'y' and startswith(b, 'z')", ""),
        ("a like 'x'", "a"),
        ("a like 'x_' or a like b", ""),
        ("upper(a) = 'X' and b + 1 > 2 and coalesce(c, 0) = 0", ""),
        ("case when a = 1 then b else c end = 2", ""),
        ("a", ""),
        ("a between 1 and 2 and b in (1, 2) and c is not null and d <=> 3", "a b c d"),
        ("1 < a and (b) >= c", "a b c"),
        ("cast(a as date) > date'2026-01-01' and to_date(b) = date'2026-01-01'", "a b"),
    ],
)
def test_columns_of_whose_statistics_the_planner_makes_nothing_are_left_out(condition, columns):
    assert sorted(found(f"select * from r where {condition}").filtered) == columns.split()
    assert sorted(found(f"select 1 from r join t on {condition}").filtered) == columns.split()


@pytest.mark.parametrize(
    ("sql", "output", "whole"),
    [
        ("select a, b as x from r", {"a": "a", "x": "b"}, True),
        ("select * from r", {name: name for name in ("a", "b", "c", "d", "id")}, True),
        ("select * except (a, b), a + b as ab from r", {"c": "c", "d": "d", "id": "id", "ab": "a b"}, True),
        (
            "select r.*, t.* from r join t on r.id = t.id",
            {name: name for name in ("a", "b", "c", "d", "id")},
            False,
        ),
        ("select sum(a) as s, row_number() over (order by b) as n from r", {"s": "", "n": ""}, True),
        ("select a from r union all select b from r", {"a": "a b"}, True),
        ("select a, b from r union all by name select b, a from r", {"a": "a", "b": "b"}, True),
        ("select a from r union all select * from t", {"a": "a"}, False),
        ("select cast(a as int) as x, 1 as one from r", {"x": "a", "one": ""}, True),
        ("(select a, b from r)", {"a": "a", "b": "b"}, True),
        ("((select a from r) union all (select b from r)) limit 3", {"a": "a b"}, True),
    ],
)
def test_columns_that_a_query_passes_on(sql, output, whole):
    columns = found(sql).output
    assert {name: " ".join(sorted(of)) for name, of in columns.known.items()} == output
    assert columns.whole == whole


def test_a_view_between_hands_its_columns_on():
    view = found("select a as x, b + c as y, count(d) as n from r group by all").output
    assert sorted(found("select * from v where y = 1 and n > 2", v=view).filtered) == ["b", "c"]


@pytest.mark.parametrize(
    ("sql", "reason"),
    [
        ("select a from", "not understood"),
        ("select a\nfrom r where where", "not understood in line 2"),
        ("insert into r select 1", "is not a SELECT"),
        ("select 1; select 2", "more than one statement"),
        ("", "is not a SELECT"),
    ],
)
def test_sql_that_is_not_understood_says_so(sql, reason):
    with pytest.raises(UnreadSqlError, match=reason):
        parsed(sql)


def test_a_named_join_in_parentheses_is_not_passed_over():
    with pytest.raises(UnreadSqlError, match="has a name of its own"):
        found("select t.x from (r join s on r.c > 1) as z join t on t.id = z.id")
