# SPDX-License-Identifier: Apache-2.0
"""What `aisbx diff` says a box changed: every kind of change, between box, snapshot and host; as words and as patch."""
import json
import os
import pty
import random
import re
import shutil
import stat
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
    "attribute": ("setfattr -n user.note -v x f", [("xattr", "file", "f")]),
    "attribute of a directory": ("setfattr -n user.note -v x d", [("xattr", "directory", "d")]),
    "only touched": ("touch -d 2001-01-01 f d link", []),
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
    assert done.returncode == 125 and b"different projects" in done.stderr


def test_cost_is_by_changes_not_by_files(shelf):
    """100 changes beside 20,000 files cost what they cost beside 4: no file of the host is looked at in vain."""
    env = {**shelf.env, "ASAN_OPTIONS": "detect_leaks=0"}  # which would itself be traced

    def calls():
        done = subprocess.run(["strace", "-f", "-c", "-o", "/dev/stdout", box.aisbx(), "diff", "--json", "-q", "--drift", "off", "b"],
                              cwd=shelf.project, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=100)
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


def tree(root):
    """What git keeps of a tree: path -> (mode as git has it, content)."""
    found, root = {}, os.fsencode(root)
    for here, dirs, files in os.walk(root):
        if here == root and b".git" in dirs:
            dirs.remove(b".git")
        for path in (os.path.join(here, n) for n in dirs + files):
            mode = os.lstat(path).st_mode
            if stat.S_ISLNK(mode):
                found[os.path.relpath(path, root)] = (0o120000, os.readlink(path))
            elif stat.S_ISREG(mode):
                with open(path, "rb") as f:
                    found[os.path.relpath(path, root)] = (0o100755 if mode & 0o100 else 0o100644, f.read())
    return found


def git(*words, cwd, **more):
    env = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1",
           "GIT_CEILING_DIRECTORIES": str(cwd.parent)}
    done = subprocess.run(["git", "-c", "user.name=x", "-c", "user.email=x@localhost", *words], cwd=cwd, env=env,
                          timeout=60, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, **more)
    assert done.returncode == 0, (words, done.stderr[:2000])
    return done.stdout


def applied(source, patch, *command):
    """What COMMAND, `git apply` unless it is given, makes of a directory with this patch."""
    copy = source.parent / "copy"
    shutil.copytree(source, copy, symlinks=True)
    if command:
        done = subprocess.run(command, cwd=copy, input=patch, timeout=60, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False)
        assert done.returncode == 0, (done.stdout, patch)
    elif patch:
        git("apply", "--whitespace=nowarn", cwd=copy, input=patch)
    found = tree(copy)
    shutil.rmtree(copy)
    return found


PATCH = ("patch", "-p1", "--force", "--fuzz=0", "--no-backup-if-mismatch")


def copy_of_box(shelf):
    """The project as the box has it."""
    copy = shelf.project.parent / "seen"
    copy.mkdir()
    shelf.aisbx("run", "--box", "b", "--rw", f"{copy}:/seen", "--", "sh", "-c",
                "tar --exclude=./p -cf - . | tar -C /seen -xf -")
    return copy


@pytest.mark.parametrize("script,expected", CASES.values(), ids=CASES.keys())
def test_a_patch_for_every_kind(shelf, script, expected):
    before = tree(shelf.project)
    shelf.sh(script)
    seen = copy_of_box(shelf)
    after = tree(seen)
    patch = shelf.aisbx("diff", "--patch", "b").stdout
    assert bool(patch) == (before != after)
    assert applied(shelf.project, patch) == after
    if not any(kind == "replaced" for kind, _, _ in expected):  # patch(1) cannot, nor can it with git's
        assert applied(shelf.project, patch, *PATCH) == after
    assert shelf.aisbx("diff", "-p", "b").stdout == patch
    shelf.aisbx("create", "clean")
    back = shelf.aisbx("diff", "--patch", "b", "clean").stdout
    assert applied(seen, back) == before


