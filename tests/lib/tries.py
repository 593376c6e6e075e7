# SPDX-License-Identifier: Apache-2.0
"""What tests of experiments share: a project, a state directory of its own, and `aisbx try` with all that it says."""
import json
import os
import subprocess

import box


class Tries:
    def __init__(self, root):
        self.root = root
        for name in ("project", "home", "state"):
            (root / name).mkdir()
        self.project = root / "project"
        self.items = []

    @property
    def env(self):
        return {"HOME": str(self.root / "home"), "PATH": os.environ["PATH"], "XDG_STATE_HOME": str(self.root / "state")}

    def words(self, *words):
        """--json goes before the first '--'."""
        words = [str(w) for w in words]
        at = words.index("--") if "--" in words else len(words)
        return [box.aisbx(), *words[:at], "--json", *words[at:]]

    def call(self, *words, check=True, timeout=300):
        """The result; what came before it is in `items`."""
        done = subprocess.run(self.words(*words), cwd=self.project, env=self.env, stdin=subprocess.DEVNULL, capture_output=True, timeout=timeout,
                              check=False)
        assert done.stdout, done.stderr
        *items, last = done.stdout.splitlines()
        self.items = [json.loads(i) for i in items]
        result = json.loads(last)
        assert not check or not isinstance(result.get("error"), dict), result
        return {**result, "aisbx_status": done.returncode}

    def start(self, *words, **popen):
        return subprocess.Popen(self.words(*words), cwd=self.project, env=self.env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, **popen)

    def trying(self, *branches, options=(), **how):
        """`aisbx try OPTIONS -- BRANCH -- BRANCH`."""
        words = [w for b in branches for w in ("--", b)]
        return self.call("try", *options, *words, **how)

    def refused(self, *words):
        result = self.call(*words, check=False)
        assert result["status"] == "error" and result["aisbx_status"] == 125, result
        return result["error"]["text"]

    def boxes(self):
        return sorted(b["name"] for b in self.call("ls", "--all")["boxes"])

    def read(self, name, path):
        return self.call("run", "--box", name, "--", "cat", path)["stdout"]

    def clear(self):
        """A layer has directories that nobody else can remove."""
        for kept in self.boxes():
            self.call("rm", kept)
        self.call("gc")
        layers = self.root / "state/aisbx/layers"
        assert not layers.exists() or not os.listdir(layers)


def by_name(result):
    return {b["name"]: b for b in result["branches"]}


def states(result):
    return {b["name"]: b["state"] for b in result["branches"]}
