# SPDX-License-Identifier: Apache-2.0
"""Attacks 108 to 110, 113 and 114: who eats all there is hurts nobody but his own box.

While an attack goes on, a neighbour's box has to keep running, and a probe on the host starts a program and writes a small file
every 10 ms. How long that takes is printed, without the attack and with it.
"""
import os
import subprocess
import threading
import time

import box
import pace
import eat
import pytest
from eat import MIB

pytestmark = pytest.mark.quiet

# Of the 99th of a hundred probes, on a machine of two processors: a person would not notice much more.
WORST_MS = 500 * eat.SLOW
# A neighbour that prints every 20 ms may be held up this long.
SILENCE_S = 3 * eat.SLOW


class Probe:
    """Starts /bin/true and writes a file, again and again, as anything on the host would."""

    def __init__(self, directory):
        self.path = os.path.join(directory, "probe-file")
        self.times, self.running = [], True
        self.thread = threading.Thread(target=self.go)

    def go(self):
        while self.running:
            begin = time.monotonic()
            os.waitpid(os.posix_spawn("/bin/true", ["true"], {}), 0)
            with open(self.path, "wb") as f:
                f.write(b"x" * 4096)
            self.times.append((time.monotonic() - begin) * 1000)
            time.sleep(0.01)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *unused):
        self.running = False
        self.thread.join()

    def part(self, part):
        return sorted(self.times)[int(len(self.times) * part)]