def test_a_patch_holds_what_the_words_say(shelf):
    shelf.sh("echo two >> f; chmod +x d/a; ln -sfn d link; rm d/sub/b; : > empty")
    assert shelf.aisbx("diff", "-p", "b").stdout.decode().splitlines() == [
        "diff --git a/d/a b/d/a", "old mode 100644", "new mode 100755",
        "diff --git a/d/sub/b b/d/sub/b", "deleted file mode 100644", "index 6178079..0000000", "--- a/d/sub/b",
        "+++ /dev/null", "@@ -1 +0,0 @@", "-b",
        "diff --git a/empty b/empty", "new file mode 100644", "index 0000000..e69de29",
        "diff --git a/f b/f", "index 5626abf..814f4a4 100644", "--- a/f", "+++ b/f", "@@ -1 +1,2 @@", " one", "+two",
        "diff --git a/link b/link", "index 4d1ae35..c59d9b6 120000", "--- a/link", "+++ b/link", "@@ -1 +1 @@", "-f",
        "\\ No newline at end of file", "+d", "\\ No newline at end of file"]


ODD = [b"with space", b" lead", b"trail ", b"tab\tbed", b"new\nline", b'quo"ted', b"back\\slash", "naïve".encode(),
       "日本語".encode(), b"\xff\xfe", b"esc\x1b[31m", b"-dash", b"a b", b"x b", b"del\x7f", b"bell\a"]


def put(shelf, script, **values):
    """Runs Python in the box, with these values."""
    text = "".join(f"{name} = {value!r}\n" for name, value in values.items())
    shelf.aisbx("run", "--box", "b", "--", "/usr/bin/python3", "-c", "import os\n" + text + script)


def test_names_are_quoted_as_git_quotes_them(shelf):
    script = """
os.mkdir('a b/')
for n in odd + [b'a b/' + n for n in odd if n != b'a b']:
    if n != b'a b': open(n, 'wb').write(b'text\\n')
"""
    put(shelf, script, odd=ODD)
    patch = shelf.aisbx("diff", "-p", "b").stdout
    repository = shelf.project.parent / "repository"
    shutil.copytree(shelf.project, repository, symlinks=True)
    git("init", "-q", cwd=repository)
    git("add", "-Af", cwd=repository)
    git("commit", "-qm", "before", cwd=repository)
    git("apply", cwd=repository, input=patch)
    git("add", "-Af", cwd=repository)
    assert git("diff", "--cached", "--no-renames", "--abbrev=7", cwd=repository) == patch
    assert len(tree(repository)) == 4 + 2 * (len(ODD) - 1)


def test_bare_headers_with_odd_names(shelf):
    put(shelf, "for n in odd: open(n, 'w').close(); os.chmod(n, 0o755)", odd=ODD)
    patch = shelf.aisbx("diff", "-p", "b").stdout
    after = tree(copy_of_box(shelf))
    assert len(after) == 4 + len(ODD) and applied(shelf.project, patch) == after
    assert applied(shelf.project, patch, *PATCH) == after


def test_of_binary_files_only_that_they_differ(shelf):
    """Beside headers without lines, behind which git would take that line for more."""
    script = "chmod +x d/a; printf 'x\\0' > d/b; : > d/c; printf '\\0' > d/d; printf '\\0' >> f; echo y > new"
    shelf.sh(script)
    changes = {c["path"]: c for c in json.loads(shelf.aisbx("diff", "--json", "--stat", "b").stdout)["changes"]}
    assert {p: (c["binary"], c["added"], c["removed"]) for p, c in changes.items()} == {
        "d/a": (False, 0, 0), "d/b": (True, None, None), "d/c": (False, 0, 0), "d/d": (True, None, None),
        "f": (True, None, None), "new": (False, 1, 0)}
    patch = shelf.aisbx("diff", "-p", "b").stdout
    lines = [line for line in patch.splitlines() if line.startswith(b"Binary")]
    assert lines == [b"Binary files /dev/null and b/d/b differ", b"Binary files /dev/null and b/d/d differ",
                     b"Binary files a/f and b/f differ"]
    expected = tree(copy_of_box(shelf))
    expected[b"f"] = (0o100644, b"one\n")
    del expected[b"d/b"], expected[b"d/d"]
    assert applied(shelf.project, patch) == expected
    assert applied(shelf.project, patch, *PATCH) == expected
    shown = shelf.aisbx("diff", "b").stdout.decode().splitlines()
    assert "~ file      f (binary)" in shown and "+ file      new" in shown
    stat_lines = shelf.aisbx("diff", "--stat", "b").stdout.decode().splitlines()
    assert " f   | Bin 4 -> 5 bytes" in stat_lines and " new |   1 +" in stat_lines
    assert stat_lines[-1] == " 6 files changed, 1 insertion(+)"


