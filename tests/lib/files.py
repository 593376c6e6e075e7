# SPDX-License-Identifier: Apache-2.0
"""A box of its own state directory and project, for tests of what is done to its files."""
import contextlib
import json
import os
import signal
import subprocess

from box import aisbx, processes_with, wait_until


def parent(pid):
    """None: it is gone, or only its status is left."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as f:
            state, above = f.read().rpartition(")")[2].split()[:2]
            return None if state in "ZX" else above
    except OSError:
        return None


def named(pid, name):
    try:
        with open(f"/proc/{pid}/comm", encoding="utf-8", errors="replace") as f:
            return f.read() == name + "\n"
    except OSError:
        return False


def at_work(p):
    """The program in the box that aisbx, process P, started has begun."""
    return any(named(pid, "aisbx-file") and parent(parent(pid)) == str(p.pid) for pid in os.listdir("/proc") if pid.isdigit())


class FileBox:
    def __init__(self, root, profile="dev", *options):
        self.project, self.state, self.home = root / "project", root / "state", root / "home"
        self.project.mkdir(exist_ok=True)
        self.home.mkdir()
        self.env = {**os.environ, "XDG_STATE_HOME": str(self.state), "HOME": str(self.home)}
        self.started = []
        self.ok("create", "b", "--profile", profile, *options)

    def start(self, op, *words, **popen):
        p = subprocess.Popen([aisbx(), *op.split(), "--json", *map(os.fspath, words)], cwd=self.project, env=self.env,
                             **{"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **popen})
        self.started.append(p)
        return p

    def close(self):
        """Ends what a test that failed left behind."""
        for p in self.started:
            if p.poll() is None:
                p.kill()
                p.wait()

    def call(self, op, *words, data=None, timeout=60):
        p = self.start(op, *words, **({"stdin": subprocess.PIPE} if data is not None else {}))
        out, err = p.communicate(data, timeout=timeout)
        try:
            return p.returncode, json.loads(out)
        except ValueError:
            raise AssertionError(f"{op} {words}: no JSON but {out[:500]!r}, {err[:500]!r}") from None

    def ok(self, op, *words, **kw):
        status, result = self.call(op, *words, **kw)
        assert status == 0, f"{op} {words}: {status}, {result}"
        return result

    def refused(self, code, op, *words, **kw):
        status, result = self.call(op, *words, **kw)
        assert status == 125 and result["status"] == "error", f"{op} {words} was not refused: {status}, {result}"
        assert result["error"]["code"] == code, result
        return result["error"]["text"]

    def run(self, *words, options=()):
        status, result = self.call("run", "--box", "b", *options, "--", *words)
        assert "isolation" in result, result
        return result

    def sh(self, script, **kw):
        result = self.run("sh", "-c", script, **kw)
        assert result["status"] == "ok", result
        return result["stdout"]

    def processes(self):
        """Of aisbx, that have to do with this box."""
        return [pid for pid in processes_with("aisbx") if self.is_ours(pid)]

    def slay(self, p):
        """kill -9, and the box it was in is gone when this returns: until then its mounts would be there twice."""
        p.send_signal(signal.SIGSTOP)  # so that the list is whole
        family = [pid for pid in os.listdir("/proc") if pid.isdigit() and parent(pid) == str(p.pid)]
        p.kill()
        p.wait()
        wait_until(lambda: not any(parent(pid) for pid in family), 30, "the end of the box")

    def is_ours(self, pid):
        try:
            with open(f"/proc/{pid}/environ", "rb") as f:
                return b"XDG_STATE_HOME=" + os.fsencode(self.state) in f.read()
        except OSError:
            return False

    @contextlib.contextmanager
    def live(self, script="", options=()):
        """While a command runs in the box: SCRIPT, and then it waits for the end of its input."""
        p = self.start("run", "--box", "b", *options, "--", "sh", "-c", f"{script}\necho up >&2; exec cat",
                       stdin=subprocess.PIPE)
        # With --json output is kept for the result: that it is up is told by the list of runs.
        while not self.ok("ps", "--all")["runs"]:
            assert p.poll() is None, p.communicate()
        try:
            yield p
        finally:
            if p.stdin and not p.stdin.closed:
                p.communicate(timeout=50)
