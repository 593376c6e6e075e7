# SPDX-License-Identifier: Apache-2.0
"""What a command behind the glass tries and must not get; each prints "done" when nobody holds it, which is its control."""
import os
import signal
import socket
import subprocess

import box
import pytest
from looking import SECRET

PYTHON = "/usr/bin/python3"
HEAD = ("import ctypes, fcntl, mmap, os, resource, signal, socket, struct, sys\nlibc = ctypes.CDLL(None, use_errno=True)\n"
        "def call(*a):\n    r = libc.syscall(*a)\n    if r < 0: raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))\n    return r\n")
# All in the project, on README.md and b.txt; {other} is a process of the same user, {sock}, {abstract} and {port} are somebody's who listens.
CHANGES = {
    "write": "open('README.md', 'r+').write('x')",
    "append": "open('README.md', 'a').write('x')",
    "create": "open('new', 'x')",
    "nameless file": "os.open('.', os.O_TMPFILE | os.O_RDWR)",
    "truncate on open": "os.open('README.md', os.O_RDONLY | os.O_TRUNC)",
    "truncate on open, in no mode": "os.open('README.md', 3 | os.O_TRUNC)",
    "truncate on open by openat2": "call(437, -100, b'README.md', struct.pack('QQQ', os.O_TRUNC, 0, 0), 24)",
    "truncate": "os.truncate('README.md', 0)",
    "mkdir": "os.mkdir('made')",
    "rename": "os.rename('README.md', 'other')",
    "exchange": "call(316, -100, b'README.md', -100, b'b.txt', 2)",
    "remove": "os.unlink('README.md')",
    "link": "os.link('README.md', 'linked')",
    "symlink": "os.symlink('README.md', 'pointed')",
    "fifo": "os.mkfifo('fifo')",
    "bind a socket": "socket.socket(socket.AF_UNIX).bind('sock')",
    "chmod": "os.chmod('README.md', 0o600)",
    "chmod by descriptor": "os.chmod(os.open('README.md', os.O_RDONLY), 0o600)",
    "chmod by fchmodat2": "call(452, -100, b'README.md', 0o600, 0)",
    "chown": "os.chown('README.md', os.getuid(), os.getgid())",
    "times": "os.utime('README.md', (1, 1))",
    "times by descriptor": "os.utime(os.open('README.md', os.O_RDONLY), (1, 1))",
    "attribute": "os.setxattr('README.md', 'user.x', b'1')",
    "attribute by descriptor": "os.setxattr(os.open('README.md', os.O_RDONLY), 'user.x', b'1')",
    "flags by ioctl": "fcntl.ioctl(os.open('README.md', os.O_RDONLY), 0x40086602, struct.pack('l', 0x40))",
    "mapped": "mmap.mmap(os.open('README.md', os.O_RDWR), 2)[0:1] = b'x'",
    "through a name in proc": "open(f'/proc/self/fd/{os.open(\"README.md\", os.O_RDONLY)}', 'r+').write('x')",
}
REACHES = {
    "signal": "os.kill({other}, 0)",
    "signal by pidfd": "signal.pidfd_send_signal(os.pidfd_open({other}), 0)",
    "signal of a descriptor": "r, w = os.pipe(); fcntl.fcntl(r, 10, 0); os.kill({other}, signal.SIGCONT)",
    "priority": "os.setpriority(os.PRIO_PROCESS, {other}, 5)",
    "priority of all": "os.setpriority(os.PRIO_USER, 0, os.getpriority(os.PRIO_PROCESS, 0))",
    "limits": "resource.prlimit({other}, resource.RLIMIT_CORE, (0, 0))",
    "processors": "os.sched_setaffinity({other}, os.sched_getaffinity(0))",
    "environment": "assert b'SECRET' in open('/proc/{other}/environ', 'rb').read()",
    "memory": "open('/proc/{other}/mem', 'rb')",
    "descriptors": "os.readlink('/proc/{other}/fd/0')",
    "maps": "assert open('/proc/{other}/maps').read()",
    "unix socket": "socket.socket(socket.AF_UNIX).connect('{sock}')",
    "abstract socket": "socket.socket(socket.AF_UNIX).connect(b'\\0{abstract}')",
    "datagram of a pair": "a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM); a.sendto(b'x', '{dgram}')",
    "tcp": "socket.create_connection(('127.0.0.1', {port}))",
    "udp": "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', {port}))",
    "listen": "socket.create_server(('127.0.0.1', 0))",
    "shared memory": "i = call(29, 0x6c6f6f6b, 4096, 0o1600); call(31, i, 0, 0)",
    "message queue": "i = call(68, 0x6c6f6f6b, 0o1600); call(71, i, 0, 0)",
    "posix queue": "libc.mq_unlink(b'/aisbx-look'); call(240, b'aisbx-look-%d' % os.getpid(), os.O_CREAT | os.O_RDWR, 0o600, 0); call(241, b'aisbx-look-%d' % os.getpid())",
}
# What a control may not do to the whole machine it does where it sees only itself: PRIO_USER is for whom the namespace of processes shows.
CONTROLS = {
    "priority of all": "assert libc.unshare(0x30000000) == 0  # user and pid\np = os.fork()\nif p:\n    sys.exit(os.waitpid(p, 0)[1])\n"
                       + REACHES["priority of all"],
}
SECRETS = {
    "as it is": "open(HOME + '/.ssh/id_rsa')",
    "a link": "open('leak')",
    "from within": "os.chdir(HOME + '/.ssh') or open('id_rsa')",
    "by another root": "open('/proc/self/root' + HOME + '/.ssh/id_rsa')",
    "a descriptor of the directory": "os.fdopen(os.open('id_rsa', os.O_RDONLY, dir_fd=os.open(HOME + '/.ssh', os.O_PATH)))",
    "opened twice": "open(f'/proc/self/fd/{os.open(HOME + \"/.netrc\", os.O_PATH)}')",
    "below a directory that is shown": "open(HOME + '/.config/gh/hosts.yml')",
    "where a link leads to": "open(HOME + '/real/key')",
    "history": "open(HOME + '/.bash_history')",
    "state of aisbx": "open(os.environ['XDG_STATE_HOME'] + '/aisbx/key')",
}