def test_a_file_larger_than_any_text(shelf):
    shelf.sh("truncate -s 64M new; printf x | dd of=new conv=notrunc status=none; tr '\\0' x < new > big; echo >> big; rm new")
    patch = shelf.aisbx("diff", "-p", "b").stdout
    assert patch == b"Binary files /dev/null and b/big differ\n"


def test_a_text_that_takes_too_much(shelf):
    """The helper runs out of memory over one file: that one is only named, the others are in the patch."""
    with open(shelf.project / "big", "w", encoding="ascii") as f:
        f.writelines(f"{i}\n" for i in range(400000))
    shelf.sh("echo x > a; rev big > c; cat c > big; rm c; echo z > z")
    whole = shelf.aisbx("diff", "--patch", "b").stdout
    assert len(whole) > 1000000 and b"Binary" not in whole
    with open(box.need(os.path.join(os.path.dirname(box.aisbx()), "aisbx-merge")), "rb") as f:
        if b"__asan_init" in f.read():  # cannot start with so little
            return
    done = subprocess.run(["prlimit", "--as=90000000", box.aisbx(), "diff", "--patch", "b"], cwd=shelf.project,
                          env=shelf.env, timeout=60, stdout=subprocess.PIPE, check=True)
    assert b"\nBinary files a/big and b/big differ\n" in done.stdout
    assert b"+++ b/a\n" in done.stdout and b"+++ b/z\n" in done.stdout and len(done.stdout) < 1000


def test_no_patch_without_landlock(shelf):
    """The helper that reads what a box wrote does so behind a wall, or when a person gave it up."""
    shelf.sh("echo x > a")
    deny = [box.need(os.path.join(os.environ["AISBX_TEST_BIN"], "deny")), "landlock_create_ruleset", "EOPNOTSUPP", "--"]
    for variables, status in (({}, 125), ({"AISBX_WITHOUT": "landlock"}, 0)):
        done = subprocess.run([*deny, box.aisbx(), "diff", "--patch", "b"], cwd=shelf.project, env={**shelf.env, **variables}, timeout=60,
                              capture_output=True)
        assert done.returncode == status and (b"+++ b/a" in done.stdout) == (status == 0), done.stderr
        assert status == 0 or b"lsm=landlock" in done.stderr and b"AISBX_WITHOUT=landlock" in done.stderr


def test_targets_of_links(shelf):
    put(shelf, "os.remove('link'); os.symlink(b'\\xff', 'link'); os.symlink('to', 'new')")
    changes = {c["path"]: c for c in json.loads(shelf.aisbx("diff", "--json", "b").stdout)["changes"]}
    assert changes["link"]["old"]["target"] == "f"
    assert (changes["link"]["new"]["target"], changes["link"]["new"]["target_hex"]) == (None, "ff")
    assert changes["new"]["new"]["target"] == "to"


def test_files_of_git_itself_are_in_no_diff(shelf):
    """They never leave the box, and `git apply` would refuse them."""
    shelf.sh("mkdir -p .git/hooks d/.git; echo evil > .git/hooks/pre-commit; echo x > d/.git/config; echo y > .gitignore")
    assert [path for _, _, path in shelf.diff() if ".git/" in path] == []
    patch = shelf.aisbx("diff", "-p", "b").stdout
    assert b"evil" not in patch and b"config" not in patch and b"+++ b/.gitignore" in patch
    applied(shelf.project, patch)


