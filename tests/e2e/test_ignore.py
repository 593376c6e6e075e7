# SPDX-License-Identifier: Apache-2.0
"""What git would ignore, found without git: the answers of layer/ignore.c are those of `git check-ignore`, in random trees and in odd ones."""
import os
import random
import resource
import shutil
import subprocess

import box
import pace
import pytest

TREES = 160
SLICES = 4

NAMES = ["a", "b", "ab", "B", "foo", "foo.c", "bar.log", "x y", "t ", "#h", "!n", "[z]", "a*", "build", "doc", "q?", "\\s", "é", "keep.log", "A1"]
# No "a**/": git 2.39 takes the "**" there for a directory of its own, once it has compared the "a", and libgit2 does not.
PARTS = ["*", "?", "*.c", "*.log", "f*", "[a-c]", "[!a]", "[^b]*", "[[:alpha:]]", "[[:upper:]]*", "**", "**b", "\\#h", "\\!n", "\\[z\\]",
         "a\\*", "q\\?", "[]a]", "[a", "\\\\s", "x\\ y", "*o*", "b[au]*", "[a-", "\\a", "***", "fo\\o", "[[:digit:]]", "A[0-9]", "?*", "foo.?",
         "\\", "t\\ ", "[\\]]", "*\\", "KEEP.log", "b\tb"]


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    """The door to the function under test, beside the helper it asks."""
    place = tmp_path_factory.mktemp("programs")
    shutil.copy(box.need(os.path.join(os.environ.get("AISBX_TEST_BIN", ""), "ignore")), place)
    shutil.copy(box.need(os.path.join(os.path.dirname(box.aisbx()), "aisbx-merge")), place)
    return place


@pytest.fixture
def own(tmp_path, programs):
    return Own(tmp_path, programs)


class Own:
    """A project, and what the box and git say of paths in it."""

    def __init__(self, tmp, programs):
        self.tmp, self.programs, self.count, self.limits = tmp, programs, 0, {}
        self.top = tmp / "above/project"
        self.top.mkdir(parents=True)
        self.home = tmp / "home"
        self.env = {**os.environ, "HOME": str(self.home), "GIT_CONFIG_NOSYSTEM": "1", "GIT_CEILING_DIRECTORIES": str(tmp)}
        self.env.pop("XDG_CONFIG_HOME", None)

    def git(self, *words, at=None, **more):
        return subprocess.run(["git", "-c", "protocol.file.allow=always", "-c", "user.name=n", "-c", "user.email=e@x", *words],
                              cwd=at or self.top, env=self.env, stdout=subprocess.PIPE, check=True, **more)

    def write(self, path, text=""):
        path = self.top / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())

    def ignored(self, *paths, layers=(), status=0):
        self.count += 1
        scratch = self.tmp / f"scratch{self.count}"
        scratch.mkdir()
        done = subprocess.run([self.programs / "ignore", self.top, scratch, *layers], input=b"".join(os.fsencode(p) + b"\0" for p in paths),
                              env=self.env, timeout=pace.seconds(60), capture_output=True, **self.limits)
        shutil.rmtree(scratch)
        assert done.returncode == status, done.stderr
        return {os.fsdecode(p) for p in done.stdout.split(b"\0") if p} if status == 0 else done.stderr.decode()

    def ignored_by_git(self, *paths):
        """Without its index, for it takes a tracked `ab` for a tracked `a*`; that part is done here."""
        done = subprocess.run(["git", "check-ignore", "--no-index", "-z", "--stdin"], input=b"".join(os.fsencode(p.rstrip("/")) + b"\0" for p in paths),
                              cwd=self.top, env=self.env, capture_output=True)
        assert done.returncode in (0, 1), done.stderr  # 1: none of them
        found = {os.fsdecode(p) for p in done.stdout.split(b"\0")}
        tracked = [os.fsdecode(p) for p in self.git("ls-files", "-z").stdout.split(b"\0") if p]
        return {p for p in paths if p.rstrip("/") in found and not any(t == p or (p[-1] == "/" and t.startswith(p)) for t in tracked)}


def random_rule(r):
    rule = "/".join(r.choice(NAMES) if r.random() < .45 else r.choice(PARTS) for _ in range(r.choice([1, 1, 1, 1, 2, 2, 3])))
    rule = ("/" if r.random() < .25 else "") + ("**/" if r.random() < .15 else "") + rule
    rule += ("/**" if r.random() < .1 else "") + ("/" if r.random() < .25 else "")
    rule = ("!" if r.random() < .3 else "") + rule
    rule += r.choice([" ", "  ", "\\ ", "\t", "\\  ", " \\ "]) if r.random() < .08 else ""
    return (" " if r.random() < .03 else "") + rule


def random_rules(r):
    lines = [random_rule(r) for _ in range(r.randint(1, 8))]
    if r.random() < .1:
        lines = ["# a remark", *lines, ""]
    if r.random() < .05:
        lines[0] = "\ufeff" + lines[0]
    return (r.choice(["\n", "\n", "\n", "\r\n"]).join(lines) + r.choice(["\n", ""])).encode()


