# SPDX-License-Identifier: Apache-2.0
"""Kills, and fails, operations on the state at every system call, from outside, by strace.

Each try starts from the same prepared state and project. Afterwards everything is as before the operation or as after
it, nothing is orphaned, and the next commands work. strace counts per name of call, so a place is "the 7th pwrite64".
A kill before a call that changes nothing leaves what a kill before the next call that does leaves: without
AISBX_LONG=1 only calls that change something are killed at (of those that prepare files, or are SQLite's, some), and a
sample of all calls is failed.
"""
import collections
import json
import os
import pathlib
import random
import re
import shutil
import signal
import sqlite3
import subprocess

import pytest

LONG = os.environ.get("AISBX_LONG") == "1"
ERRORS = ("ENOSPC", "EIO", "EMFILE", "ENOMEM")
# Calls that change nothing that outlives the process. What is not known here is killed at.
HARMLESS = {"access", "arch_prctl", "brk", "capget", "clock_gettime", "close", "close_range", "dup", "dup2", "dup3", "execve",
            "execveat", "faccessat", "faccessat2", "fadvise64", "fcntl", "fdatasync", "fgetxattr", "flistxattr", "flock", "fstat", "fstatfs", "fsync",
            "futex", "getcwd", "getdents64", "getegid", "geteuid", "getgid", "getpid", "getrandom", "getrusage", "getuid",
            "getxattr", "ioctl", "lgetxattr", "listxattr", "llistxattr", "lseek", "lstat", "madvise", "memfd_create", "mmap",
            "mprotect", "munmap", "newfstatat", "pipe2", "poll", "prctl", "pread64", "prlimit64", "read", "readlink",
            "readlinkat", "rseq", "rt_sigaction", "rt_sigprocmask", "set_robust_list", "set_tid_address", "stat", "statfs",
            "statx", "umask", "uname", "vfork", "wait4", "waitid"}
# What a call is told first, when that is no file: nothing stays of it.
NO_FILE = re.compile(r"\d+<(pipe:|socket:|UNIX|anon_inode:|/dev/|/proc/|/memfd:)")
# Calls that are many of a kind: files are prepared by them, or removed, or the database is written.
COMMON = {"copy_file_range", "fchmod", "fchown", "fchownat", "ftruncate", "mkdirat", "openat", "pwrite64", "symlinkat", "unlinkat",
          "utimensat", "write", "fsetxattr"}
# Of these, one call ends the program whatever it is told.
ENDS = {"exit", "exit_group", "execve", "rt_sigreturn", "restart_syscall"}
# So few random bytes are never refused (Linux 3.17): without them an id would repeat, and aisbx aborts. brk returns an
# address, whatever happens: an error that is none is taken for one. Who one is, is always known.
NEVER_FAIL = {"getrandom", "brk", "getpid", "getuid", "geteuid", "getgid", "getegid"}
# An error of these may be about what is left to gc, after the box is gone.
LEAVES_TO_GC = {"rm"}

Place = collections.namedtuple("Place", "name number")
Outcome = collections.namedtuple("Outcome", "status result said")


def facts(root):
    """
    Everything of a tree that a promotion may change; times of directories change with what is put into them. Without
    .aisbx, where a promotion that takes the target for another mount keeps what it replaced.
    """
    found = {}
    for here, dirs, files in os.walk(root):
        dirs[:] = [d for d in dirs if d != ".aisbx"]
        for name in dirs + files:
            path = os.path.join(here, name)
            st = os.lstat(path)
            is_dir = os.path.isdir(path) and not os.path.islink(path)
            body = os.readlink(path) if os.path.islink(path) else None if is_dir else pathlib.Path(path).read_bytes()
            xattrs = {} if os.path.islink(path) else {k: os.getxattr(path, k) for k in os.listxattr(path)}
            found[os.path.relpath(path, root)] = (st.st_mode, st.st_uid, st.st_gid, body, xattrs,
                                                  None if is_dir else st.st_mtime_ns)
    return found


