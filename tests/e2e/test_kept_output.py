# SPDX-License-Identifier: Apache-2.0
"""The kept output of runs: read by `logs`, searched by `history --grep`, without secrets, within its room.

Every test has a state directory of its own. Runs as root and as an ordinary user.
"""
import base64
import concurrent.futures
import contextlib
import json
import os
import signal
import subprocess
import zlib

import pytest

import rpc
from box import aisbx, wait_until

HEAD = 32  # bytes of a file before its records
VALUE = "S3cr3t-Qx7v9Lm2Kp"


class Kept:
    """aisbx with a state directory of its own."""

    def __init__(self, root):
        self.project = root / "project"
        self.project.mkdir()
        self.config = root / "config" / "aisbx" / "profiles"
        self.config.mkdir(parents=True)
        self.output = root / "state" / "aisbx" / "output"
        self.env = {**os.environ, "XDG_STATE_HOME": str(root / "state"), "XDG_CONFIG_HOME": str(root / "config")}

    def said(self, *words, want=0, env=None):
        done = subprocess.run([aisbx(), *words], cwd=self.project, env={**self.env, **(env or {})}, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == want, f"{words}: {done.returncode}, {done.stdout} {done.stderr}"
        return done

    def run(self, script, *options, want=0, env=None):
        """The result of a run of a shell script, with its output."""
        return json.loads(self.said("run", "--json", *options, "--", "sh", "-c", script, want=want, env=env).stdout)

    def logs(self, run, *options):
        done = self.said("logs", run, *options)
        return done.stdout, done.stderr

    def grep(self, *words):
        return json.loads(self.said("history", "--json", "--grep", *words).stdout)["runs"]

    def files(self):
        """Names of runs to the bytes of their files."""
        found = {}
        for path in self.output.glob("*/r-*"):
            with contextlib.suppress(FileNotFoundError):  # swept just now
                found[path.name] = path.read_bytes()
        return found

    def texts(self):
        """The same, unpacked."""
        return {n: zlib.decompress(b[HEAD:]) if b[24] else b[HEAD:] for n, b in self.files().items()}

    def profile(self, name, text):
        (self.config / f"{name}.yaml").write_text(text)
        return ("--profile", name)


@pytest.fixture(name="kept")
def fixture_kept(tmp_path):
    return Kept(tmp_path)


def test_logs_of_a_run_that_has_ended(kept):
    run = kept.run("echo out; echo err >&2; exit 3", want=3)["run"]
    assert kept.logs(run) == ("out\n", "err\n")
    stamped, _ = kept.logs(run, "--timestamps")
    assert stamped.startswith("20") and stamped.endswith("Z out\n")
    lines = [json.loads(line) for line in kept.said("logs", run, "--json").stdout.splitlines()]
    assert lines[-1] == {"run": run, "complete": True}
    assert {(r["stream"], r["data"]) for r in lines[:-1]} == {("stdout", "out\n"), ("stderr", "err\n")}
    assert kept.logs(run[:6], "--follow")[0] == "out\n"
    silent = kept.run("true")["run"]
    assert "wrote nothing" in kept.said("logs", silent, want=125).stderr
    assert list(kept.files()) == [run]
    assert all(p.stat().st_mode & 0o077 == 0 for p in [kept.output, *kept.output.rglob("*")])


def test_grep_finds_runs_by_their_output(kept):
    first = kept.run("echo one needle; echo two; printf 'nee'; printf 'dle three\\n'")["run"]
    second = kept.run("echo '\033[31mneedle\033[0m' >&2; exit 1", want=1)["run"]
    kept.run("echo nothing")
    assert [(r["run"], [x["text"] for x in r["lines"]]) for r in kept.grep("needle")] == [
        (second, ["\033[31mneedle\033[0m"]), (first, ["one needle", "needle three"])]
    assert [r["run"] for r in kept.grep("needle", "--status", "failed")] == [second]
    assert [r["run"] for r in kept.grep("needle", "--match", "printf")] == [first]
    assert [r["run"] for r in kept.grep("needle", "--limit", "1")] == [second]
    assert kept.grep("n.edle") == [] and kept.grep("NEEDLE") == []
    shown = kept.said("history", "--grep", "needle").stdout
    assert "    one needle\n" in shown and "\033[31m" not in shown.replace("\033[31mfailed", "")
    assert "one line" in kept.said("history", "--grep", "", want=125).stderr


@pytest.mark.parametrize("packed", [False, True])
def test_no_secret_is_kept_however_it_is_split(kept, packed):
    """A secret in pieces with other output between reads, encoded, on both streams."""
    halves = f"printf '{VALUE[:7]}'; sleep 0.05; printf '{VALUE[7:]}\\n'"
    script = (f"{halves}; {halves} >&2; printf '{VALUE}' | base64; printf '{VALUE}' | od -An -tx1; seq 1 3000;"
              "python3 -c 'import sys; [sys.stdout.write(c) or sys.stdout.flush() for c in sys.argv[1]]' \"$KEY\" || echo $KEY")
    result = kept.run(script, "--secret", "KEY=env:SOURCE,as=env", env={"SOURCE": VALUE})
    if packed:
        kept.said("gc")
        assert all(b[24] == 1 for b in kept.files().values())
    text = b"".join(kept.texts().values())
    assert VALUE not in result["stdout"] and b"[secret KEY]" in text
    for piece in (VALUE.encode(), VALUE[:12].encode(), base64.b64encode(VALUE.encode())[:16], VALUE.encode().hex(" ").encode()[:30]):
        assert piece not in text
    assert kept.grep(VALUE) == [] and len(kept.grep("[secret KEY]")) == 1


def test_of_much_output_beginning_and_end_are_kept(kept):
    result = subprocess.run([aisbx(), "run", "--", "seq", "1", "2000000"], cwd=kept.project, env=kept.env, stdout=subprocess.DEVNULL, check=False)
    assert result.returncode == 0
    [found] = kept.grep("1999999")
    out, _ = kept.logs(found["run"])
    assert out.startswith("1\n2\n3\n") and out.endswith("\n1999999\n2000000\n") and len(out) < 9 << 20
    [cut] = [line for line in out.splitlines() if "bytes cut here" in line]
    assert len(out) + int(cut.split()[1]) - len(cut) - 2 == sum(len(str(n)) + 1 for n in range(1, 2000001))
    wait_until(lambda: all(b[24] for b in kept.files().values()), what="packing")
    assert sum(len(b) for b in kept.files().values()) < 4 << 20
    assert kept.logs(found["run"])[0] == out


def test_the_oldest_goes_first(kept):
    options = kept.profile("small", "keep-output: 256k\n")
    runs = [kept.run(f"head -c 60000 /dev/urandom | base64; echo number {i}", *options)["run"] for i in range(8)]
    wait_until(lambda: sum(len(b) for b in kept.files().values()) <= 256 << 10, what="room")
    left = [r for r in runs if r in kept.files()]
    assert left and left == runs[-len(left):] and runs[0] not in left
    assert "newer output took its place" in kept.said("logs", runs[0], want=125).stderr
    assert kept.grep("number 7")[0]["run"] == runs[-1]


def test_room_when_many_end_at_once(kept):
    """Who makes room already is not waited for; what ends meanwhile is swept all the same."""
    options = kept.profile("small", "keep-output: 128k\n")
    for _ in range(3):
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda _: kept.run("head -c 24000 /dev/urandom | base64", *options), range(16)))
        wait_until(lambda: sum(len(b) for b in kept.files().values()) <= 128 << 10, what="room")