def random_tree(r, own):
    paths = []

    def fill(below, depth):
        for name in r.sample(NAMES, r.randint(1, 5)):
            if depth < 3 and r.random() < .45:
                (own.top / below / name).mkdir(parents=True)
                paths.append(f"{below}{name}/")
                fill(f"{below}{name}/", depth + 1)
            else:
                own.write(below + name)
                paths.append(below + name)

    fill("", 0)
    for path in ["", *[p for p in paths if p.endswith("/")]]:
        if not path or r.random() < .3:
            own.write(path + ".gitignore", random_rules(r))
    return paths


@pytest.mark.parametrize("part", range(SLICES))
def test_random_trees(own, part):
    total = 0
    for seed in range(part, TREES, SLICES):
        r = random.Random(seed)
        shutil.rmtree(own.top)
        own.top.mkdir()
        own.git("init", "-q", "--template=")
        paths = random_tree(r, own)
        if r.random() < .4:
            own.write(".git/info/exclude", random_rules(r))
        own.home.mkdir(exist_ok=True)
        own.write(own.home / ".config/git/ignore", random_rules(r) if r.random() < .3 else b"")
        tracked = r.sample([p for p in paths if p[-1] != "/"], k=min(2, sum(p[-1] != "/" for p in paths))) if r.random() < .5 else []
        if tracked:
            own.git("--literal-pathspecs", "add", "-f", "--", *tracked)
        expected = own.ignored_by_git(*paths)
        total += len(expected)
        r.shuffle(paths)
        assert own.ignored(*paths) == expected, f"seed {seed}"
    assert total > 100  # else nothing was tried


def test_without_a_repository_nothing_is_ignored(own):
    own.write(".gitignore", "*\n")
    own.write(".git/HEAD", "ref: refs/heads/main\n")  # more is needed to be one
    assert own.ignored("a", "d/", "d/b") == set()
    own.git("init", "-q")
    assert own.ignored("a", "d/", "d/b") == {"a", "d/", "d/b"}
    assert own.ignored() == set()


def test_what_is_tracked_is_not_ignored(own):
    own.git("init", "-q")
    own.write(".gitignore", "build/\n*.log\n")
    for path in ("build/keep", "build/junk", "build/sub/junk", "t.log", "u.log"):
        own.write(path)
    own.git("add", "-f", "build/keep", "t.log")
    assert own.ignored("build/", "build/keep", "build/junk", "build/sub/", "build/sub/junk", "t.log", "u.log") == {
        "build/junk", "build/sub/", "build/sub/junk", "u.log"}
    # An index that cannot be read is none.
    own.write(".git/index", b"DIRC" + bytes(range(256)) * 9)
    assert "t.log" in own.ignored("t.log")


def test_repositories_inside(own):
    own.git("init", "-q")
    own.write(".gitignore", "*.o\n/gone/\n")
    for name in ("clone", "gone", "clone/deeper"):
        (own.top / name).mkdir()
        own.git("init", "-q", at=own.top / name)
        own.write(name + "/.gitignore", "*.tmp\n")
    paths = ["clone/", "clone/x.o", "clone/x.tmp", "clone/d/y.tmp", "clone-2/x.o", "clone/deeper/z.o", "clone/deeper/z.tmp", "gone/", "gone/x.c",
             "x.tmp", "x.o"]
    assert own.ignored(*paths) == {"clone/x.tmp", "clone/d/y.tmp", "clone-2/x.o", "clone/deeper/z.tmp", "gone/", "gone/x.c", "x.o"}
    # A submodule is tracked, whatever the rules say of its place.
    own.write("gone/f")
    own.git("add", "f", at=own.top / "gone")
    own.git("commit", "-qm", "m", at=own.top / "gone")
    own.git("add", "-f", "gone")
    assert own.ignored("gone/", "gone/x.c", "gone/x.tmp") == {"gone/x.tmp"}
    # Only those inside, and none around them.
    shutil.rmtree(own.top / ".git")
    assert own.ignored(*paths) == {"clone/x.tmp", "clone/d/y.tmp", "clone/deeper/z.tmp"}


def test_a_repository_above_the_project(own):
    above = own.top.parent
    own.git("init", "-q", at=above)
    own.write("../.gitignore", "*.o\n/project/only/\n")
    own.write("../.git/info/exclude", "*.excluded\n")
    own.write(".gitignore", "!kept.o\n/mine\n")
    own.write("t.o")
    own.write("only/x")
    own.git("add", "-f", "t.o")
    paths = ["x.o", "kept.o", "only/", "only/x", "mine", "sub/mine", "e.excluded", "t.o"]
    assert own.ignored(*paths) == own.ignored_by_git(*paths) == {"x.o", "only/", "only/x", "mine", "e.excluded"}
    # One that ignores the project as a whole, as repositories of people's homes do, is not the project's.
    own.write("../.gitignore", "/*\n")
    own.git("rm", "-q", "--cached", "t.o")
    assert own.ignored(*paths) == set()
    # The project's own takes the place of the one above.
    own.git("init", "-q")
    assert own.ignored(*paths) == {"mine"}