def test_what_git_does_not_know_counts_and_what_it_ignores_only_if_asked_for(shelf):
    git("init", "-q", cwd=shelf.project)
    (shelf.project / ".gitignore").write_text("*.o\n")
    (shelf.project / "old.o").write_text("old\n")
    git("add", "f", ".gitignore", cwd=shelf.project)
    git("commit", "-qm", "x", cwd=shelf.project)
    shelf.sh("echo x > new.o; echo y > unknown; echo more >> old.o; echo z >> d/a")
    assert shelf.diff() == [("modified", "file", "d/a"), ("created", "file", "unknown")]
    words = shelf.aisbx("diff", "b").stdout.decode()
    assert words.splitlines()[-1] == "2 files (11 B) that git ignores stay in the box; --ignored includes them"
    assert shelf.diff("--ignored", "b") == [("modified", "file", "d/a"), ("created", "file", "new.o"), ("modified", "file", "old.o"),
                                       ("created", "file", "unknown")]
    assert applied(shelf.project, shelf.aisbx("diff", "--ignored", "-p", "b").stdout) == tree(copy_of_box(shelf))


def test_a_patch_in_json(shelf):
    put(shelf, "open('new', 'wb').write(b'caf\\xe9\\n')")
    result = json.loads(shelf.aisbx("diff", "--json", "--patch", "b").stdout)
    assert result["patch"].endswith("+++ b/new\n@@ -0,0 +1 @@\n+caf\ufffd\n")
    assert result["changes"][0]["added"] == 1 and "stat" not in result
    assert shelf.aisbx("diff", "--patch", "b").stdout.endswith(b"+caf\xe9\n")  # as it is
    assert "patch" not in json.loads(shelf.aisbx("diff", "--json", "--stat", "b").stdout)


def on_a_terminal(shelf, *words):
    """What aisbx writes to a terminal, without the colours it uses itself."""
    master, slave = pty.openpty()
    with subprocess.Popen([box.aisbx(), *words], cwd=shelf.project, env=shelf.env, stdin=subprocess.DEVNULL,
                          stdout=slave) as process:
        os.close(slave)
        shown = b""
        try:
            while chunk := os.read(master, 65536):
                shown += chunk
        except OSError:  # EIO: the other end is closed
            pass
        os.close(master)
        assert process.wait(60) == 0
    return re.sub(rb"\x1b\[(0|2|3[1236])m", b"", shown.replace(b"\r\n", b"\n"))


HOSTILE = ["\x1b[2J".encode(), b"\x1b]0;title\x07", b"\x9b31m", "\u009b31m".encode(), "\u202eright".encode(),
           "\u2066left".encode(), b"line\rover", b"\x00nul", b"back\b\b\b", b"\x1b]8;;http://x\x1b\\"]


def test_119_hostile_text_on_a_terminal(shelf):
    """Escapes, titles, overwritten lines and turned text reach a file, where they belong, and no terminal."""
    long_text = b"plain\n" * 2000  # behind the place where a NUL makes a file binary
    put(shelf, """
for i, h in enumerate(hostile):
    open(b'f%d' % i, 'wb').write(long_text + h + b'\\n')
    open(b'n' + h.replace(b'/', b'_').replace(b'\\0', b''), 'wb').write(b'x\\n')
""", hostile=HOSTILE, long_text=long_text)
    piped = shelf.aisbx("diff", "-p", "b").stdout
    assert all(h in piped for h in HOSTILE)
    for words in (("-p",), ("--stat",), ("--stat", "-p"), ()):
        shown = on_a_terminal(shelf, "diff", *words, "b")
        assert len(shown) > 100
        assert not re.search(rb"[\x00-\x08\x0b-\x1f\x7f]", shown), words
        text = shown.decode()  # and it is UTF-8
        assert not re.search("[\u0080-\u009f\u202a-\u202e\u2066-\u2069]", text), words