class Neighbour:
    """A box that counts aloud."""

    def __init__(self, project):
        self.child = subprocess.Popen(
            box.command("sh", "-c", "i=0; while :; do i=$((i+1)); echo $i; sleep 0.02; done", json_output=False,
                        profile="strict", options=["--timeout", "100s"]),
            cwd=project, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        assert self.child.stdout.readline() == b"1\n"
        self.last, self.seen, self.silence = time.monotonic(), 1, 0.0
        self.thread = threading.Thread(target=self.listen)
        self.thread.start()

    def listen(self):
        for line in self.child.stdout:
            now = time.monotonic()
            self.silence = max(self.silence, now - self.last)
            self.last, self.seen = now, int(line)

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.child.terminate()
        self.child.wait(50)
        self.thread.join()
        self.child.stdout.close()


@pytest.fixture
def besieged(place, tell, request):
    """Runs an attack with a neighbour and a host beside it, which have to bear it."""
    eat.program(place.project)
    (place.root / "neighbour").mkdir()

    def attack(*words, profile="dev", options=()):
        with Probe(place.root) as calm:
            time.sleep(0.5)  # what the machine is like without
        slow = pace.slowness()
        with Neighbour(place.root / "neighbour") as neighbour, Probe(place.root) as probe:
            result = box.started(box.run(*words, cwd=place.project, profile=profile, options=options, timeout=100))
            before = max(neighbour.seen, 5)
            box.wait_until(lambda: neighbour.seen > before, 3, "a word of the neighbour")
            assert neighbour.child.poll() is None
        tell(f"{request.node.name} as {box.WHO}: {result['status']} {(result['limit'] or {}).get('kind', '')} after "
             f"{result['usage']['wall_ms']:.0f} ms; host p50/p99 {calm.part(0.5):.1f}/{calm.part(0.99):.1f} ms without, "
             f"{probe.part(0.5):.1f}/{probe.part(0.99):.1f} ms with; neighbour silent for {neighbour.silence * 1000:.0f} ms")
        assert len(probe.times) > 1 and probe.part(0.99) < WORST_MS * slow
        assert neighbour.silence < SILENCE_S * slow
        return result

    return attack


def bare_ms(directory):
    """How long the kernel takes for the end of a bare namespace with 256 busy processes, on this machine and just now."""
    words = ["unshare", "-pf" if box.IS_ROOT else "-Urpf", "--kill-child", f"{directory}/eat", "busy", "100000", "256"]
    child = subprocess.Popen(words, cwd=directory, stdout=subprocess.DEVNULL, start_new_session=True)
    mark = "\0".join(words[-4:])
    try:
        box.wait_until(lambda: len(box.processes_with(mark)) > 200, what="256 processes")
    finally:
        child.kill()
    began = time.monotonic()
    child.wait()
    box.wait_until(lambda: not box.processes_with(mark), 90, what="their end")
    return (time.monotonic() - began) * 1000


def in_time(result, place):
    """A second after its time all of it is gone; where the machine is too busy for that, sooner than from a bare namespace."""
    assert result["status"] == "limit" and result["limit"]["kind"] == "wall_time"
    late = result["limit"]["used"] - 2000
    assert 0 <= late
    if late >= 1000 * eat.SLOW:
        bare = bare_ms(place.project)
        assert late < bare, f"{late} ms late, a bare namespace {bare:.0f} ms"


@pytest.mark.parametrize("profile", box.PROFILES)
def test_108_fork_bomb(besieged, place, profile):
    result = besieged("./eat", "bomb", profile=profile, options=["--timeout", "2s"])
    in_time(result, place)
    assert result["usage"]["pids_peak"] <= result["limits"]["processes"]["value"]
    assert result["usage"]["pids_peak"] >= 60, "the control: it went off"


def test_108_sessions(besieged, place):
    """The kernel shares processors out among sessions where it cannot do so among groups: there, as few as are allowed."""
    eat.program(place.project)
    result = box.started(box.run("./eat", "nothing", cwd=place.project))
    pids = "4096" if eat.holder(result, "processes") == "cgroup" else "64"
    result = besieged("./eat", "swarm", options=["--timeout", "2s", "--pids", pids])
    in_time(result, place)
    assert result["usage"]["pids_peak"] >= 60, "the control: it went off"


# Each takes far more than the limit, as fast as it can.
HUNGRY = {
    "heap": ["heap", "4096m"],
    "many_processes": ["each", "100", "40m"],
    "tmpfs": ["write", "/tmp/f", "4000m"],
    "shared_memory": ["write", "/dev/shm/f", "4000m"],
    "memfd": ["memfd", "400", "10m", "open"],
    "sysv": ["sysv", "400", "10m"],
    "shared_mapping": ["shared", "3", "4096m"],
}


@pytest.mark.parametrize("way", HUNGRY)
def test_109_memory(besieged, way):
    result = besieged("./eat", *HUNGRY[way], options=["--mem", "128m", "--timeout", "30s"])
    assert result["status"] == "limit" and result["limit"]["kind"] == "memory", result
    # Without a group: what two processors can take between two looks on a busy machine.
    most = 128 * MIB if eat.holder(result, "memory") == "cgroup" else 1024 * MIB
    assert result["limit"]["used"] <= most, f"{result['limit']['used'] / MIB:.0f} MiB"


def test_109_control(besieged):
    """The same in a box that may have it: the limit was what ended the others."""
    result = besieged("./eat", "memfd", "30", "10m", "open", options=["--mem", "1g"])
    assert result["status"] == "ok" and result["usage"]["mem_peak"] >= 280 * MIB


def test_109_page_cache(besieged, place):
    """Files that were read: the kernel takes the pages back before anybody goes without."""
    with open(place.project / "big", "wb") as f:
        f.truncate(1024 * MIB)
    result = besieged("sh", "-c", "cat big big | wc -c", options=["--mem", "128m", "--timeout", "60s"])
    assert result["status"] == "ok" and result["stdout"] == f"{2048 * MIB}\n", result


@pytest.mark.parametrize("what", ["pipes", "sockets"])
def test_109_buffers(besieged, what):
    """Of the kernel, filled and left. A group counts them; without one there are only so many descriptors."""
    result = besieged("./eat", what, "2000", options=["--mem", "64m", "--files", "1024", "--timeout", "30s"])
    if result["status"] == "limit":
        assert result["limit"]["kind"] == "memory" and result["limit"]["used"] <= 64 * MIB
    else:
        assert "stopped 510 EMFILE" in result["stdout"]
        assert int(result["stdout"].split("held ")[1].split()[0]) <= 512 * MIB


def test_110_disk(besieged):
    result = besieged("./eat", "write", "f", "4000m", options=["--disk", "256m", "--timeout", "30s"])
    assert result["status"] == "limit" and result["limit"]["kind"] == "disk", result


def test_110_inodes(besieged):
    result = besieged("./eat", "inodes", ".", "1000000", options=["--inodes", "20000", "--timeout", "30s"])
    assert result["status"] == "limit" and result["limit"]["kind"] == "inodes", result
    assert result["limit"]["used"] == 20000


@pytest.mark.parametrize("profile", box.PROFILES)
def test_113_descriptors(besieged, profile):
    """All that fifty processes can get; the host still opens files, for the probe does."""
    result = besieged("./eat", "hoard", "50", profile=profile, options=["--files", "1024", "--timeout", "30s"])
    assert result["status"] == "ok", result


@pytest.mark.parametrize("size", [64, 1500, 1990])
def test_114_arguments(place, size):
    """KiB of arguments: they arrive, or a clean error says why not."""
    words = ["x" * 65535] * (size // 64)
    try:
        result = box.run("sh", "-c", 'echo $#', "sh", *words, cwd=place.project, env={"PATH": os.environ["PATH"]})
    except OSError as err:  # the host's own limit, before aisbx is even there
        assert err.errno == 7 and size > 1900
        return
    if result["status"] == "ok":
        assert result["stdout"] == f"{len(words)}\n"
    else:
        assert result["status"] == "error" and result["aisbx_status"] in (125, 126), result
        assert "too long" in str(result["error"]) or "larger" in str(result["error"]), result


def test_114_from_inside(place):
    """Two megabytes of arguments in a box are refused as anywhere."""
    script = 'x=$(head -c 100000 /dev/zero | tr "\\0" x); /bin/echo $(for i in $(seq 30); do echo $x; done) | wc -c'
    result = box.started(box.run("bash", "-c", script, cwd=place.project))
    assert "too long" in result["stderr"] and result["stdout"] == "0\n", result