def test_git_directories_elsewhere(own):
    own.git("init", "-q")
    own.write(".gitignore", "*.o\n")
    own.write("f")
    own.git("add", "f")
    own.git("commit", "-qm", "m")
    own.git("worktree", "add", "-q", "tree")
    own.write("tree/t.o")
    own.git("add", "-f", "t.o", at=own.top / "tree")
    own.write(".git/info/exclude", "*.excluded\n")
    own.write("tree/.gitignore", "*.o\n")
    assert own.ignored("tree/t.o", "tree/u.o", "tree/e.excluded", "u.o") == {"tree/u.o", "tree/e.excluded", "u.o"}
    # Outside of the project nothing is read: rules alone decide.
    subprocess.run(["mv", own.top / ".git", own.tmp / "git"], check=True)
    own.write(".git", f"gitdir: {own.tmp}/git\n")
    own.write("tree/.git", "gitdir: ../../../git/worktrees/tree\n")
    assert own.ignored("tree/t.o", "tree/e.excluded", "u.o", "e.excluded") == {"tree/t.o", "u.o"}


def test_rules_and_index_are_those_of_the_box(own):
    own.git("init", "-q")
    own.write(".gitignore", "*.o\n")
    layer = own.tmp / "layer"
    (layer / "sub").mkdir(parents=True)
    (layer / ".gitignore").write_text("*.new\n")
    (layer / "sub/.gitignore").write_text("!x.new\n")
    assert own.ignored("a.o", "a.new", "sub/x.new", layers=[layer]) == {"a.new"}
    assert own.ignored("a.o", "a.new", "sub/x.new") == {"a.o"}
    own.write("a.new")
    own.git("add", "-f", "a.new")
    (layer / ".git").mkdir()
    shutil.copy(own.top / ".git/index", layer / ".git/index")
    own.git("rm", "-q", "--cached", "a.new")
    assert own.ignored("a.new", "b.new", layers=[layer]) == {"b.new"}


def test_the_persons_own_rules(own):
    own.git("init", "-q")
    own.write(own.home / ".config/git/ignore", "*.mine\n*.both\n")
    own.write(".git/info/exclude", "!x.both\n")
    assert own.ignored("a.mine", "x.both", "y.both") == {"a.mine", "y.both"}
    own.env["XDG_CONFIG_HOME"] = str(own.tmp / "config")
    assert own.ignored("a.mine") == set()
    own.write(own.tmp / "config/git/ignore", "*.mine\n")
    assert own.ignored("a.mine") == {"a.mine"}


def test_rules_that_are_no_plain_file_are_none(own):
    own.git("init", "-q")
    for name in ("link", "fifo", "directory", "large", "good"):
        (own.top / name).mkdir()
    own.write("rules", "*\n")
    (own.top / "link/.gitignore").symlink_to("../rules")
    os.mkfifo(own.top / "fifo/.gitignore")
    (own.top / "directory/.gitignore").mkdir()
    own.write("large/.gitignore", b"*\n" * (1 << 20))
    own.write("good/.gitignore", b"*\n" * 1000)
    os.mkfifo(own.top / ".git/index")
    assert own.ignored("link/x", "fifo/x", "directory/x", "large/x", "good/x") == {"good/x"}


def test_odd_paths(own):
    own.git("init", "-q")
    own.write(".gitignore", "*.o\nlong.o/\n")
    deep = "/".join(["d" * 200] * 19)
    names = ["new\nline.o", "\x1b.o", os.fsdecode(b"\xff\xfe.o"), deep + "/x.o", "-", "-.o", "long.o", "x"]
    assert own.ignored(*names) == {n for n in names if n.endswith(".o")}


@pytest.mark.big
def test_many_paths(own):
    own.git("init", "-q")
    own.write(".gitignore", "*.o\n/build/\nnode_modules/\n*.pyc\n.env\n")
    paths = [f"src/{i % 40}/{i % 400}/f{i}.{'o' if i % 10 == 0 else 'c'}" for i in range(50000)] + [f"node_modules/p{i % 500}/f{i}" for i in range(50000)]
    assert len(own.ignored(*paths)) == 55000


def test_a_helper_that_does_not_answer_is_an_error(own, tmp_path):
    own.git("init", "-q")
    own.programs = tmp_path / "other"
    own.programs.mkdir()
    shutil.copy(os.path.join(os.environ["AISBX_TEST_BIN"], "ignore"), own.programs)
    for program, words in (("/bin/false", "ended early with status 1"), ("/bin/cat", "ended early with status 0"), (None, "aisbx-merge is neither beside")):
        (own.programs / "aisbx-merge").unlink(missing_ok=True)
        if program:
            shutil.copy(program, own.programs / "aisbx-merge")
        assert words in own.ignored("a", "b", "c", status=1)


def test_rules_that_take_too_long_are_an_error(own):
    own.git("init", "-q")
    own.write(".gitignore", b"*a*a*a*a*b\n" * 90000)
    own.limits = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_CPU, (1, 1))}
    assert "exceeded its limit of time or memory" in own.ignored(*["a" * 200 + str(i) for i in range(200)], status=1)
