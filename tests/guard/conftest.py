# SPDX-License-Identifier: Apache-2.0
"""What the tests of the guard share: a home with secrets, a project, and asking for verdicts."""
import json
import os
import pathlib
import shutil
import subprocess
import sys

import pytest
import yaml

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import box  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent


@pytest.fixture(scope="session")
def commands():
    return yaml.safe_load((HERE / "commands.yaml").read_text())


class World:
    """A home, a project in it, and aisbx with exactly that environment."""

    def __init__(self, root):
        self.root = root
        self.home = root / "home"
        self.project = self.home / "project"
        self.project.mkdir(parents=True)
        for name in (".ssh/id_rsa", ".aws/credentials", ".netrc", ".bash_history", ".npmrc"):
            (self.home / name).parent.mkdir(exist_ok=True)
            (self.home / name).write_text("a secret of the tests\n")
        self.env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(self.home), "LANG": "C.UTF-8", "USER": "tester",
                    "XDG_STATE_HOME": str(root / "state"), "XDG_CONFIG_HOME": str(root / "config"), "GIT_OPTIONAL_LOCKS": "0",
                    "GIT_CONFIG_NOSYSTEM": "1", "GITHUB_TOKEN": "a-token-of-the-tests"}
        if "AISBX_FAULT" in os.environ:
            self.env["AISBX_FAULT"] = os.environ["AISBX_FAULT"]

    def fill(self):
        files = {"README.md": "# A project\n\nmain größe TODO\n", "src/main.c": "#include <stdio.h>\nint main(void) { return 0; }\n",
                 "src/util.c": "int util;\n", "docs/guide.md": "guide\n", "numbers.txt": "3\n1\n2\n", "words": "-v a[$(touch hacked)]\n",
                 "package.json": '{"name": "x", "scripts": {"test": "true"}}\n'}
        for name, text in files.items():
            (self.project / name).parent.mkdir(exist_ok=True)
            (self.project / name).write_text(text)
        self.sh("git init -q . && git add . && git -c user.name=t -c user.email=t@t commit -qm first && git -c user.name=t "
                "-c user.email=t@t tag v0 && tar cf archive.tar src && tar czf archive.tar.gz src && "
                "python3 -c \"import zipfile; zipfile.ZipFile('archive.zip', 'w').write('README.md')\"")
        return self

    def traps(self):
        """What makes a harmless command harmful."""
        (self.project / "leak").symlink_to(self.home / ".ssh/id_rsa")
        (self.project / "linkdir").symlink_to(self.home / ".ssh")
        os.mkfifo(self.project / "fifo")
        return self

    def sh(self, text):
        subprocess.run(["sh", "-ec", text], cwd=self.project, env=self.env, check=True, timeout=60)

    def aisbx(self, *words, cwd=None, **more):
        return subprocess.run([box.aisbx(), *map(str, words)], cwd=cwd or self.project, env=more.pop("env", self.env), timeout=120,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              **({"stdin": subprocess.DEVNULL} if "input" not in more and "stdin" not in more else {}), **more)

    def guard(self, *words, **more):
        done = self.aisbx("guard", "--json", *words, **more)
        result = json.loads(done.stdout)
        result["aisbx_status"] = done.returncode
        return result

    def judge(self, command, **more):
        return self.guard("--explain", "--", *([command] if isinstance(command, str) else command), **more)

    def judge_all(self, commands, **more):
        """Verdicts of many by one process."""
        path = self.root / "asked.json"
        path.write_text(json.dumps(commands))
        result = self.guard("--judge-file", path, **more)
        assert "verdicts" in result, result
        return result["verdicts"]

    def personal(self, text):
        (self.root / "config/aisbx").mkdir(parents=True, exist_ok=True)
        (self.root / "config/aisbx/guard.yaml").write_text(text)

    def ours(self, text):
        (self.project / "aisbx.yaml").write_text(text)


@pytest.fixture(scope="session")
def filled(tmp_path_factory):
    """A project to copy: to make one takes longer than most tests."""
    return World(tmp_path_factory.mktemp("filled")).fill().project


@pytest.fixture
def world(tmp_path, filled):
    w = World(tmp_path)
    shutil.copytree(filled, w.project, symlinks=True, dirs_exist_ok=True)
    return w


@pytest.fixture
def trapped(world):
    return world.traps()