# Random trees, each in a directory of its own.
TREES = 300
NAMES = [b"a", b"b", b"zz", b"dir", b"dir/a", b"dir/deep/er", *ODD[:12]]
LINES = [b"alpha", b"beta", b"", b"}", b"\treturn 0;", b"caf\xe9", "日本語".encode(), b"x" * 200, b"--- a/f", b"+++ b/f",
         b"@@ -1 +1 @@", b"\\ No newline at end of file", b"diff --git a/x b/x", b"trailing ", b"cr\r", b"\x1b[31m",
         b"Binary files a/x and b/x differ"]


def random_file(dice):
    ending = dice.choice((b"\n", b"\n", b"\r\n"))
    text = b"".join(dice.choice(LINES) + ending for _ in range(dice.choice((0, 1, 2, 8, 40))))
    return text[:-1] if dice.random() < 0.2 else text


def changed(dice, text):
    lines = text.splitlines(keepends=True)
    for _ in range(dice.choice((1, 1, 3))):
        at = dice.randint(0, len(lines))
        lines[at:at + dice.choice((0, 1, 2))] = [dice.choice(LINES) + b"\n" for _ in range(dice.choice((0, 1, 2)))]
    return b"".join(lines)


def random_entry(dice, old=None):
    if old and dice.random() < 0.5:
        mode, content = old
        return (mode, content) if dice.random() < 0.5 else (mode, changed(dice, content) if mode != 0o120000 else b"to")
    if dice.random() < 0.2:
        return 0o120000, dice.choice((b"a", b"nowhere", b"../x", b"with space", b"\xff"))
    return dice.choice((0o100644, 0o100644, 0o100755, 0o100600)), random_file(dice)


def random_tree(dice, old):
    """Path -> (mode, content); no path lies below another that is a file."""
    made = {}
    for name in dice.sample(NAMES, dice.randint(0, 8)):
        parts = name.split(b"/")
        above = {b"/".join(parts[:i]) for i in range(1, len(parts))}
        if above & made.keys() or any(p.startswith(name + b"/") for p in made):
            continue
        made[name] = random_entry(dice, old.get(name))
    if dice.random() < 0.5:
        made[b"blob"] = (0o100644, b"\0%d" % dice.randrange(3))
    return made


