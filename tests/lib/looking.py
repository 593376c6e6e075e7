# SPDX-License-Identifier: Apache-2.0
"""What the tests of looking share: a home with secrets and canaries, a project in it, and aisbx with exactly that environment."""
import json
import os
import shutil
import subprocess

import box

SECRET = "a secret of the tests"


class Home:
    def __init__(self, root):
        self.root, self.home = root, root / "home"
        self.project = self.home / "project"
        self.env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(self.home), "LANG": "C.UTF-8", "GITHUB_TOKEN": SECRET,
                    "XDG_STATE_HOME": str(root / "state"), "XDG_CONFIG_HOME": str(root / "config"), "GIT_CONFIG_NOSYSTEM": "1"}
        if "AISBX_FAULT" in os.environ:
            self.env["AISBX_FAULT"] = os.environ["AISBX_FAULT"]

    def fill(self, repository):
        self.project.mkdir(parents=True)
        for name in (".ssh/id_rsa", ".aws/credentials", ".netrc", ".bash_history", ".config/gh/hosts.yml", "real/key"):
            (self.home / name).parent.mkdir(parents=True, exist_ok=True)
            (self.home / name).write_text(SECRET + "\n")
        (self.home / ".gnupg").symlink_to(self.home / "real")  # a secret that lies elsewhere
        (self.home / "plain.txt").write_text("plain\n")
        (self.project / "README.md").write_text("# A project\n")
        (self.project / "b.txt").write_text("b\n")
        (self.project / "leak").symlink_to(self.home / ".ssh/id_rsa")
        box.make_canary(self.home / "canary")
        shutil.copytree(repository, self.project / ".git")
        return self

    def call(self, words, **more):
        more.setdefault("stdin", subprocess.DEVNULL)
        if "input" in more:
            del more["stdin"]
        return subprocess.run(list(map(str, words)), cwd=more.pop("cwd", self.project), env=more.pop("env", self.env), timeout=600, text=True,
                              errors="replace", stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)

    def bare(self, *words, **more):
        return self.call(words, **more)

    def look(self, *words, **more):
        return self.call([box.aisbx(), "look", "--", *words], **more)

    def json(self, *words):
        return json.loads(self.call([box.aisbx(), "look", "--json", "--", *words]).stdout)
