# SPDX-License-Identifier: Apache-2.0
"""What every Python test needs of aisbx: running it, reading its one result, and a host to keep watch over.

Standard library only. Nothing here skips: what a test cannot do without is asserted.
"""
import hashlib
import json
import os
import signal
import stat
import subprocess
import tempfile
import time

import pace

# What aisbx itself keeps, its history, goes to a place of its own: the homes of tests are watched for changes.
_STATE = tempfile.TemporaryDirectory(prefix="state-of-tests-")
os.environ["XDG_STATE_HOME"] = _STATE.name

# Who is started in the background of a shell ignores Ctrl-C, and so would all that tests start; but tests press it.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

IS_ROOT = os.geteuid() == 0
WHO = "root" if IS_ROOT else "user"
PROFILES = ("dev", "strict")


def aisbx():
    """Path of the program under test."""
    path = os.environ.get("AISBX")
    assert path, "set AISBX to the aisbx to test"
    assert os.access(path, os.X_OK), f"AISBX={path} is not a program this user can run"
    return os.path.abspath(path)


def need(path, what="the test"):
    """Fails, where others would skip."""
    assert os.path.exists(path), f"{what} needs {path}"
    return path


def command(*words, profile="dev", options=(), program=None, json_output=True):
    return [program or aisbx(), "run", *(["--json"] if json_output else []), "--profile", profile,
            *options, "--", *map(str, words)]


def run(*words, cwd, profile="dev", options=(), env=None, program=None, timeout=120, **popen):
    """`aisbx run --json` in CWD; the result, with aisbx's own exit status as "aisbx_status"."""
    done = subprocess.run(command(*words, profile=profile, options=options, program=program), cwd=cwd, env=env,
                          timeout=timeout, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          **{"stdin": subprocess.DEVNULL, **popen})
    try:
        result = json.loads(done.stdout)
    except ValueError:
        raise AssertionError(f"no JSON but {done.stdout[:500]!r}, {done.stderr[:500]!r}") from None
    result["aisbx_status"] = done.returncode
    return result


def started(result):
    """The command of this result ran behind walls; an aisbx that refused to start it proves nothing."""
    assert "isolation" in result, f"aisbx did not start the command: {result}"
    return result


def violations(result, kind=None):
    return {v["what"] for v in result["violations"] if kind in (None, v["kind"])}


def last_json(text):
    lines = text.strip().splitlines()
    assert lines, "the program printed nothing"
    return json.loads(lines[-1])


def _facts(path, name, content):
    """Everything of one file that a box could have changed, times of reading aside."""
    st = os.lstat(path)
    yield f"{name} {st.st_mode:o} {st.st_uid} {st.st_gid} {st.st_mtime_ns}"
    if not stat.S_ISLNK(st.st_mode):
        try:
            for key in sorted(os.listxattr(path)):
                yield f"{key}={os.getxattr(path, key)!r}"
        except OSError as err:
            yield f"xattrs: {err.errno}"
    if stat.S_ISLNK(st.st_mode):
        yield os.readlink(path)
    elif stat.S_ISREG(st.st_mode) and content:
        try:
            with open(path, "rb") as f:
                yield hashlib.sha256(f.read()).hexdigest()
        except PermissionError:
            yield f"unreadable {st.st_size}"
    elif stat.S_ISREG(st.st_mode):
        yield str(st.st_size)
    elif stat.S_ISCHR(st.st_mode) or stat.S_ISBLK(st.st_mode):
        yield str(st.st_rdev)


def facts(*roots, content=True):
    """A dictionary path -> fingerprint of everything below ROOTS; equal means byte-identical."""
    found = {}
    for root in map(str, roots):
        paths = [root]
        for here, dirs, files in os.walk(root):
            paths += [os.path.join(here, n) for n in dirs + files]
        for path in paths:
            try:
                found[path] = "\n".join(_facts(path, path, content))
            except FileNotFoundError:  # somebody else's file that came and went
                continue
    return found


def changed(before, after):
    """Paths that differ between two facts(), for an assertion that tells which."""
    return sorted(p for p in before.keys() | after.keys() if before.get(p) != after.get(p))


class Watch:
    """with Watch(dir, ...): nothing below the directories may change meanwhile."""

    def __init__(self, *roots, content=True):
        self.roots, self.content = roots, content

    def __enter__(self):
        self.before = facts(*self.roots, content=self.content)
        return self

    def __exit__(self, kind, value, trace):
        if kind is None:
            differ = changed(self.before, facts(*self.roots, content=self.content))
            assert not differ, f"the host changed: {differ[:20]}"
        return False


def make_canary(root):
    """A small tree with one of everything an ordinary user can make. Returns ROOT."""
    root = os.fspath(root)
    os.makedirs(os.path.join(root, "deep/er"))
    for name, text, mode in (("plain", "canary\n", 0o644), ("private", "canary-secret\n", 0o600),
                             ("program", "#!/bin/sh\necho canary\n", 0o755), ("deep/er/file", "deep\n", 0o640),
                             ("deep/read-only", "ro\n", 0o444)):
        path = os.path.join(root, name)
        with open(path, "w", encoding="ascii") as f:
            f.write(text)
        os.chmod(path, mode)
    os.symlink("plain", os.path.join(root, "link"))
    os.symlink("/etc", os.path.join(root, "absolute"))
    os.link(os.path.join(root, "plain"), os.path.join(root, "deep/hard"))
    os.setxattr(os.path.join(root, "private"), "user.canary", b"yes")
    os.utime(os.path.join(root, "plain"), ns=(10**18, 10**18 + 1))
    return root


def wait_until(condition, seconds=30, what="the condition"):
    """Polls; the only place a test may pass time. The seconds are those of an idle machine."""
    end = pace.Deadline(seconds)
    while True:
        value = condition()
        if value:
            return value
        assert not end.is_over(), f"{what} did not come true in {seconds} s"
        time.sleep(0.005)


def leaks(cwd=None, env=None):
    """What `doctor --leaks` finds, in its words. Root is told of everybody's."""
    done = subprocess.run([aisbx(), "doctor", "--leaks", "--json"], cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          timeout=150, check=False)
    return set(json.loads(done.stdout)["leaks"]["found"])


_THERE_BEFORE = []


def leaks_before():
    """What was found when a test of this process first asked: none of theirs. To be called before there are runs."""
    if not _THERE_BEFORE:
        _THERE_BEFORE.append(leaks())
    return _THERE_BEFORE[0]


def nothing_is_left(cwd=None, env=None, seconds=60):
    """No leak that is there now stays; runs are over. What others, or tests beside this one, leave meanwhile is theirs.

    The control group of a supervisor that was killed goes with gc, as soon as it is three seconds old.
    """
    left, end = leaks(cwd, env) - leaks_before(), time.monotonic() + seconds
    while left:
        assert time.monotonic() < end, f"left after {seconds} s: {sorted(left)}"
        subprocess.run([aisbx(), "gc"], cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, timeout=150, check=True)
        left &= leaks(cwd, env)


def own_mounts(place=None):
    """Mounts in this namespace that are a box's, or lie at or below PLACE; others may mount what they like."""
    with open("/proc/self/mountinfo", encoding="utf-8") as f:
        return {line for line in f if " aisbx " in line.partition(" - ")[2] or (place and line.split()[4].startswith(str(place)))}


def processes_with(marker):
    """Ids of processes on the host whose command line holds MARKER, which is nobody else's; zombies not counted."""
    found = []
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/cmdline", "rb") as f:
                if marker.encode() in f.read():
                    found.append(int(name))
        except OSError:
            continue
    return found
