# SPDX-License-Identifier: Apache-2.0
"""A project with stages, and aisbx on it, for the tests of pipelines."""
import json
import os
import pathlib
import subprocess

GIT = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_NAME": "Host", "GIT_AUTHOR_EMAIL": "host@example.org",
       "GIT_COMMITTER_NAME": "Host", "GIT_COMMITTER_EMAIL": "host@example.org", "PATH": os.environ["PATH"]}


def tree(top):
    """Every path below TOP with its mode and content, but for repositories and what promotions keep."""
    found = {}
    for here, dirs, files in os.walk(top):
        dirs[:] = sorted(d for d in dirs if d not in (".git", ".aisbx"))
        for name in dirs + files:
            path = pathlib.Path(here, name)
            body = os.readlink(path) if path.is_symlink() else None if path.is_dir() else path.read_bytes()
            found[str(path.relative_to(top))] = (path.lstat().st_mode, body)
    return found


class Place:
    """TOP/project with its box 'b', TOP/staging and TOP/live beside it, a state and a home of its own."""

    def __init__(self, top):
        self.top = pathlib.Path(top)
        self.project, self.staging, self.live = self.top / "project", self.top / "staging", self.top / "live"
        for name in ("project", "staging", "live", "home", "state"):
            (self.top / name).mkdir(exist_ok=True)
        (self.top / "home" / ".gitconfig").write_text("[user]\n\tname = Ann\n\temail = ann@example.org\n")
        self.env = {"HOME": str(self.top / "home"), "PATH": os.environ["PATH"], "XDG_STATE_HOME": str(self.top / "state"),
                    "LOGNAME": "ann", "LC_ALL": "C.UTF-8"}

    def write(self, stages, **files):
        """aisbx.yaml and FILES, in the project and the same in staging."""
        for where in (self.project, self.staging):
            for name, text in {**files, "aisbx.yaml": stages}.items():
                (where / name.replace("__", ".")).write_text(text)

    def call(self, *words, under=(), env=None, cwd=None):
        """(status, items, result) of `aisbx WORDS --json`; words after "--" stay last."""
        words = [str(w) for w in words]
        at = words.index("--") if "--" in words else len(words)
        done = subprocess.run([*under, os.environ["AISBX"], *words[:at], "--json", *words[at:]], cwd=cwd or self.project,
                              env={**self.env, **(env or {})}, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120,
                              check=False)
        lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        return done.returncode, lines[:-1], lines[-1] if lines else {"said": done.stderr}

    def ok(self, *words, status=0, **how):
        got, _, result = self.call(*words, **how)
        assert got == status, (words, got, result)
        return result

    def refused(self, *words, **how):
        got, _, result = self.call(*words, **how)
        assert got == 125 and result["status"] == "error", (got, result)
        return result["error"]["text"]

    def sh(self, script, box="b"):
        return self.ok("run", "--box", box, "--", "sh", "-ec", script)["stdout"]

    def box(self, script, name="b"):
        self.ok("create", name)
        self.sh(script, name)

    def git(self, *words):
        return subprocess.run(["git", *words], cwd=self.project, env=GIT, capture_output=True, text=True, check=True, timeout=60).stdout

    def repository(self):
        self.git("init", "-q", "-b", "main")
        self.git("add", "-A")
        self.git("commit", "-qm", "first")


def states(result):
    return [s["state"] for s in result["stages"]]
