# SPDX-License-Identifier: Apache-2.0
"""What `aisbx diff` says a box changed: every kind of change, between box, snapshot and host."""
import json
import os
import subprocess

import pytest

import box


class Shelf:
    def __init__(self, root):
        self.project = root / "project"
        self.project.mkdir()
        self.env = {**os.environ, "XDG_STATE_HOME": str(root / "state")}

    def aisbx(self, *words, check=True):
        done = subprocess.run([box.aisbx(), *words], cwd=self.project, env=self.env, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
        assert not check or done.returncode == 0, (words, done.stdout, done.stderr)
        return done

    def sh(self, script, name="b"):
        self.aisbx("run", "--box", name, "--", "sh", "-ec", script)

    def diff(self, *points):
        """(kind, type, path) of each change."""
        result = json.loads(self.aisbx("diff", "--json", *(points or ("b",))).stdout)
        changes = [(c["kind"], c["type"], c["path"] or bytes.fromhex(c["path_hex"])) for c in result["changes"]]
        for kind, count in result["summary"].items():
            assert count == sum(1 for c in changes if c[0] == kind)
        assert changes == sorted(changes, key=lambda c: os.fsencode(c[2]))
        return changes


@pytest.fixture
def shelf(tmp_path):
    made = Shelf(tmp_path)
    (made.project / "f").write_text("one\n")
    (made.project / "d/sub").mkdir(parents=True)
    (made.project / "d/a").write_text("a\n")
    (made.project / "d/sub/b").write_text("b\n")
    (made.project / "link").symlink_to("f")
    made.aisbx("create", "b")
    return made


CASES = {
    "nothing": ("true", []),
    "written as it was": ("cat f > g; cat g > f; rm g", []),
    "create": ("echo x > new", [("created", "file", "new")]),
    "create in a directory": ("mkdir n; echo x > n/x", [("created", "directory", "n"), ("created", "file", "n/x")]),
    "modify": ("echo two >> f", [("modified", "file", "f")]),
    "modify, same size": ("echo eno > f", [("modified", "file", "f")]),
    "delete": ("rm f", [("deleted", "file", "f")]),
    "delete a tree": ("rm -r d", [("deleted", "directory", "d"), ("deleted", "file", "d/a"),
                                  ("deleted", "directory", "d/sub"), ("deleted", "file", "d/sub/b")]),
    "make a tree anew": ("rm -r d; mkdir d; echo z > d/z; echo a > d/a",
                         [("deleted", "directory", "d/sub"), ("deleted", "file", "d/sub/b"), ("created", "file", "d/z")]),
    "file to directory": ("rm f; mkdir f; echo x > f/x", [("replaced", "directory", "f"), ("created", "file", "f/x")]),
    "directory to file": ("rm -r d; echo x > d", [("replaced", "file", "d"), ("deleted", "file", "d/a"),
                                                  ("deleted", "directory", "d/sub"), ("deleted", "file", "d/sub/b")]),
    "file to link": ("rm f; ln -s d f", [("replaced", "symlink", "f")]),
    "link elsewhere": ("ln -sfn d link", [("modified", "symlink", "link")]),
    "mode": ("chmod 600 f", [("mode", "file", "f")]),
    "mode of a directory": ("chmod 700 d", [("mode", "directory", "d")]),
    "mode of the project": ("chmod 700 .", [("mode", "directory", ".")]),
    "rename": ("mv f moved", [("deleted", "file", "f"), ("created", "file", "moved")]),
    "rename a directory": ("mv d e", [("deleted", "directory", "d"), ("deleted", "file", "d/a"),
                                      ("deleted", "directory", "d/sub"), ("deleted", "file", "d/sub/b"),
                                      ("created", "directory", "e"), ("created", "file", "e/a"),
                                      ("created", "directory", "e/sub"), ("created", "file", "e/sub/b")]),
    "fifo": ("mkfifo p", [("created", "fifo", "p")]),
}


@pytest.mark.parametrize("script,expected", CASES.values(), ids=CASES.keys())
def test_kinds_of_changes(shelf, script, expected):
    shelf.sh(script)
    assert shelf.diff() == expected
    # The same over two layers: what was said of a path below does not shine through.
    shelf.aisbx("snap", "b", "s")
    assert shelf.diff() == expected
    assert shelf.diff("b@s") == expected
    assert shelf.diff("b@s", "b") == []


def test_layers_over_each_other(shelf):
    shelf.sh("echo two > f; echo x > new; rm -r d")
    shelf.aisbx("snap", "b", "s")
    shelf.sh("echo one > f; rm new; mkdir d; echo a > d/a; mkdir d/sub; echo b > d/sub/b")
    assert shelf.diff() == []  # all is as it was
    assert shelf.diff("b@s", "b") == [("created", "directory", "d"), ("created", "file", "d/a"),
                                      ("created", "directory", "d/sub"), ("created", "file", "d/sub/b"),
                                      ("modified", "file", "f"), ("deleted", "file", "new")]


def test_two_boxes(shelf):
    shelf.sh("echo base > new")
    shelf.aisbx("fork", "b", "--count", "2", "--name", "k")
    shelf.sh("echo 1 > new; echo 1 > one", "k-1")
    shelf.sh("echo 2 > new; rm f", "k-2")
    assert shelf.diff("k-1", "k-2") == [("deleted", "file", "f"), ("modified", "file", "new"), ("deleted", "file", "one")]
    assert shelf.diff("k-2", "k-1") == [("created", "file", "f"), ("modified", "file", "new"), ("created", "file", "one")]


def test_the_host_as_it_is_now(shelf):
    shelf.sh("echo two > f")
    (shelf.project / "f").write_text("two\n")
    (shelf.project / "d/host").write_text("of the host\n")
    assert shelf.diff() == []


def test_odd_names(shelf):
    names = [b"a\nb", b"\xff\xfe", b"x" * 255, b"-rf", b"spa ce"]
    script = "import os\nfor n in %r: open(n, 'w').write('x')" % names
    shelf.aisbx("run", "--box", "b", "--", "/usr/bin/python3", "-c", script)
    assert sorted(os.fsencode(c[2]) for c in shelf.diff()) == sorted(names)
    shown = shelf.aisbx("diff", "b").stdout.splitlines()
    assert len(shown) == len(names) + 1 and shown[-1] == b"5 created"  # no name looks like two
    assert b"+ file      a?b" in shown


def test_words_for_people(shelf):
    assert shelf.aisbx("diff", "b").stdout == b"no changes\n"
    shelf.sh("echo x > new; rm link; chmod 700 d; echo 2 > f")
    assert shelf.aisbx("diff", "b").stdout.decode().splitlines() == [
        "m directory d", "~ file      f", "- symlink   link", "+ file      new",
        "1 created, 1 deleted, 1 modified, 1 mode"]


def test_boxes_of_two_projects(shelf, tmp_path):
    (tmp_path / "other").mkdir()
    shelf.aisbx("create", "c", "--project", str(tmp_path / "other"))
    done = shelf.aisbx("diff", "b", "c", check=False)
    assert done.returncode == 125 and b"same project" in done.stderr


def test_cost_is_by_changes_not_by_files(shelf):
    """100 changes beside 20,000 files cost what they cost beside 4: no file of the host is looked at in vain."""
    def calls():
        done = subprocess.run(["strace", "-f", "-c", "-o", "/dev/stdout", box.aisbx(), "diff", "--json", "-q", "b"],
                              cwd=shelf.project, env=shelf.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=100)
        total = [line for line in done.stdout.decode(errors="replace").splitlines() if line.endswith(" total")]
        assert total, done.stderr
        return int(total[0].split()[3])

    shelf.sh("for i in $(seq 100); do echo $i > n$i; done")
    few = calls()
    (shelf.project / "many").mkdir()
    for i in range(20000):
        (shelf.project / f"many/{i}").touch()
    many = calls()
    print(f"diff of 100 changes: {few} system calls beside 4 files, {many} beside 20,000")
    assert many <= few * 1.2