def write_tree(root, entries):
    """Also runs in the box: makes ROOT this tree, by the fewest changes."""
    def see(path):
        if os.path.islink(path):
            return 0o120000, os.readlink(path)
        if not os.path.isfile(path):
            return None
        with open(path, "rb") as f:
            return 0o100000 | os.lstat(path).st_mode & 0o777, f.read()

    for here, dirs, files in os.walk(root, topdown=False):
        for path in (os.path.join(here, n) for n in dirs + files):
            name = os.path.relpath(path, root)
            if os.path.isdir(path) and not os.path.islink(path):
                if not any(n.startswith(name + b"/") for n in entries):
                    os.rmdir(path)
            elif see(path) != entries.get(name):
                os.unlink(path)
    for name, (mode, content) in entries.items():
        path = os.path.join(root, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if os.path.lexists(path):
            continue
        if mode == 0o120000:
            os.symlink(content, path)
        else:
            with open(path, "wb") as f:
                f.write(content)
            os.chmod(path, mode & 0o777)


@pytest.fixture
def forest(tmp_path):
    """A project of random trees, and a box in which each is another one; and what each is there."""
    import inspect
    shelf = Shelf(tmp_path)
    before, after = {}, {}
    for seed in range(TREES):
        dice = random.Random(f"tree {seed}")
        before[seed] = random_tree(dice, {})
        after[seed] = random_tree(dice, before[seed])
        write_tree(os.fsencode(shelf.project / f"{seed}"), before[seed])
        (shelf.project / f"{seed}").mkdir(exist_ok=True)
    (tmp_path / "input").mkdir()
    (tmp_path / "input/after.py").write_text(f"import os\n{inspect.getsource(write_tree)}\nafter = {after!r}\n"
                                             "for seed in after:\n"
                                             "    if seed % 2: os.system(f'rm -rf {seed}')\n"
                                             "    write_tree(b'%d' % seed, after[seed])\n")
    (tmp_path / "input").chmod(0o755)
    shelf.aisbx("create", "b")
    shelf.aisbx("run", "--box", "b", "--ro", f"{tmp_path}/input:/input", "--", "/usr/bin/python3", "/input/after.py")
    return shelf, before, after


def as_git(entries, seed):
    return {b"%d/%s" % (seed, n): (m if m == 0o120000 else 0o100755 if m & 0o100 else 0o100644, c)
            for n, (m, c) in entries.items()}


@pytest.mark.big
def test_patches_of_random_trees_apply(forest):
    """300 pairs of trees: what git makes of one with the patch is the other, binary files aside."""
    shelf, before, after = forest
    patch = shelf.aisbx("diff", "--patch", "b").stdout
    found, wrong = applied(shelf.project, patch), []
    assert len(re.findall(rb"^diff --git ", patch, re.M)) > 3 * TREES
    for seed in range(TREES):
        got = {n: e for n, e in found.items() if n.startswith(b"%d/" % seed)}
        expected = as_git(after[seed], seed)
        blob = b"%d/blob" % seed
        expected.pop(blob, None)
        if b"blob" in before[seed]:
            expected[blob] = before[seed][b"blob"]
        if got != expected:
            wrong.append((seed, got, expected))
    assert not wrong, f"{len(wrong)} of {TREES}; first: {wrong[0]}"


def parts(patch):
    """A patch file by file, without binary files, and without the quotes git leaves out in bare headers."""
    binary = rb"^diff --git .*\n(?:.* mode .*\n)?index .*\nBinary files .*\n|^\n?Binary files .*\n"
    found = re.split(rb"^(?=diff --git )", re.sub(binary, b"", patch, flags=re.M), flags=re.M)
    return {re.sub(rb'^diff --git "a/([^"\\]*)" "b/([^"\\]*)"', rb"diff --git a/\1 b/\2", part) for part in found}


@pytest.mark.big
def test_counts_and_patches_of_random_trees_are_those_of_git(forest):
    shelf, _, after = forest
    repository = shelf.project.parent / "repository"
    shutil.copytree(shelf.project, repository, symlinks=True)
    git("init", "-q", cwd=repository)
    git("add", "-Af", cwd=repository)
    git("commit", "-qm", "before", cwd=repository)
    for seed in after:
        write_tree(os.fsencode(repository / f"{seed}"), after[seed])
    git("add", "-Af", cwd=repository)
    counts = {}
    for row in git("diff", "--cached", "--no-renames", "--numstat", "-z", cwd=repository).split(b"\0")[:-1]:
        added, removed, name = row.split(b"\t", 2)
        counts[name] = (None, None) if added == b"-" else (int(added), int(removed))
    result = json.loads(shelf.aisbx("diff", "--json", "--stat", "b").stdout)
    ours = {os.fsencode(c["path"]) if c["path"] else bytes.fromhex(c["path_hex"]): (c["added"], c["removed"])
            for c in result["changes"] if "added" in c}
    assert len(counts) > 3 * TREES
    unseen = {n for n in ours if n not in counts}  # other permissions than whether it can be executed
    assert all(ours[n] == (0, 0) for n in unseen)
    assert {n: c for n, c in ours.items() if n not in unseen} == counts
    assert result["stat"] == {"files": len(ours), "insertions": sum(a for a, _ in counts.values() if a),
                              "deletions": sum(r for _, r in counts.values() if r)}
    whole = git("diff", "--cached", "--no-renames", "--abbrev=7", cwd=repository)
    mine = shelf.aisbx("diff", "-p", "b").stdout
    assert len(parts(mine)) > 3 * TREES and parts(mine) ^ parts(whole) == set()
    words = shelf.aisbx("diff", "--stat", "b").stdout.decode().splitlines()
    summary = git("diff", "--cached", "--no-renames", "--shortstat", cwd=repository).decode().rstrip("\n")
    assert words[-1].split(", ", 1)[1] == summary.split(", ", 1)[1] and len(words) == len(ours) + 1
