# SPDX-License-Identifier: Apache-2.0
"""Many runs at once leave nothing: no process, mount, cgroup, namespace, descriptor or file."""
import gc
import json
import os
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor


import box
import pytest

AISBX = os.environ["AISBX"]
RUNS = int(os.environ.get("AISBX_LOAD_RUNS", "600" if os.environ.get("TIMEOUT_MULTIPLIER", "1") == "1" else "300"))
AT_ONCE = 16


def one(number):
    """A run of its own kind by its number: quiet, failing, killed at its deadline, interrupted."""
    kinds = (["--", "true"], ["--", "sh", "-c", "exit 3"], ["--profile", "strict", "--", "true"],
             ["--timeout", "30ms", "--", "sh", "-c", "sleep 60 & setsid sleep 60 & wait"])
    want = (0, 3, 0, 124)
    kind = number % len(kinds)
    got = subprocess.run([AISBX, "run", *kinds[kind]], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, check=False, timeout=120)
    return None if got.returncode == want[kind] else (kinds[kind], got.returncode, got.stdout)


@pytest.mark.big
def test_many_runs_leave_nothing(tmp_path):
    os.chdir(tmp_path)
    box.leaks_before()
    mounts = box.own_mounts(tmp_path)
    gc.collect()  # what other tests of this process left to it is closed now, not while we count
    mine = len(os.listdir("/proc/self/fd"))
    start = time.monotonic()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        wrong = [r for r in pool.map(one, range(RUNS)) if r]
    took = time.monotonic() - start
    print(f"{RUNS} runs, {AT_ONCE} at a time: {took:.1f} s, {RUNS / took:.0f} a second")
    assert not wrong, wrong[:3]
    box.nothing_is_left()
    assert box.own_mounts(tmp_path) <= mounts
    assert len(os.listdir("/proc/self/fd")) <= mine
    assert os.listdir(tmp_path) == []


if os.getuid() == 0:
    def test_a_group_whose_supervisor_is_gone_goes_wherever_it_is(tmp_path):
        """A login or container that is over leaves its groups where no later run is a member."""
        tree = next(p for p in ("/sys/fs/cgroup/memory", "/sys/fs/cgroup") if os.access(p + "/cgroup.procs", os.W_OK))
        parent = f"{tree}/over-{os.getpid()}"
        gone = subprocess.Popen(["true"])
        gone.wait()
        old, young = (f"{parent}/aisbx-{gone.pid}-{int(time.monotonic() * 1e9) - age * 10**9:x}" for age in (10, 0))
        alive = f"{parent}/aisbx-{os.getpid()}-1"
        for path in (parent, old, young, alive):
            os.mkdir(path)
        try:
            subprocess.run([AISBX, "gc"], cwd=tmp_path, stdout=subprocess.DEVNULL, check=True)
            assert [os.path.isdir(path) for path in (old, young, alive)] == [False, True, True]
        finally:
            for path in filter(os.path.isdir, (old, young, alive, parent)):
                os.rmdir(path)


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