@pytest.fixture
def others(home):
    """A process of the same user, and sockets that somebody listens at."""
    process = subprocess.Popen([PYTHON, "-c", "import time; print('up', flush=True); time.sleep(1000)"], env={**home.env, "SECRET": SECRET},
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    process.stdout.readline()
    listeners = [socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX), socket.create_server(("127.0.0.1", 0)),
                 socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)]
    abstract = f"aisbx-look-{os.getpid()}-{process.pid}"
    os.chdir(home.root)  # names of sockets are short
    for listener, name in zip(listeners, ("sock", b"\0" + abstract.encode(), None, "dgram")):
        if name:
            listener.bind(name)
        if listener.type == socket.SOCK_STREAM:
            listener.listen()
    yield {"other": process.pid, "sock": "../../sock", "dgram": "../../dgram", "abstract": abstract, "port": listeners[2].getsockname()[1]}
    for listener in listeners:
        listener.close()
    process.kill()
    process.communicate()


def script(code):
    return HEAD + f"HOME = os.environ['HOME']\n{code}\nprint('done')\n"


@pytest.mark.parametrize("name", CHANGES)
def test_nothing_changes(home, name):
    with box.Watch(home.home):
        done = home.look(PYTHON, "-c", script(CHANGES[name]))
    assert done.returncode == 1 and done.stdout == "" and any(w in done.stderr for w in ("denied", "not permitted", "not implemented")), done.stderr


@pytest.mark.parametrize("name", CHANGES)
def test_without_the_glass_it_does(home, name):
    done = home.bare(PYTHON, "-c", script(CHANGES[name]))
    unknown = "Function not implemented" in done.stderr or "Inappropriate ioctl" in done.stderr or "not supported" in done.stderr
    assert done.stdout == "done\n" or (unknown and name in ("chmod by fchmodat2", "flags by ioctl", "attribute", "attribute by descriptor")), done.stderr


