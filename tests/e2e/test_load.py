# SPDX-License-Identifier: Apache-2.0
"""Many runs at once leave nothing: no process, mount, cgroup, namespace, descriptor or file."""
import json
import os
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

AISBX = os.environ["AISBX"]
RUNS = int(os.environ.get("AISBX_LOAD_RUNS", "2000"))
AT_ONCE = 16


def leaks():
    out = subprocess.run([AISBX, "doctor", "--leaks", "--json"], stdout=subprocess.PIPE, check=False).stdout
    return json.loads(out)["leaks"]


def counts(found):
    return {key: found[key] for key in ("processes", "mounts", "cgroups", "namespaces", "files")}


def settle():
    """Nothing left. Root counts everybody's, and a box of somebody else may be dying just now: so, in the end."""
    deadline = time.monotonic() + 20
    while any(counts(leaks()).values()):
        assert time.monotonic() < deadline, leaks()


def one(number):
    """A run of its own kind by its number: quiet, failing, killed at its deadline, interrupted."""
    kinds = (["--", "true"], ["--", "sh", "-c", "exit 3"], ["--profile", "strict", "--", "true"],
             ["--timeout", "30ms", "--", "sh", "-c", "sleep 60 & setsid sleep 60 & wait"])
    want = (0, 3, 0, 124)
    kind = number % len(kinds)
    got = subprocess.run([AISBX, "run", *kinds[kind]], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, check=False, timeout=120)
    return None if got.returncode == want[kind] else (kinds[kind], got.returncode, got.stdout)


def test_many_runs_leave_nothing(tmp_path):
    os.chdir(tmp_path)
    settle()
    mine = len(os.listdir("/proc/self/fd"))
    start = time.monotonic()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        wrong = [r for r in pool.map(one, range(RUNS)) if r]
    took = time.monotonic() - start
    print(f"{RUNS} runs, {AT_ONCE} at a time: {took:.1f} s, {RUNS / took:.0f} a second")
    assert not wrong, wrong[:3]
    settle()
    assert len(os.listdir("/proc/self/fd")) == mine
    assert os.listdir(tmp_path) == []


def test_a_deadline_before_the_walls_are_up_still_holds(tmp_path):
    """Kills may come before pid 1 of the box is known; then it must die at birth."""
    marker = tmp_path / "ran"
    for tenths in range(0, 40):
        got = subprocess.run([AISBX, "run", "--json", "--timeout", f"{tenths / 10}ms" if tenths else "0.1ms", "--rw",
                              str(tmp_path), "--", "sh", "-c", f"sleep 0.2; touch {marker}"],
                             cwd=tmp_path, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=False, timeout=60)
        result = json.loads(got.stdout)
        assert (got.returncode, result["status"], result["limit"]["kind"]) == (124, "limit", "wall_time")
        assert result["isolation"]["level"] in ("none", "full")
    assert not marker.exists()
