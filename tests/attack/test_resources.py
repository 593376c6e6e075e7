# SPDX-License-Identifier: Apache-2.0
"""Attacks 111 and 112: floods of output, and processes that will not die."""
import contextlib
import json
import os
import signal
import subprocess
import sys
import time
import uuid

import box
import pace
import pytest

MIB = 1 << 20
GB = 1_000_000_000


def mark(cut):
    """What stands where output is missing."""
    return f"\n[aisbx: {cut} bytes cut here]\n" if cut > 0 else ""


# What the parent held when it forked counts as the child's: so a small one.
MEASURE = """import os, sys
_, status, usage = os.wait4(os.posix_spawnp(sys.argv[2], sys.argv[2:], os.environ), 0)
open(sys.argv[1], "w").write(str(usage.ru_maxrss))
sys.exit(os.waitstatus_to_exitcode(status))
"""


def flood(place, profile, words, json_output, options=()):
    """Runs to the end with output to a file; returns (peak memory of aisbx and its box, size, text of stderr)."""
    out, err = place.root / "out", place.root / "err"
    with open(out, "wb") as o, open(err, "wb") as e:
        done = subprocess.run([sys.executable, "-c", MEASURE, str(place.root / "peak"),
                               *box.command("./probe", "111", *words, profile=profile, options=options, json_output=json_output)],
                              cwd=place.project, stdin=subprocess.DEVNULL, stdout=o, stderr=e, check=False)
    assert done.returncode == 0
    return int((place.root / "peak").read_text()) * 1024, out, err.read_text()


@pytest.mark.parametrize("profile,limit", [("dev", 256 * MIB), ("strict", 16 * MIB)])
@pytest.mark.parametrize("words", [[GB], [100 * MIB, "line"]], ids=["1GB", "one_line"])
def test_111_output_streamed(place, profile, limit, words):
    """To a terminal or a file nothing is kept: memory stays small, and what is cut off is said."""
    with box.Watch(place.canary, place.project):
        peak, out, said = flood(place, profile, words, json_output=False)
    assert peak < 150 * MIB
    assert out.stat().st_size == min(words[0], limit) + len(mark(words[0] - limit))
    assert ("cut off" in said) == (words[0] > limit)


@pytest.mark.parametrize("profile", box.PROFILES)
@pytest.mark.parametrize("words", [[GB], [100 * MIB, "line"]], ids=["1GB", "one_line"])
def test_111_output_kept(place, profile, words):
    """As JSON the output is held, up to its limit; the rest is counted."""
    with box.Watch(place.canary, place.project):
        peak, out, _ = flood(place, profile, words, json_output=True, options=["--output", "4m"])
    result = json.loads(out.read_bytes())
    said = mark(words[0] - 4 * MIB)
    assert len(result["stdout"]) == 4 * MIB + len(said) and result["stdout"].count(said) == 1
    assert result["stdout"].index(said) == 4 * MIB - 65536, "the last 64 KiB are kept, too"
    assert result["truncated"] == {"stdout": words[0] - 4 * MIB, "stderr": 0}
    assert peak < 150 * MIB


def test_111_control_no_limit(place):
    """With a limit above the flood nothing is cut: the limit was what cut it."""
    _, out, _ = flood(place, "strict", [20 * MIB], json_output=True, options=["--output", "64m"])
    result = json.loads(out.read_bytes())
    assert len(result["stdout"]) == 20 * MIB and result["truncated"]["stdout"] == 0


@pytest.mark.quiet
def test_extra_binary_output_is_told_in_time(place):
    """Bytes that JSON must escape do not hold the caller for long past the deadline (32 of dev's 256 MiB here)."""
    took = []
    for _ in range(3):  # what others do on the machine only adds to it
        begin = time.monotonic()
        with open(place.root / "out", "wb") as out:
            subprocess.run(box.command("head", "-c", str(32 * MIB), "/dev/zero"), cwd=place.project, stdout=out,
                           stdin=subprocess.DEVNULL, check=True, timeout=100)
        took.append(time.monotonic() - begin)
    assert min(took) < pace.seconds(5), f"{took} s for 32 MiB of zeros"


