# SPDX-License-Identifier: Apache-2.0
"""Attacks 151, 152 and 160: other people on the same machine, who get there first, and what a box leaves for them."""
import json
import os
import pathlib
import stat
import subprocess

import box
import pytest

# A /var/tmp of the test's own. Root has real strangers in it; to an ordinary user, alone in a user namespace, what is root's is a stranger's.
PRIVATE = ["unshare", "-m" if box.IS_ROOT else "-Urm", "sh", "-euc"]
# What is built may lie in /var/tmp itself, so it gets another name first.
FRESH = ('mount --bind "$BUILD" "$HOME/build"; AISBX=$HOME/build/src/aisbx AISBX_TEST_BIN=$HOME/build/tests; '
         "mount -t tmpfs -o mode=1777 t /var/tmp; P=/var/tmp/aisbx-passing-0; ")
STRANGER = "chown -h 65534 $P; " if box.IS_ROOT else ""
STRANGERS_DIR = "mkdir $P; " + (STRANGER or "mount --bind /usr/share $P; ")
# A kernel whose overlays need a disk, and a project that holds the state directory: then /var/tmp is where changes go.
OLDER = 'setarch "$(uname -m)" --uname-2.6 "$AISBX_TEST_BIN/deny" fsetxattr EOPNOTSUPP setxattr EOPNOTSUPP -- '
SQUATS = {
    "directory": STRANGERS_DIR,
    "open directory": "mkdir -m 777 $P; ",
    "link": "ln -s \"$VICTIM\" $P; " + STRANGER,
    "file": ": >$P; " + STRANGER,
    "FIFO": "mkfifo $P; " + STRANGER,
    "held lock": STRANGERS_DIR + "exec 9<$P; flock -s 9; ",
}


