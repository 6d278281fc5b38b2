"""Options of the Java virtual machines that tests start: two at a time on two cores, and nearly all code new to them.

By default, half of their CPU time is HotSpot's second compiler and a tenth is the garbage collector.
"""

from __future__ import annotations

# One thread collects, as nothing is left for more; a heap that grows, and classes that reach a limit of 20 MB, would
# have it collect hundreds of times.
_COLLECTOR = "-XX:+UseSerialGC -XX:MetaspaceSize=512m"

# HotSpot's first compiler alone: what runs once is not worth the second. HotSpot would then keep 48 MB for code in
# place of 240 MB, and interpret what has no room. The same dbt commands of `functional`, all at once: 1.8 s of CPU
# time a test, 2.3 s with the options of LONG, 2.9 s with neither.
SHORT = f"{_COLLECTOR} -Xms512m -Xmn256m -XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=240m"

# The second compiler for what runs thirty times as often as by default: for random cases by the thousand. With it the
# suites of joins took 558 s in place of 452 s, beside those of the rest.
LONG = (
    f"{_COLLECTOR} -Xms2g -Xmn1200m -XX:Tier4InvocationThreshold=150000 -XX:Tier4MinInvocationThreshold=18000"
    " -XX:Tier4CompileThreshold=450000 -XX:Tier4BackEdgeThreshold=1200000"
)
