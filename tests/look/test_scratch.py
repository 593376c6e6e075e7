# SPDX-License-Identifier: Apache-2.0
"""`look --scratch`: a command with Landlock and seccomp alone, in a copy that it may change. As root and as an ordinary user, on this machine and
where no namespace can be made.
"""
import json
import os
import pathlib
import stat
import subprocess

import pytest

from box import aisbx

MISSING = ["userns", "mount", "pid", "net", "ipc", "uts", "cgroup", "root"]
NO_NAMESPACES = "echo 0 > /proc/sys/user/max_user_namespaces; exec \"$0\" \"$@\""


@pytest.fixture(name="place")
def fixture_place(tmp_path):
    for name in ("project", "outside", "state"):
        (tmp_path / name).mkdir()
    (tmp_path / "project/a").write_text("one\n")
    (tmp_path / "outside/f").write_text("mine\n")
    return tmp_path


@pytest.fixture(name="look", params=["here", "no-namespaces"])
def fixture_look(place, request):
    before = ["unshare", "--user", "--map-root-user", "sh", "-c", NO_NAMESPACES] if request.param == "no-namespaces" else []

    def look(script, *options):
        return subprocess.run([*before, aisbx(), "look", "--scratch", *options, "--", "sh", "-c", script], check=False, capture_output=True, text=True,
                              cwd=place / "project", env={**os.environ, "XDG_STATE_HOME": str(place / "state")}, timeout=60)
    return look


def facts(top):
    return {str(p.relative_to(top)): (p.lstat().st_mode, p.lstat().st_mtime_ns, p.read_bytes() if p.is_file() else None) for p in [top, *top.rglob("*")]}


def test_it_changes_a_copy_only(place, look):
    before = facts(place / "project")
    done = look("cat a; echo two > a; echo new > b; mkdir d; mv b d; ln -s a l; chmod 700 a; touch -d 2020-01-01 a; stat -c '%a %Y' a; cat d/b; "
                "echo t > $TMPDIR/t; echo h > ~/h; cat $TMPDIR/t ~/h")
    assert done.stdout == "one\n700 1577836800\nnew\nt\nh\n" and done.returncode == 0, done.stderr
    assert facts(place / "project") == before
    assert not list((place / "state/aisbx").glob("copy-*")), "the copy is gone"


def test_each_missing_wall_is_named(look):
    done = look("exit 3", "--json")
    result = json.loads(done.stdout)
    assert done.returncode == 3 and result["exit_code"] == 3
    assert (result["isolation"]["level"], result["isolation"]["missing"]) == ("reduced", MISSING)
    assert result["isolation"]["walls"] == ["landlock", "caps", "no-new-privs", "descriptors", "seccomp"]
    said = look("true").stderr
    assert all(f"'{wall}'" in said for wall in MISSING)


OUT = ["echo x > {o}/new", "echo x >> {o}/f", "chmod 777 {o}/f", "chmod 777 {o}", "touch -d 2001-01-01 {o}/f", "rm {o}/f", "mv {o}/f g", "ln {o}/f h && chmod 777 h",
       "ln -s {o}/f l; chmod 777 l", "ln -s {o} d; chmod 777 d/f", "ln -s {o} d; echo x > d/new", "mkdir -p s; ln -s ../../../outside s/t; chmod 777 s/t/f",
       "truncate -s 0 {o}/f", "ln -s {o}/f l; truncate -s 0 l", "ln -s {o}/f l; touch -d 2001-01-01 l", "mv a {o}/a", "cd {o} && chmod 777 f", "cd {o} && chmod 777 ."]


@pytest.mark.parametrize("script", OUT)
def test_nothing_outside_changes(place, look, script):
    before = facts(place / "outside")
    look(script.format(o=place / "outside"))
    assert facts(place / "outside") == before


PYTHON = {
    "fchmod": "import os; f = os.open('{o}/f', os.O_RDONLY); os.fchmod(f, 0o777)",
    "futimens": "import os; f = os.open('{o}/f', os.O_RDONLY); os.utime(f, (1, 1))",
    "proc": "import os; f = os.open('{o}/f', os.O_RDONLY); os.chmod('/proc/self/fd/%d' % f, 0o777)",
    "dir": "import os; d = os.open('{o}', os.O_PATH); os.chmod('f', 0o777, dir_fd=d)",
    "xattr": "import os; os.setxattr('{o}/f', 'user.a', b'1')",
    "race": """
import os, threading, ctypes
os.mkdir('r'); open('r/f', 'w').close(); os.symlink('{o}', 'q')
def swap():
    for _ in range(2000):
        try:
            os.rename('r', 'x'); os.rename('q', 'r'); os.rename('r', 'q'); os.rename('x', 'r')
        except OSError: pass
t = threading.Thread(target=swap); t.start()
for _ in range(300):
    try: os.chmod('r/f', 0o777)
    except OSError: pass
t.join()
""",
}


@pytest.mark.parametrize("name", PYTHON)
def test_nothing_outside_changes_by_other_calls(place, look, name):
    before = facts(place / "outside")
    (place / "project/p.py").write_text(PYTHON[name].format(o=place / "outside"))
    look("/usr/bin/python3 p.py")
    assert facts(place / "outside") == before


def test_no_rights_by_a_file(look):
    assert look("chmod 6755 a; stat -c %a a").stdout == "755\n"


def test_no_socket_no_signal(place, look):
    (place / "project/s.py").write_text("import socket\nfor f in (socket.AF_INET, socket.AF_UNIX):\n"
                                        "    try: socket.socket(f, socket.SOCK_DGRAM); print('open')\n    except OSError: print('no')\n"
                                        "try: socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM); print('open')\nexcept OSError: print('no')\n"
                                        "a, b = socket.socketpair(); a.send(b'x'); print(b.recv(1))\n")
    assert look("/usr/bin/python3 s.py").stdout == "no\n" * 3 + "b'x'\n"
    assert look(f"kill -0 {os.getpid()} && echo signalled").stdout == ""


def test_programs_work(place, look):
    (place / "project/a.c").write_text('#include <stdio.h>\nint main(void) { puts("compiled"); }\n')
    done = look("cc a.c -o x && ./x && git init -q . && git add a.c && git -c user.name=a -c user.email=a@b commit -qm x && git log --format=%s")
    assert done.stdout == "compiled\nx\n", done.stderr


def test_what_a_killed_one_left_is_removed(place, look):
    look("true")
    old = place / "state/aisbx/copy-000000"
    (old / "project").mkdir(parents=True)
    os.utime(old, (1, 1))
    look("true")
    assert not old.exists() and stat.S_ISDIR(os.stat(place / "state/aisbx").st_mode)


def test_a_directory_with_the_state_is_refused(place):
    done = subprocess.run([aisbx(), "look", "--scratch", "--", "true"], check=False, capture_output=True, text=True, cwd=place, timeout=60,
                          env={**os.environ, "XDG_STATE_HOME": str(pathlib.Path(place) / "state")})
    assert done.returncode == 125 and "contains what aisbx keeps" in done.stderr