@pytest.mark.parametrize("name", REACHES)
def test_nobody_is_reached(home, others, name):
    done = home.look(PYTHON, "-c", script(REACHES[name].format(**others)))
    assert done.returncode == 1 and done.stdout == "" and ("denied" in done.stderr or "not permitted" in done.stderr), done.stderr


@pytest.mark.parametrize("name", REACHES)
def test_without_the_glass_they_are(home, others, name):
    done = home.bare(PYTHON, "-c", script(CONTROLS.get(name, REACHES[name]).format(**others)))
    assert done.stdout == "done\n", done.stderr


@pytest.mark.parametrize("name", SECRETS)
def test_no_secret_is_read(home, name):
    (home.root / "state/aisbx").mkdir(parents=True)
    (home.root / "state/aisbx/key").write_text(SECRET)
    code = f"t = {SECRETS[name]}.read()\nprint(t)"
    done = home.look(PYTHON, "-c", script(code))
    assert done.returncode == 1 and SECRET not in done.stdout + done.stderr and "Permission denied" in done.stderr, done.stderr
    assert SECRET in home.bare(PYTHON, "-c", script(code)).stdout  # the control


@pytest.mark.parametrize("path", ["/etc/shadow", "/dev/ptmx"])
def test_what_belongs_to_the_system(home, path):
    """Root has a right to the first without the glass, and everybody to the second: that is the control."""
    code = f"open('{path}', 'rb')"
    assert "denied" in home.look(PYTHON, "-c", code).stderr
    if os.getuid() == 0 or path == "/dev/ptmx":
        assert home.bare(PYTHON, "-c", code).stderr == ""


def test_a_crash_writes_nothing(home):
    with box.Watch(home.home):
        done = home.look("sh", "-c", "ulimit -c unlimited; ulimit -c; kill -SEGV $$")
    assert done.returncode == -signal.SIGSEGV and "unlimited" not in done.stdout


# 134 to 137 of the list of attacks: they got past the guard's table once. {other} is a repository that starts a program.
ONCE = {
    "an option without its value (log)": ("git log -U --output=F", "F"),
    "an option without its value (diff)": ("git diff --unified --output=F", "F"),
    "an option without its value (blame)": ("git log --abbrev --output=F", "F"),
    "a secret as a value (diff)": ("diff --unified ~/.ssh/id_rsa /dev/null", None),
    "a secret as a value (xxd)": ("xxd -ps ~/.ssh/id_rsa", None),
    "a way back that is another": ("cd away && cd .. && git status", "hacked"),
    "a name with a space": ("find . -type f | xargs cat", None),
}


@pytest.fixture
def traps(home):
    elsewhere = home.home / "elsewhere/deep"
    elsewhere.mkdir(parents=True)
    (home.project / "away").symlink_to(elsewhere)
    (home.project / "evil").write_text(f"#!/bin/sh\ntouch {home.project}/hacked\n")
    (home.project / "evil").chmod(0o755)
    home.bare("git", "config", "core.fsmonitor", "./evil")
    below = home.project / "x " / str(home.home)[1:]  # "x " and "/…/home": two words
    (below / ".ssh").mkdir(parents=True)
    (below / ".ssh/id_rsa").write_text("not it\n")
    return home


def leaked(text):
    plain = "".join(text.split())
    return SECRET in text or SECRET.encode().hex()[:20] in plain


@pytest.mark.parametrize("name", ONCE)
def test_what_got_past_the_table(traps, name):
    """Attacks 134 to 137."""
    command, made = ONCE[name]
    with box.Watch(traps.home):
        for words in ((box.aisbx(), "look", "--", "bash", "-c", command), (box.aisbx(), "guard", "--", command)):
            done = traps.call(words)
            assert not leaked(done.stdout + done.stderr)
    done = traps.bare("bash", "-c", command)  # the control
    assert (traps.project / made).exists() if made else leaked(done.stdout), done