class Lab:
    """A state directory and a project that are put back for every try."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.work, self.template = self.root / "work", self.root / "template"
        self.state, self.project = self.work / "state" / "aisbx", self.work / "project"
        self.log = self.root / "strace.log"
        self.env = {"PATH": "/usr/bin:/bin", "HOME": str(self.work / "home"), "XDG_STATE_HOME": str(self.state.parent),
                    "LC_ALL": "C.UTF-8"}

    def call(self, *words, under=()):
        """`aisbx WORDS --json`; words after "--" stay last."""
        at = words.index("--") if "--" in words else len(words)
        done = subprocess.run([*under, os.environ["AISBX"], *words[:at], "--json", *words[at:]], cwd=self.project,
                              env=self.env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120,
                              check=False)
        try:
            result = json.loads(done.stdout)
        except ValueError:
            result = None
        return Outcome(done.returncode, result, done.stdout + done.stderr)

    def ok(self, *words):
        done = self.call(*words)
        assert done.status == 0, f"{words}: {done}"
        return done.result

    def sh(self, box, script):
        return self.ok("run", "--box", box, "--", "sh", "-ec", script)["stdout"]

    def keep(self, name="template"):
        """What is there now is what tries start from."""
        for scratch in self.state.glob("layers/*/*/work/work"):  # overlayfs' own, of mode 0; it makes a new one
            subprocess.run(["chmod", "-R", "u+rwX", scratch], check=True)
            shutil.rmtree(scratch)
        self.template = self.root / name
        shutil.rmtree(self.template, ignore_errors=True)
        subprocess.run(["cp", "-a", self.work, self.template], check=True, timeout=60)

    def restore(self):
        """All of it but the directory of the project itself: a box belongs to that very one."""
        subprocess.run(["sh", "-ec", 'chmod -fR u+rwX "$2"/state/aisbx/layers/*/*/work || :; mkdir -p "$2/project"; chmod u+rwx "$2/project"\n'
                        'find "$2" -mindepth 1 -maxdepth 1 ! -name project -exec rm -rf {} +\n'
                        'find "$2/project" -mindepth 1 -maxdepth 1 -exec rm -rf {} +; exec cp -a "$1"/. "$2"',
                        "-", self.template, self.work], check=True, timeout=60)

    def traced(self, words, *injections):
        """The operation under strace; (outcome, (name, may it have changed something) of each call, by process)."""
        options = [w for i in injections for w in ("-e", f"inject={i}")] or ["-y"]
        outcome = self.call(*words, under=("strace", "-f", "-qq", "-o", self.log, *options))
        calls = collections.defaultdict(list)
        for line in self.log.read_text(errors="replace").splitlines():
            match = re.match(r"(\d+) +([a-z0-9_]+)\(", line)
            if match:
                opens = match.group(2) in ("open", "openat", "openat2")
                quiet = (match.group(2) in HARMLESS or re.search(r" = -1 E[A-Z]+ ", line) or (opens and "O_CREAT" not in line) or
                         NO_FILE.match(line, match.end()))
                calls[match.group(1)].append((match.group(2), not quiet))
        return outcome, calls

    def places(self, words):
        """Of an operation: (every place, those of its own code: what comes before is the C library's, where to kill)."""
        self.restore()
        outcome, calls = self.traced(words)
        assert outcome.status == 0, outcome
        everything, own, early, changing = {}, {}, {}, {}
        for process in calls.values():
            counts = collections.Counter()
            begun = not any(name == "getcwd" for name, _ in process)  # a helper's: all of it counts
            for name, changes in process:
                counts[name] += 1
                begun = begun or name == "getcwd"
                place = Place(name, counts[name])
                everything[place] = True
                (own if begun else early)[place] = True
                if changes:
                    changing[place] = True
        # A number counts in each process: where it would hit the start of another, it is no place of the operation.
        return list(everything), [p for p in own if p not in early], list(everything) if LONG else some(list(changing))


def some(places, most=2):
    """All; but about MOST of each common call, and the last."""
    last = collections.Counter(p.name for p in places)
    number, taken = collections.Counter(), []
    for place in places:
        number[place.name] += 1
        n = last[place.name]
        if place.name not in COMMON or number[place.name] in (1, n) or number[place.name] % -(-n // most) == 0:
            taken.append(place)
    return taken


def orphans(lab):
    """Directories without a row, and rows without a directory; call it after gc."""
    db = sqlite3.connect(f"file:{lab.state}/store.db?mode=ro", uri=True)
    try:
        assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert db.execute("PRAGMA foreign_key_check").fetchall() == []
        rows = {r[0] for r in db.execute("SELECT id FROM layers")}
        boxes = {r[0] for r in db.execute("SELECT id FROM boxes")}
    finally:
        db.close()
    dirs = set(os.listdir(lab.state / "layers"))
    locks = set(os.listdir(lab.state / "locks")) if (lab.state / "locks").exists() else set()
    known = {"layers", "live", "locks", "pids", "store.db", "store.db-wal", "store.db-shm", "store.db.log", "store.db.mark", "runs.notes", "output",
             "promotions", "bases", "lost", "names", "turns"}
    live = os.listdir(lab.state / "live") if (lab.state / "live").exists() else []
    return sorted(rows ^ dirs) + sorted(locks - boxes) + live + sorted(set(os.listdir(lab.state)) - known)


def view(lab):
    """What a person sees of the boxes: names, snapshots, what a run in each finds."""
    tree = lab.ok("tree", "--all")
    names = {b["id"]: b["name"] for b in tree["boxes"]}
    return {"boxes": {name: lab.sh(name, "cat v; ls -A") for name in sorted(names.values())},
            "snapshots": sorted((names[s["box"]], re.sub("^s-[0-9a-f]{16}$", "automatic", s["name"]))
                                for s in tree["snapshots"])}


def expected(lab, words):
    """(before, after), each as view() shows it."""
    lab.restore()
    before = view(lab)
    lab.restore()
    lab.ok(*words)
    after = view(lab)
    assert before != after, "the operation changes nothing: the test would pass whatever happened"
    return before, after


def check(lab, op, where, outcome, before, after, host, killed):
    """Old or new, and nothing in between; () or what is wrong."""
    lab.ok("gc")
    seen = view(lab)
    wrong = []
    if seen not in (before, after):
        wrong.append(f"neither old nor new: {seen}")
    if outcome.status == 0 and seen != after:
        wrong.append("success without effect")
    if not killed and outcome.status != 0:
        text = ((outcome.result or {}).get("error") or {}).get("text") or outcome.said
        if outcome.status != 125 or len(text) < 10:
            wrong.append(f"no clean error: {outcome}")
        if seen != before and op not in LEAVES_TO_GC and where.name not in ("write", "fdatasync"):  # what cannot be told, or kept
            wrong.append(f"an error, and yet it happened: {text}")
    if facts(lab.project) != host:
        wrong.append("the project changed")
    if orphans(lab):
        wrong.append(f"orphans: {orphans(lab)}")
    return [f"{where.name} {where.number}: {w}" for w in wrong]


def prepare(lab):
    """A box with a snapshot and changes after it, on a small project."""
    (lab.work / "home").mkdir(parents=True)
    (lab.project / "d").mkdir(parents=True)
    for name in ("a", "v", "d/old"):
        (lab.project / name).write_text(f"{name}\n")
    lab.ok("create", "b")
    lab.sh("b", "echo 1 > v; echo new > n; rm a")
    lab.ok("snap", "b", "s1")
    lab.sh("b", "echo 2 > v; rm n; mkdir e")
    lab.ok("history")
    lab.keep()


@pytest.fixture(name="lab", scope="module")
def fixture_lab(tmp_path_factory):
    lab = Lab(tmp_path_factory.mktemp("lab"))
    prepare(lab)
    return lab


OPERATIONS = {
    "create": ("create", "new"),
    "pin": ("create", "--pin", "new"),
    "snap-pin": ("snap", "--pin", "b", "s2"),
    "snap": ("snap", "b", "s2"),
    "rollback": ("rollback", "b", "s1"),
    "fork": ("fork", "b", "--name", "f"),
    "rm": ("rm", "b"),
}


@pytest.mark.parametrize("op", OPERATIONS)
def test_killed_at_a_call(lab, op):
    words = OPERATIONS[op]
    before, after = expected(lab, words)
    _, _, where_to_kill = lab.places(words)
    host, bad, killed, seen = facts(lab.project), [], 0, collections.Counter()
    for place in where_to_kill:
        lab.restore()
        outcome, _ = lab.traced(words, f"{place.name}:signal=KILL:when={place.number}")
        killed += outcome.status == -signal.SIGKILL
        bad += check(lab, op, place, outcome, before, after, host, killed=True)
        seen[outcome.status] += 1
    assert not bad, "\n".join(bad)
    assert killed > 10, seen


def sample(op, own, most=1):
    """(place, errno): all, or MOST of each call, the same every time."""
    every = [(p, e) for p in own if p.name not in ENDS | NEVER_FAIL for e in ERRORS]
    if LONG:
        return every
    chance, taken = random.Random(op), []
    for name in sorted({p.name for p in own}):
        pairs = [(p, e) for p, e in every if p.name == name]
        taken += chance.sample(pairs, min(most, len(pairs)))
    return taken


@pytest.mark.parametrize("op", OPERATIONS)
def test_a_failed_call(lab, op):
    words = OPERATIONS[op]
    before, after = expected(lab, words)
    _, own, _ = lab.places(words)
    host, bad, failed = facts(lab.project), [], 0
    for place, error in sample(op, own):
        lab.restore()
        outcome, _ = lab.traced(words, f"{place.name}:error={error}:when={place.number}")
        failed += outcome.status != 0
        bad += [f"{error} {w}" for w in check(lab, op, place, outcome, before, after, host, killed=False)]
    assert not bad, "\n".join(bad)
    assert failed > 3


# A lost store: killed at any call, it is made anew by the next, and the old file is never lost.

DAMAGE = b"x" * 8192

@pytest.fixture(name="broken", scope="module")
def fixture_broken(tmp_path_factory):
    lab = Lab(tmp_path_factory.mktemp("broken"))
    prepare(lab)
    lab.ok("fork", "b", "--name", "f")
    want = view(lab)
    for path in lab.state.glob("store.db[-.]*"):
        path.unlink()
    (lab.state / "store.db").write_bytes(DAMAGE)
    assert lab.call("ls", "--all").status == 125
    lab.keep("broken")
    return lab, want


def check_rebuilt(lab, where, want, status):
    """The next makes it anew; what was said to be done is done."""
    wrong = []
    if status == 0 and lab.call("ls", "--all").status != 0:
        wrong.append("success without effect")
    done = lab.call("recover", "--rebuild")
    collected = lab.ok("gc")
    if done.status != 0 or collected["layers"] or view(lab) != want:
        wrong.append(f"not made anew by the next: {done}, {collected}")
    if not any(p.read_bytes() == DAMAGE for p in lab.state.glob("store.db.lost-*")):
        wrong.append("the old file is not kept")
    left = {"store.db.new", "store.db.ready"} & set(os.listdir(lab.state))
    if left:
        wrong.append(f"left: {left}")
    return [f"{where.name} {where.number}: {w}" for w in wrong]


REBUILD = ("recover", "--rebuild")


def test_rebuild_killed_at_a_call(broken):
    lab, want = broken
    _, _, where_to_kill = lab.places(REBUILD)
    bad, killed = [], 0
    for place in where_to_kill:
        lab.restore()
        outcome, _ = lab.traced(REBUILD, f"{place.name}:signal=KILL:when={place.number}")
        killed += outcome.status == -signal.SIGKILL
        bad += check_rebuilt(lab, place, want, outcome.status)
    assert not bad, "\n".join(bad)
    assert killed > 10


def test_rebuild_with_a_failed_call(broken):
    lab, want = broken
    _, own, _ = lab.places(REBUILD)
    bad, failed = [], 0
    for place, error in sample("rebuild", own):
        lab.restore()
        outcome, _ = lab.traced(REBUILD, f"{place.name}:error={error}:when={place.number}")
        failed += outcome.status != 0
        if outcome.status not in (0, 125):
            bad.append(f"{error} {place.name} {place.number}: no clean error: {outcome}")
        bad += [f"{error} {w}" for w in check_rebuilt(lab, place, want, outcome.status)]
    assert not bad, "\n".join(bad)
    assert failed > 3


# The history: a run that was noted is in it once, whatever happens to who imports it.

@pytest.fixture(name="noted", scope="module")
def fixture_noted(tmp_path_factory):
    lab = Lab(tmp_path_factory.mktemp("noted"))
    prepare(lab)
    made = {r["run"] for r in lab.ok("history")["runs"]} | {lab.ok("run", "--", "true", str(i))["run"] for i in range(3)}
    assert (lab.state / "runs.notes").exists()
    lab.keep("noted")
    return lab, sorted(made)


def check_history(lab, where, made):
    wrong = []
    seen = sorted(r["run"] for r in lab.ok("history", "--full")["runs"] if r["result"]["run"] == r["run"])
    if seen != made:
        wrong.append(f"{where.name} {where.number}: {seen}, not {made}")
    if orphans(lab):
        wrong.append(f"{where.name} {where.number}: orphans: {orphans(lab)}")
    return wrong


def test_import_killed_at_a_call(noted):
    lab, made = noted
    _, _, where_to_kill = lab.places(("history",))
    bad, killed = [], 0
    for place in where_to_kill:
        lab.restore()
        outcome, _ = lab.traced(("history",), f"{place.name}:signal=KILL:when={place.number}")
        killed += outcome.status == -signal.SIGKILL
        bad += check_history(lab, place, made)
    assert not bad, "\n".join(bad)
    assert killed > 5


def test_import_with_a_failed_call(noted):
    lab, made = noted
    _, own, _ = lab.places(("history",))
    bad, failed = [], 0
    for place, error in sample("history", own):
        lab.restore()
        outcome, _ = lab.traced(("history",), f"{place.name}:error={error}:when={place.number}")
        failed += outcome.status != 0
        if outcome.status not in (0, 125):
            bad.append(f"{error} {place.name} {place.number}: no clean error: {outcome}")
        bad += [f"{error} {w}" for w in check_history(lab, place, made)]
    assert not bad, "\n".join(bad)
    assert failed > 3


# Promotion, undo and recovery: the project is exactly the old or exactly the new one.

STAMP = "2021-03-04 05:06:07"
# A kind of change for every kind of step; times are fixed, so that the new tree is the same every time.
CHANGES = f"""
echo box > v; echo new > made; rm gone; chmod 750 mode; ln -sf elsewhere link; rm -r was; echo file > was; rm file
mkdir -p file/below whole/deep; echo 1 > file/below/x; echo 2 > whole/deep/y; echo 3 > whole/z; echo more >> text
setfattr -n user.note -v box note
find . -depth ! -type d -exec touch -h -d '{STAMP}' {{}} +
"""
TEXT = "".join(f"line {i}\n" for i in range(40))


def prepare_project(lab):
    (lab.work / "home").mkdir(parents=True)
    (lab.project / "was").mkdir(parents=True)
    for name in ("v", "gone", "mode", "was/inside", "file", "note", "same"):
        (lab.project / name).write_text(f"{name}\n")
    (lab.project / "link").symlink_to("somewhere")
    (lab.project / "text").write_text(TEXT)
    for here, _, names in os.walk(lab.project):
        for name in names:
            os.utime(os.path.join(here, name), (1.5e9, 1.5e9), follow_symlinks=False)
    lab.keep("bare")


class Promotion(Lab):
    """Before every try a box is made and changed anew: its promotion knows files by inode and time of change."""

    def restore(self):
        super().restore()
        self.ok("create", "b")
        self.sh("b", CHANGES)
        (self.project / "text").write_text("host\n" + TEXT)  # merged: the box appended
        os.utime(self.project / "text", (1.6e9, 1.6e9))
        self.begin()

    def begin(self):
        """What happened before the operation that is tried."""

    def hidden(self):
        """What promotions that can be taken back do not need."""
        kept = set(os.listdir(self.state / "promotions"))
        return [p.name for p in self.project.glob(".aisbx*/*") if p.name not in kept | {".gitignore"}]

    def settled(self):
        """The project after `recover`."""
        self.ok("recover")
        assert self.ok("recover")["recovered"] == [], "a second recover finds nothing"
        assert self.hidden() == []
        return facts(self.project)


def promotion_orphans(lab):
    """What can be taken back has a directory; there is no other."""
    db = sqlite3.connect(f"file:{lab.state}/store.db?mode=ro", uri=True)
    rows = {r[0] for r in db.execute("SELECT id FROM promotions WHERE state = 'done'")}
    db.close()
    dirs = set(os.listdir(lab.state / "promotions")) - {"lock"} if (lab.state / "promotions").exists() else set()
    return sorted(rows ^ dirs)


def merged(trees):
    """Times of files that are merged are those of the merge."""
    return {p: f[:-1] + (None,) if p == "text" else f for p, f in trees.items()}


PROMOTE, UNDO, RECOVER = ("promote", "b"), ("undo",), ("recover",)


class Undone(Promotion):
    def begin(self):
        self.ok(*PROMOTE)


def cut_off(words):
    """A laboratory in which WORDS were killed in the middle of their renames."""

    class CutOff(Promotion):
        prior = Undone if words == UNDO else Promotion
        at = None

        def begin(self):
            self.prior.begin(self)
            if self.at is None:
                _, calls = self.traced(words)
                most = max(sum(name == "renameat2" for name, _ in process) for process in calls.values())
                type(self).at = most - 2
                self.restore()
                return
            outcome, _ = self.traced(words, f"renameat2:signal=KILL:when={self.at}")
            assert outcome.status == -signal.SIGKILL, outcome

    return CutOff


# Operation, where it starts, and whether it leads to the new project.
STORIES = {
    "promote": (PROMOTE, Promotion, True),
    "undo": (UNDO, Undone, False),
    "recover a promotion": (RECOVER, cut_off(PROMOTE), True),
    "recover an undo": (RECOVER, cut_off(UNDO), False),
}
Story = collections.namedtuple("Story", "name lab words before after")


@pytest.fixture(name="story", scope="module", params=STORIES)
def fixture_story(request, tmp_path_factory):
    words, kind, forwards = STORIES[request.param]
    lab = kind(tmp_path_factory.mktemp("promotion"))
    prepare_project(lab)
    plain = Promotion(lab.root)
    plain.template = lab.template
    plain.restore()
    old = merged(facts(lab.project))
    plain.ok(*PROMOTE)
    new = merged(facts(lab.project))
    assert old != new
    return Story(request.param, lab, words, *((old, new) if forwards else (new, old)))


def differing(one, other):
    return sorted(p for p in one.keys() | other.keys() if one.get(p) != other.get(p))


def judge(story, where, outcome, killed):
    """Before `recover`: success is complete, an error is clean. After it: exactly the old or the new project."""
    lab, wrong = story.lab, []
    seen = merged(facts(lab.project))
    if outcome.status == 0 and seen not in ((story.after, story.before) if story.words == RECOVER else (story.after,)):
        wrong.append(f"success without effect: {differing(seen, story.after)}")
    if not killed and outcome.status != 0:
        text = ((outcome.result or {}).get("error") or {}).get("text") or outcome.said
        refused = outcome.status == 1 and outcome.result["conflicts"]  # a text that could not be merged is a conflict
        # The same write of a helper and of aisbx itself: then there is nothing left to say it with.
        if not refused and (outcome.status != 125 or (len(text) < 10 and where.name != "write")):
            wrong.append(f"no clean error: {outcome}")
    try:
        seen = merged(lab.settled())
    except AssertionError as err:
        return wrong + [f"{where.name} {where.number}: {str(err)[:300]}"]
    # What was begun is finished, if nothing but a kill was in the way: a promotion that cannot go on is taken back.
    good = (story.after,) if story.words == RECOVER and killed else (story.before, story.after)
    if seen not in good:
        wrong.append(f"{differing(seen, story.after)} differ from the new, {differing(seen, story.before)} from the old")
    lab.ok("gc")
    if orphans(lab) or promotion_orphans(lab):
        wrong.append(f"orphans: {orphans(lab)}, {promotion_orphans(lab)}")
    if "box" not in lab.sh("b", "cat v"):
        wrong.append("the box changed")
    return [f"{where.name} {where.number}: {w}" for w in wrong]


def test_promotion_killed_at_a_call(story):
    _, _, where_to_kill = story.lab.places(story.words)
    bad, killed = [], 0
    for place in where_to_kill:
        story.lab.restore()
        outcome, _ = story.lab.traced(story.words, f"{place.name}:signal=KILL:when={place.number}")
        killed += outcome.status == -signal.SIGKILL
        bad += judge(story, place, outcome, killed=True)
    assert not bad, "\n".join(bad)
    assert killed > 10


def test_promotion_with_a_failed_call(story):
    _, own, _ = story.lab.places(story.words)
    bad, failed = [], 0
    for place, error in sample(story.name, own, most=1):
        story.lab.restore()
        outcome, _ = story.lab.traced(story.words, f"{place.name}:error={error}:when={place.number}")
        failed += outcome.status != 0
        bad += [f"{error} {w}" for w in judge(story, place, outcome, killed=False)]
    assert not bad, "\n".join(bad)
    assert failed > 3


# A trap that cannot be looked for is none that is not there.
TRAPS = {
    "package": """printf '{"scripts":{"postinstall":"sh evil"}}' > package.json""",
    "link": "ln -s /etc/passwd out",
    "setuid": "cp /bin/true tool; chmod 4755 tool",
}


@pytest.mark.parametrize("trap", TRAPS)
def test_a_trap_is_seen_whatever_fails(trap, tmp_path):
    lab = Lab(tmp_path)
    prepare_project(lab)
    lab.ok("create", "b")
    lab.sh("b", f"{TRAPS[trap]}; echo box > v")
    lab.keep("trapped")
    done = lab.call("promote", "b", "--dry-run")
    assert [t["kind"] for t in done.result["traps"]], "there is no trap"
    host, counts = facts(lab.project), collections.defaultdict(int)
    lab.restore()
    _, calls = lab.traced(PROMOTE)
    for process in calls.values():
        for name, number in collections.Counter(name for name, _ in process).items():
            counts[name] = max(counts[name], number)
    bad, looks = [], ("openat", "openat2", "newfstatat", "readlinkat", "fgetxattr", "read", "statx", "getdents64", "lgetxattr")
    for name in looks:
        step = 1 if LONG else 1 + counts[name] // 16
        for number in range(1, counts[name] + 1, step):
            for error in ERRORS if LONG else (ERRORS[number // step % len(ERRORS)],):
                lab.restore()
                outcome, _ = lab.traced(PROMOTE, f"{name}:error={error}:when={number}")
                if facts(lab.project) != host or outcome.status == 0:
                    bad.append(f"{error} {name} {number}: {outcome.status} {differing(facts(lab.project), host)}")
    assert not bad, "\n".join(bad)
