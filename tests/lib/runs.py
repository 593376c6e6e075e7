# SPDX-License-Identifier: Apache-2.0
"""Runs of a test in a state directory of its own: started, detached, seen, waited for."""
import json
import os
import subprocess

from box import aisbx, wait_until


class State:
    """A state directory of its own, and everything that is started in it."""

    def __init__(self, root):
        self.project = root / "project"
        self.project.mkdir()
        self.state = root / "state" / "aisbx"
        (root / "home").mkdir()
        self.env = {**os.environ, "XDG_STATE_HOME": str(self.state.parent), "HOME": str(root / "home")}
        self.started = []

    def start(self, *words, **popen):
        p = subprocess.Popen([aisbx(), *map(os.fspath, words)], cwd=self.project, env=self.env,
                             **{"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE,
                                **popen})
        self.started.append(p)
        return p

    def call(self, *words, data=None, timeout=60, **popen):
        """(exit status, stdout, stderr)"""
        if data is not None:
            popen["stdin"] = subprocess.PIPE
        p = self.start(*words, **popen)
        out, err = p.communicate(data, timeout=timeout)
        return p.returncode, out, err

    def ok(self, op, *words, **kw):
        status, out, err = self.call(*op.split(), "--json", *words, **kw)
        assert status == 0, f"{op} {words}: {status}, {out[:500]!r}, {err[:500]!r}"
        return json.loads(out.splitlines()[-1])

    def refused(self, code, op, *words, **kw):
        status, out, err = self.call(*op.split(), "--json", *words, **kw)
        assert status == 125, f"{op} {words} was not refused: {status}, {out[:500]!r}, {err[:500]!r}"
        error = json.loads(out)["error"]
        assert error.get("code") == code, error
        return error["text"]

    def detach(self, *words, options=()):
        """Id of a detached run."""
        status, out, err = self.call("run", "--detach", "--json", *options, "--", *words)
        assert status == 0 and err == b"", (status, out, err)
        return json.loads(out)["run"]

    def sh(self, script, options=()):
        return self.detach("sh", "-c", script, options=options)

    def logs(self, run, *options):
        status, out, err = self.call("logs", *options, run)
        assert status == 0, (status, out[-500:], err[-500:])
        return out

    def wait(self, run, *options):
        """(exit status, result)"""
        status, out, err = self.call("wait", "--json", *options, run)
        assert out, err
        return status, json.loads(out)

    def ps(self):
        return {r["run"]: r for r in self.ok("ps", "--all")["runs"]}

    def history(self, run):
        return self.ok("history", run)["runs"][0]

    def until(self, run, text):
        wait_until(lambda: text in self.logs(run), 30, f"{text!r} in the log")

    def supervisor(self, run):
        return self.ps()[run]["pid"]

    def finish(self):
        for run in self.ps():
            self.call("kill", run)
        for p in self.started:
            if p.poll() is None:
                p.kill()
            p.wait()
            for f in (p.stdin, p.stdout, p.stderr):
                if f:
                    f.close()