def gone_within(marker, seconds):
    box.wait_until(lambda: not box.processes_with(marker), max(0.01, seconds), "the end of all processes")


@pytest.mark.quiet
@pytest.mark.parametrize("profile", box.PROFILES)
def test_112_nothing_outlives_the_deadline(place, profile):
    """Double fork, a session of its own, SIGSTOP and ignored signals: all dead a second after the deadline."""
    marker = uuid.uuid4().hex
    begin = time.monotonic()
    with box.Watch(place.root):
        result = box.run("./probe", "112", marker, cwd=place.project, profile=profile, options=["--timeout", "700ms"])
    gone_within(marker, begin + 1.7 - time.monotonic())
    assert result["stdout"] == "started\n"
    assert result["status"] == "limit" and result["aisbx_status"] == 124
    assert result["limit"]["kind"] == "wall_time" and result["limit"]["value"] == 700
    assert 700 <= result["limit"]["used"] < 700 + pace.seconds(1000)


@pytest.mark.quiet
@pytest.mark.parametrize("profile", box.PROFILES)
def test_112_nothing_outlives_the_command(place, profile):
    marker = uuid.uuid4().hex
    result = box.started(box.run("./probe", "112", marker, "leave", cwd=place.project, profile=profile))
    assert result["status"] == "ok" and result["stdout"] == "started\n"
    gone_within(marker, 1)


@pytest.mark.quiet
@pytest.mark.parametrize("profile", box.PROFILES)
@pytest.mark.parametrize("how", ["kill", "stop_then_kill", "asked_twice"])
def test_112_nothing_outlives_the_supervisor(place, profile, how):
    marker = uuid.uuid4().hex
    child = subprocess.Popen(box.command("./probe", "112", marker, profile=profile, json_output=False),
                             cwd=place.project, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL)
    try:
        assert child.stdout.readline() == b"started\n"
        assert len(box.processes_with(marker)) >= 4
        if how == "asked_twice":
            child.send_signal(signal.SIGTERM)  # passed on to the command, which ignores it
            child.send_signal(signal.SIGINT)   # asked twice: aisbx loses its patience
        elif how == "stop_then_kill":
            child.send_signal(signal.SIGSTOP)
            child.send_signal(signal.SIGKILL)
        else:
            child.kill()
        child.wait(50)
        gone_within(marker, 1)
    finally:
        child.kill()
        child.wait()
        child.stdout.close()


@pytest.mark.quiet
def test_112_a_stopped_supervisor_does_not_save_the_box(place):
    """The box's own pid 1 knows the deadline as well."""
    marker = uuid.uuid4().hex
    child = subprocess.Popen(box.command("./probe", "112", marker, options=["--timeout", "1s"], json_output=False),
                             cwd=place.project, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
    try:
        assert child.stdout.readline() == b"started\n"
        child.send_signal(signal.SIGSTOP)
        # The supervisor's own command line holds the marker too.
        box.wait_until(lambda: box.processes_with(marker) == [child.pid], 3, "the box's end")
    finally:
        child.kill()
        child.wait()
        child.stdout.close()


def test_112_control(place):
    """Outside, under timeout(1), the same program leaves processes behind."""
    marker = uuid.uuid4().hex
    try:
        subprocess.run(["timeout", "-s", "KILL", "1", "./probe", "112", marker], cwd=place.project,
                       stdout=subprocess.DEVNULL, check=False)
        assert len(box.processes_with(marker)) >= 2  # timeout reaches its own process group, not a new session
    finally:
        for pid in box.processes_with(marker):
            with contextlib.suppress(ProcessLookupError):  # one may end between the look and the kill
                os.kill(pid, signal.SIGKILL)
    gone_within(marker, 5)