def test_none_is_kept_when_the_profile_says_so(kept):
    run = kept.run("echo hello", *kept.profile("off", "keep-output: 0\n"))["run"]
    assert not kept.output.exists() and kept.grep("hello") == []
    assert "keep-output" in kept.said("logs", run, want=125).stderr


def test_output_that_cannot_be_kept_is_told(kept):
    kept.run("true")
    kept.output.write_text("not a directory")
    result = kept.run("echo hello")
    assert result["status"] == "ok" and result["stdout"] == "hello\n" and "output" in result["log_error"]
    assert "log_error" not in kept.run("true")


def test_detached_runs_and_terminals(kept):
    name = kept.said("run", "--detach", "--", "sh", "-c", "echo from afar").stdout.strip()
    run = json.loads(kept.said("wait", "--json", name).stdout)["run"]
    assert [r["run"] for r in kept.grep("from afar")] == [run]
    for path in (kept.output.parent / "runs" / run).iterdir():
        path.unlink()
    (kept.output.parent / "runs" / run).rmdir()
    assert kept.logs(run)[0] == kept.logs(name)[0] == "from afar\n"
    kept.said("run", "--tty", "--", "echo", "at a terminal")
    assert [x["text"] for r in kept.grep("at a terminal") for x in r["lines"]] == ["at a terminal"]


def test_a_session_finds_only_its_own(kept):
    own = {}
    for owner in ("anne", "bob"):
        with rpc.Rpc(cwd=kept.project, env=kept.env) as r:
            r.call("rpc.hello", owner=owner)
            own[owner] = r.call("run.exec", command=["echo", f"needle of {owner}"])["run"]
    for owner, other in (("anne", "bob"), ("bob", "anne")):
        with rpc.Rpc(cwd=kept.project, env=kept.env) as r:
            r.call("rpc.hello", owner=owner)
            assert [x["run"] for x in r.call("run.history", grep="needle of")["runs"]] == [own[owner]]
            assert r.call("run.logs", run=own[owner])["complete"]
            with pytest.raises(AssertionError, match="no run"):
                r.call("run.logs", run=own[other])
    assert {r["run"] for r in kept.grep("needle of")} == set(own.values())


def test_who_is_killed_leaves_nothing_broken(kept):
    good = kept.run("echo needle")["run"]
    child = subprocess.Popen([aisbx(), "run", "--", "sh", "-c", "echo needle; sleep 60"], cwd=kept.project, env=kept.env, stdout=subprocess.PIPE)
    assert child.stdout.readline() == b"needle\n"
    child.send_signal(signal.SIGKILL)
    child.wait()
    child.stdout.close()
    [directory] = kept.output.iterdir()
    (directory / "r-0123456789abcdef").write_bytes(b"aisbxo1\0" + b"\xff" * 40)  # torn
    assert [r["run"] for r in kept.grep("needle")] == [good]
    kept.said("gc")
    assert kept.logs(good)[0] == "needle\n"