class Place:
    """A project that holds a state directory, and a directory of the victim's that looks like one of layers."""

    def __init__(self, path):
        self.project, self.victim = path / "project", path / "victim"
        (self.project / "d").mkdir(parents=True)
        (self.victim / "p-0123456789abcdef" / "project").mkdir(parents=True)
        (self.victim / ".dead-p-0123456789abcde0").mkdir()
        (path / "build").mkdir()
        self.state = self.project / "state"
        self.env = {**os.environ, "BUILD": str(pathlib.Path(box.aisbx()).resolve().parent.parent), "XDG_STATE_HOME": str(self.state), "HOME": str(path), "VICTIM": str(self.victim), "AISBX": box.aisbx()}

    def aisbx(self, *words, **env):
        return subprocess.run([box.aisbx(), *words], cwd=self.project, env={**self.env, **env}, text=True, timeout=60, check=False,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def private(self, script):
        return subprocess.run([*PRIVATE, FRESH + script], cwd=self.project, env=self.env, text=True, timeout=60, check=False,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


@pytest.fixture(name="there")
def _there(tmp_path):
    yield Place(tmp_path)
    subprocess.run(["chmod", "-R", "u+rwX", tmp_path], check=True)  # overlayfs leaves directories that nobody may enter


@pytest.mark.parametrize("squat", SQUATS)
def test_151_a_place_that_somebody_else_has_made(there, squat):
    before = box.facts(there.victim)
    done = there.private(SQUATS[squat] + '"$AISBX" gc --json; ' + OLDER + '"$AISBX" run -- sh -ec "rm -r d && mkdir d && ls"; '
                         '"$AISBX" gc --json; ls /var/tmp')
    assert done.returncode == 0, done
    first, *ran, second = done.stdout.split("aisbx-passing-0")[0].strip().splitlines()
    assert (json.loads(first)["leftovers"], ran, json.loads(second)["leftovers"]) == (0, ["d", "state"], 0), done
    assert "aisbx-passing-0-" in done.stdout, "the run did not need a place in /var/tmp: nothing was tested"
    assert box.facts(there.victim) == before


def test_151_control_a_place_of_ones_own_is_swept(there):
    done = there.private('mkdir -m 711 $P; cp -a "$VICTIM"/. $P; ls -A $P; "$AISBX" gc --json; ls -A $P')
    assert done.returncode == 0 and done.stdout.count("p-0123456789abcde") == 2, done
    assert '"leftovers":2' in done.stdout.replace(" ", ""), done


SWAP = """
import itertools, os, sys
os.setgroups([]); os.setgid(65534); os.setuid(65534)
place, victim = sys.argv[1:]
for i in itertools.count():
    try:
        os.mkdir(place); os.rename(place, f"{place}.{i}"); os.symlink(victim, place)
        os.rmdir(f"{place}.{i}"); os.unlink(place)
    except OSError:
        pass
"""

if box.IS_ROOT:  # alone in a user namespace nobody can be a stranger who moves
    def test_151_swapped_all_the_time(there):
        os.chmod(there.victim, 0o777)
        (there.project / "swap.py").write_text(SWAP)
        before = box.facts(there.victim)
        done = there.private('python3 -I swap.py $P "$VICTIM" & trap "kill $!" EXIT; until [ -L $P ]; do :; done; '
                             'for i in 1 2 3 4 5 6 7 8 9 10; do "$AISBX" gc --json; "$AISBX" doctor --leaks >/dev/null || :; done')
        assert done.returncode == 0 and done.stdout.count('"leftovers": 0') + done.stdout.count('"leftovers":0') == 10, done
        assert box.facts(there.victim) == before


def _foreign(there):
    if box.IS_ROOT:
        os.makedirs(there.state / "aisbx", 0o700)
        os.chown(there.state / "aisbx", 65534, 65534)
    else:
        there.state.mkdir()
        os.symlink("/usr/share", there.state / "aisbx")


def _link(name):
    def make(there):
        (there.state / "aisbx").mkdir(0o700, parents=True)
        os.symlink(there.victim, there.state / "aisbx" / name)
    return make


def _open(name, mode):
    def make(there):
        (there.state / "aisbx" / "layers").mkdir(parents=True)
        for path in (there.state, there.state / "aisbx", there.state / "aisbx/layers"):
            path.chmod(0o700)
        (there.state / name).chmod(mode)
    return make


def _file(there):
    there.state.mkdir()
    (there.state / "aisbx").write_text("")


STATES = {
    "of somebody else": (_foreign, "belongs to user"),
    "open to all": (_open("aisbx", 0o777), "others than you can write"),
    "open to a group": (_open("aisbx", 0o770), "others than you can write"),
    "open layers": (_open("aisbx/layers", 0o777), "aisbx/layers' (mode 0777)"),
    "layers as a link": (_link("layers"), "aisbx/layers' is a symbolic link"),
    "store as a link": (_link("store.db"), "aisbx/store.db' is a symbolic link"),
    "locks as a link": (_link("locks"), "aisbx/locks' is a symbolic link"),
    "a parent that all can write": (_open(".", 0o777), "everybody can write"),
    "a file": (_file, "is a file"),
}


@pytest.mark.parametrize("what", STATES)
def test_152_a_state_directory_that_is_not_ones_own(there, what):
    make, words = STATES[what]
    make(there)
    before = box.facts(there.state, there.victim)
    for command in (["ls"], ["create", "b"], ["gc"], ["promote", "b"], ["undo"]):
        done = there.aisbx(*command)
        assert done.returncode == 125 and words in done.stderr and str(there.state) in done.stderr, (command, done)
    # What keeps nothing goes on, and says that it could not be noted; the box does not see the directory.
    done = there.aisbx("run", "--", "sh", "-c", 'find "$1" -mindepth 1 2>/dev/null | wc -l', "sh", str(there.state / "aisbx"))
    assert done.returncode == 0 and done.stdout == "0\n" and words in done.stderr, done
    assert box.facts(there.state, there.victim) == before


def test_152_control_what_is_ones_own(there):
    """Parents of all sorts, links of one's own, a sticky directory, a group that may write above."""
    for name, mode in (("sticky", 0o1777), ("group", 0o775)):
        (there.project / name).mkdir()
        (there.project / name).chmod(mode)
        os.symlink(name, there.project / f"to-{name}")
        done = there.aisbx("ls", "--all", XDG_STATE_HOME=str(there.project / f"to-{name}"))
        assert done.returncode == 0 and (there.project / name / "aisbx/store.db").exists(), done
    (there.project / "group/aisbx").chmod(0o755)
    assert there.aisbx("ls", "--all", XDG_STATE_HOME=str(there.project / "group")).returncode == 0
    assert stat.S_IMODE(os.stat(there.project / "group/aisbx").st_mode) == 0o700, "others could lock it"


# Every call that takes a mode, by number, as no C library would make it.
SET_IDS = """
import ctypes, errno, os, platform, struct, sys
here, libc = sys.argv[1], ctypes.CDLL(None, use_errno=True)
X86 = platform.machine() == "x86_64"
def call(x86, other, *args):
    number = x86 if X86 else other
    if number is not None:
        got = libc.syscall(number, *args)
        print("OK" if got >= 0 else errno.errorcode[ctypes.get_errno()])
def at(name):
    return os.path.join(here, name).encode()
NEW, MODES = os.O_CREAT | os.O_WRONLY, (0o4755, 0o2755)
open(at("f"), "w").close()
fd = os.open(at("f"), os.O_RDONLY)
for i, mode in enumerate(MODES):
    call(90, None, at("f"), mode)
    call(91, 52, fd, mode)
    call(268, 53, -100, at("f"), mode)
    call(452, 452, -100, at("f"), mode, 0)
    call(2, None, at(f"open{i}"), NEW, mode)
    call(85, None, at(f"creat{i}"), mode)
    call(257, 56, -100, at(f"openat{i}"), NEW, mode)
    call(257, 56, -100, here.encode(), os.O_TMPFILE | os.O_WRONLY, mode)
    call(437, 437, -100, at(f"openat2{i}"), struct.pack("QQQ", NEW, mode, 0), 24)
    call(133, None, at(f"mknod{i}"), 0o100000 | mode, 0)
    call(259, 33, -100, at(f"mknodat{i}"), 0o100000 | mode, 0)
try:
    os.setxattr(at("f"), "security.capability", struct.pack("<IIIII", 0x02000001, 1 << 7, 0, 0, 0))
    print("OK")
except OSError as err:
    print(errno.errorcode[err.errno])
os.chmod(at("f"), 0o755)
os.open(at("f"), os.O_RDONLY, 0o6777)
os.mkdir(at("d"), 0o6755)
"""
TOOLS = """
cd "$1" && mkdir -p a/b && echo x >a/b/c && chmod 755 a/b/c && tar cf a.tar a && mkdir x && tar xpf a.tar -C x && cp -a a y &&
install -m 755 a/b/c i && install -d n && git init -q r && cd r && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x
"""


def _set_ids(path):
    """Names below PATH that carry one of the bits, or capabilities."""
    found = []
    for here, _, files in os.walk(path):
        for name in files:
            whole = os.path.join(here, name)
            if os.lstat(whole).st_mode & 0o6000 or "security.capability" in os.listxattr(whole, follow_symlinks=False):
                found.append(name)
    return found


@pytest.mark.parametrize("without", [(), ("seccomp",), ("caps",)], ids=lambda walls: "-".join(walls) or "all")
def test_160_no_set_user_id_through_rw(there, without):
    shared = there.project.parent / "shared"
    shared.mkdir()
    options = ["--rw", str(shared), *(word for wall in without for word in ("--without", wall))]
    result = box.started(box.run("python3", "-c", SET_IDS, shared, cwd=there.project, options=options, env=there.env))
    assert result["exit_code"] == 0 and set(result["stdout"].split()) == {"EPERM", "ENOSYS"}, result
    assert result["stdout"].count("ENOSYS") == 2, "openat2, whose mode no filter can see, is not there; all others are refused"
    assert set(result["isolation"]["missing"]) == set(without)
    assert os.path.isdir(shared / "d") and stat.S_IMODE(os.stat(shared / "f").st_mode) == 0o755
    assert _set_ids(shared) == []


def test_160_nor_by_who_joins(there):
    shared = there.project.parent / "shared"
    shared.mkdir()
    with subprocess.Popen([box.aisbx(), "run", "--rw", str(shared), "--", "sh", "-c", "echo up; cat"], cwd=there.project, env=there.env,
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE) as live:
        assert live.stdout.readline() == b"up\n"
        run, = (r["run"] for r in json.loads(there.aisbx("ps", "--all", "--json").stdout)["runs"])
        done = there.aisbx("exec", run, "--", "python3", "-c", SET_IDS, str(shared))
        live.stdin.close()
    assert done.returncode == 0 and set(done.stdout.split()) == {"EPERM", "ENOSYS"} and _set_ids(shared) == [], done


def test_160_tools_go_on(there):
    shared = there.project.parent / "shared"
    shared.mkdir()
    result = box.run("sh", "-ec", TOOLS, "sh", shared, cwd=there.project, options=["--rw", str(shared)], env=there.env)
    assert result["exit_code"] == 0, result


def test_160_controls(there):
    """Outside, and in a box where nothing of the host can change, the bits can be set."""
    here = there.project / "here"
    here.mkdir()
    result = box.started(box.run("python3", "-c", SET_IDS, "here", cwd=there.project, env=there.env))
    assert result["stdout"].split()[:-1].count("OK") == len(result["stdout"].split()) - 1, result
    done = subprocess.run(["python3", "-c", SET_IDS, here], stdout=subprocess.PIPE, text=True, check=True)
    assert done.stdout.count("OK") >= len(result["stdout"].split()) - 1 and _set_ids(here), done
