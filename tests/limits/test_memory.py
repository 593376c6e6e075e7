# SPDX-License-Identifier: Apache-2.0
"""Memory: just under, just over, and how much it was, for every way to take it.

A control group refuses the page above the limit. Without one the box is ended by who watches it, so what was used is more than the
limit; how much more depends on how fast it was taken, and the result has to say it.
"""
import box
import pytest
from eat import MIB, about, finished, holder, stopped

LIMIT = 64 * MIB
# (words, bytes) that fit, and that do not; each way to take memory.
UNDER = {
    "heap": (["heap", "56m"], 56 * MIB),
    "many_processes": (["each", "14", "4m"], 56 * MIB),
    "shared_once": (["shared", "5", "48m"], 48 * MIB),
    "inherited": (["copies", "2", "16m"], 48 * MIB),
    "tmpfs": (["write", "/tmp/f", "56m"], 56 * MIB),
    "project": (["write", "f", "56m"], 56 * MIB),
    "memfd": (["memfd", "7", "8m", "open"], 56 * MIB),
    "memfd_of_several": (["memfd", "7", "8m", "open", "5"], 56 * MIB),
    "memfd_mapped": (["memfd", "7", "8m", "map"], 56 * MIB),
    "sysv": (["sysv", "7", "8m"], 56 * MIB),
    "sysv_mapped": (["sysv", "7", "8m", "keep"], 56 * MIB),
}
OVER = {
    "heap": ["heap", "72m"],
    "many_processes": ["each", "18", "4m"],
    "shared_once": ["shared", "5", "72m"],
    "inherited": ["copies", "4", "15m"],
    "tmpfs": ["write", "/tmp/f", "72m"],
    "project": ["write", "f", "72m"],
    "memfd": ["memfd", "9", "8m", "open"],
    "memfd_of_several": ["memfd", "9", "8m", "open", "5"],
    "memfd_mapped": ["memfd", "9", "8m", "map"],
    "sysv": ["sysv", "9", "8m"],
    "sysv_mapped": ["sysv", "9", "8m", "keep"],
}


@pytest.mark.parametrize("way", UNDER)
def test_under(table, nothing, way):
    words, size = UNDER[way]
    result = finished(table.eat(*words, mem="64m"))
    if way == "project" and holder(result, "disk") != "tmpfs":
        return  # it lies on the disk, and takes no memory that anybody could miss
    peak, slack = result["usage"]["mem_peak"], 2 * MIB
    if holder(result, "memory") == "cgroup":
        # Tables of pages and what the kernel keeps of a process count as well, and so does pid 1 of the box.
        slack = MIB // 4 * (int(words[1]) if words[0] in ("each", "shared", "copies") else 5)
        peak -= nothing["mem_peak"]
    assert size * 0.95 <= peak <= size * 1.05 + slack, f"{peak / MIB:.1f} MiB of {size / MIB}"


@pytest.mark.big
def test_shared_pages_are_not_counted_twice(table):
    """Who adds up the shares process by process while more and more of them map the same pages must not find more than there is."""
    for _ in range(10):
        result = finished(table.eat("shared", "5", "48m", mem="52m"))
        if holder(result, "memory") == "cgroup":
            return  # counted by the kernel, page by page
        assert result["usage"]["mem_peak"] <= 50 * MIB, f"{result['usage']['mem_peak'] / MIB:.1f} MiB of 48"


@pytest.mark.quiet
@pytest.mark.parametrize("way", OVER)
def test_over(table, way):
    result = table.eat(*OVER[way], mem="64m")
    if way == "project" and holder(result, "disk") != "tmpfs":
        finished(result)  # what lies on a disk is memory that the kernel takes back
        return
    used = stopped(result, "memory", LIMIT, 137)
    if holder(result, "memory") == "cgroup":
        about(used, LIMIT, 0.05)
    else:
        assert holder(result, "memory") == "watch"
        assert LIMIT < used < LIMIT * 1.5, f"{used / MIB:.1f} MiB"
    assert result["usage"]["mem_peak"] == used


def test_memory_that_comes_and_goes(table):
    """Three processes that each hold 24 MiB and never have the same 24 MiB more for long: at least 72 MiB, whoever looks when."""
    used = stopped(table.eat("churn", "3", "48m", mem="64m"), "memory", LIMIT, 137)
    assert used <= 150 * MIB, f"{used / MIB:.1f} MiB"


@pytest.mark.quiet
def test_what_was_used_is_the_truth(table):
    """The program says what it has, MiB by MiB; so the last word of one that was stopped is the truth."""
    result = table.eat("heap", "100m", mem="64m")
    used = stopped(result, "memory", LIMIT, 137)
    about(used, int(result["stdout"].split("\n")[-2]), 0.05)


@pytest.mark.quiet
@pytest.mark.parametrize("first", ["true", "sleep 1"])
def test_all_at_once(table, first):
    """Four times the limit as fast as it goes, also after a rest: a group stops it at the limit, who watches soon after."""
    result = box.started(box.run("sh", "-c", f"{first}; exec ./eat gulp 256m", cwd=table.project, options=["--mem", "64m"]))
    used = stopped(result, "memory", LIMIT, 137)
    assert used <= (LIMIT if holder(result, "memory") == "cgroup" else 2 * LIMIT), f"{used / MIB:.1f} MiB"


def test_addresses_are_not_memory(table):
    """Sixteen terabytes, as sanitizers reserve them, and little of it used."""
    result = finished(table.eat("reserve", "16384g", mem="64m"))
    assert result["usage"]["mem_peak"] < 32 * MIB


def test_lifted(table):
    """0 lifts it, whatever the profile says, and the result tells."""
    for profile in ("dev", "strict"):
        result = finished(table.eat("gulp", "600m", mem=0, profile=profile, timeout="10m"))  # a slow machine takes half a minute
        assert result["limits"]["memory"] is None
    assert finished(table.eat("nothing"))["limits"]["memory"]["value"] > 0


@pytest.mark.parametrize("how,code,signal,status", [("self", None, 9, 137), ("sibling", None, 9, 137), ("exit", 137, None, 137)])
def test_killed_is_not_out_of_memory(table, how, code, signal, status):
    result = table.eat("killed", how, mem="64m")
    assert result["status"] == "failed" and result["limit"] is None, result
    assert (result["exit_code"], result["signal"], result["aisbx_status"]) == (code, signal, status)


def test_killed_with_much_memory_is_not_out_of_memory(table):
    """Just below the limit, and then killed by somebody else."""
    result = box.started(box.run("sh", "-c", "./eat heap 56m & wait; kill -9 $$", cwd=table.project, options=["--mem", "64m"]))
    assert result["status"] == "failed" and result["signal"] == 9 and result["limit"] is None, result


def test_a_child_out_of_memory(table):
    """Whatever its parent makes of it: the run was short of memory, and says so."""
    result = table.eat("survivor", "100m", mem="64m")
    assert result["status"] == "limit" and result["limit"]["kind"] == "memory", result
    assert result["limit"]["value"] == LIMIT and result["aisbx_status"] == 137
    if "child" in result["stdout"]:
        assert "child 9\n" in result["stdout"]


def test_strict_has_a_limit_of_its_own(table):
    result = finished(table.eat("heap", "20m", profile="strict"))
    assert result["limits"]["memory"]["value"] == 512 * MIB


def test_too_little_is_refused(table):
    result = box.run("./eat", "nothing", cwd=table.project, options=["--mem", "1m"])
    assert result["aisbx_status"] == 125 and "4 MiB" in str(result), result
