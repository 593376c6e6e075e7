# SPDX-License-Identifier: Apache-2.0
"""Attacks 28 to 35: devices, terminals, descriptors; and the host's sockets and pipes."""
import array
import contextlib
import os
import shutil
import socket
import subprocess
import tempfile
import threading

import box
import pytest
from case import Case, Outside, Without, define_tests, ends, verdict

define_tests([
    # One device that every kernel lets everybody make: 0/0, overlayfs's own mark of deletion.
    Case(28, "mknod", {"EPERM"}, Without(), {"mknodat", "renameat2"}),
    Case(29, "dev_mem_kvm_fuse_tun_absent", {"ENOENT"}, Outside()),
    Case(30, "loop_control_absent", {"ENOENT"}, Outside()),
    # The probe makes itself a terminal of its own, as a program in a box can.
    Case(31, "tiocsti", {"EPERM"}, Without(), {"ioctl"}),
    # On a pseudo terminal TIOCLINUX is no request at all (ENOTTY); TIOCSETD shows that the filter was it.
    Case(32, "tioclinux", {"EPERM"}, Without(), {"ioctl"}),
], globals())


@pytest.mark.parametrize("profile", box.PROFILES)
def test_029_dev_holds_what_it_should(place, profile):
    script = "find /dev -exec stat -c '%n %F' {} + | grep special | cut -d' ' -f1 | sort"
    result = box.run("sh", "-c", script, cwd=place.project, profile=profile)
    assert result["stdout"].split() == ["/dev/full", "/dev/null", "/dev/pts/ptmx", "/dev/random", "/dev/tty",
                                        "/dev/urandom", "/dev/zero"]


@pytest.mark.parametrize("profile", box.PROFILES)
@pytest.mark.parametrize("tty", [False, True])
def test_033_leaked_descriptors(place, profile, tty):
    """CVE-2024-21626: an open directory of the host must not reach the command, wherever it sits."""
    fds = [os.open(path, os.O_RDONLY) for path in ("/", str(place.canary))]
    fds.append(os.open(place.secret, os.O_RDWR))
    high = os.dup2(fds[0], 900)
    options = ["--tty"] if tty else []
    try:
        with box.Watch(place.root):
            result = box.started(box.run("./probe", "33", cwd=place.project, profile=profile, options=options,
                                         pass_fds=[*fds, high]))
        assert ends(verdict(result)) == {"any descriptor above 2": "EBADF"}
        links = box.run("ls", "-l", "/proc/self/fd", cwd=place.project, profile=profile, pass_fds=[*fds, high])
        assert str(place.canary) not in links["stdout"] and "-> /\n" not in links["stdout"]
        # Control: without aisbx in between they are inherited.
        done = subprocess.run(["./probe", "33"], cwd=place.project, pass_fds=[*fds, high], stdout=subprocess.PIPE)
        assert ends(box.last_json(done.stdout.decode())).get("descriptor 900") == "OK"
    finally:
        for fd in [*fds, high]:
            os.close(fd)


@pytest.mark.parametrize("profile", box.PROFILES)
@pytest.mark.parametrize("tty", [False, True])
def test_033_leaked_descriptors_of_a_joined_command(place, profile, tty):
    """As above for a command that joins a live box, whose descriptors come by message: neither those of the two
    supervisors, nor pid 1's, nor its keeper's, and no other command's terminal."""
    env = {**os.environ, "XDG_STATE_HOME": str(place.root / "state")}
    subprocess.run([box.aisbx(), "create", "b", "--profile", profile], cwd=place.project, env=env, check=True,
                   stdout=subprocess.DEVNULL)
    fds = [os.open(path, os.O_RDONLY) for path in ("/", str(place.canary))]
    high = os.dup2(fds[0], 900)
    options = ["--box", "b", *(["--tty"] if tty else [])]
    first = subprocess.Popen(box.command("sh", "-c", "echo up; exec sleep 60", profile=profile, options=options,
                                         json_output=False), cwd=place.project, env=env, stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, pass_fds=[*fds, high])
    try:
        assert first.stdout.readline().strip() == b"up"
        result = box.started(box.run("./probe", "33", cwd=place.project, profile=profile, options=options, env=env,
                                     pass_fds=[*fds, high]))
        assert ends(verdict(result)) == {"any descriptor above 2": "EBADF"}
        # Nobody looks into pid 1 or a keeper: there the sockets to the supervisors are.
        def looked():
            looks = box.run("sh", "-c", "for p in $(pidof aisbx-jail); do echo $p; ls /proc/$p/fd /proc/$p/cwd/; "
                            "readlink /proc/$p/exe; cat /proc/$p/environ; head -c1 /proc/$p/mem; done", cwd=place.project,
                            profile=profile, options=options[:2], env=env)
            said = looks["stdout"].split()
            assert said and all(word.isdigit() for word in said), "nothing of theirs"
            return looks if len(said) == 2 else None  # the keeper of the command before may still be on its way out

        looks = box.wait_until(looked, what="pid 1 and the keeper, and nobody else")
        assert looks["stderr"].count("ermission denied") >= 8, looks
    finally:
        first.kill()
        first.wait()
        first.stdout.close()
        for fd in [*fds, high]:
            os.close(fd)


@pytest.mark.parametrize("profile", box.PROFILES)
def test_034_cwd_through_a_descriptor(place, profile):
    """The command never starts in a directory that only a descriptor leads to."""
    fd = os.open(place.canary, os.O_RDONLY)
    try:
        for cwd in [f"/proc/self/fd/{n}" for n in range(3, 24)] + ["/proc/1/fd/3", "/dev/fd/3", "/proc/1/cwd"]:
            with box.Watch(place.canary):
                result = box.run("ls", cwd=place.project, profile=profile, options=["--cwd", cwd], pass_fds=[fd])
            assert result["status"] == "error" and result["aisbx_status"] in (125, 126, 127), (cwd, result)
            assert not result.get("stdout")
        for project in (f"/proc/self/fd/{fd}", "/proc/self/root", "/dev/fd/3", "/sys", "/run"):
            result = box.run("ls", cwd=place.project, profile=profile, options=["--project", project], pass_fds=[fd])
            assert result["status"] == "error" and result["aisbx_status"] == 125, project
        # Control: outside, that is how one enters it.
        inside = subprocess.run(["sh", "-c", f"cd /proc/self/fd/{fd} && ls"], pass_fds=[fd], stdout=subprocess.PIPE)
        assert b"private" in inside.stdout
    finally:
        os.close(fd)


@contextlib.contextmanager
def giver(address, fd):
    """A host process that hands FD to whoever connects. An address that begins with NUL is abstract."""
    server = socket.socket(socket.AF_UNIX)
    server.bind(address)
    server.listen()
    taken = []

    def serve():
        while True:
            try:
                peer, _ = server.accept()
            except OSError:
                return
            taken.append(1)
            peer.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [fd]))])
            peer.close()

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield taken
    finally:
        server.shutdown(socket.SHUT_RDWR)
        server.close()
        thread.join(50)


@pytest.mark.parametrize("profile", box.PROFILES)
def test_035_descriptors_over_scm_rights(place, profile):
    abstract = f"aisbx-test-{os.getpid()}-{profile}"
    path = place.project / "s"
    with open(place.secret, "rb") as secret, giver("\0" + abstract, secret.fileno()) as by_name, \
            giver(str(path), secret.fileno()) as by_path:
        words = ["./probe", "35", "@" + abstract, str(path), "s"]
        with box.Watch(place.root):
            found = verdict(box.started(box.run(*words, cwd=place.project, profile=profile)))
        assert found["refused"] and set(ends(found).values()) == {"ECONNREFUSED"}
        assert not by_name and not by_path
        # Control, abstract names: the network namespace and Landlock's scope are what keeps them apart.
        open_net = box.run(*words, cwd=place.project, profile=profile,
                           options=["--without", "net", "--without", "landlock"])
        assert ends(verdict(open_net))[f"descriptor from @{abstract}"] == "OK" and by_name
        # Control, paths: the clone is what makes the socket's inode another one.
        shared = box.run(*words, cwd=place.project, profile=profile, options=["--rw", str(place.project)])
        assert ends(verdict(shared))[f"descriptor from {path}"] == "OK" and by_path


def host_places(place):
    """Directories of the host that a box shows as a clone and this user can put something in."""
    yield place.project
    if box.IS_ROOT:
        for parent in ("/var", "/var/cache", "/srv"):  # none that the other user's tests may be watching just now
            directory = tempfile.mkdtemp(prefix="aisbx-test-", dir=parent)
            os.chmod(directory, 0o755)
            try:
                yield directory
            finally:
                shutil.rmtree(directory)


@pytest.mark.parametrize("profile", box.PROFILES)
def test_extra_host_sockets_in_cloned_directories(place, profile):
    """A listening socket of the host (a database, an agent, docker) can be seen and not be reached."""
    for directory in host_places(place):
        path = os.path.join(directory, "s")
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(path)
            os.chmod(path, 0o777)
            server.listen()
            server.setblocking(False)
            found = verdict(box.started(box.run("./probe", "connect", path, cwd=place.project, profile=profile)))
            assert found["refused"] and set(ends(found).values()) <= {"ECONNREFUSED", "EACCES"}, directory
            with pytest.raises(BlockingIOError):
                server.accept()
            # Control: shared by the person's own wish, it is reached.
            shared = box.run("./probe", "connect", path, cwd=place.project, profile=profile,
                             options=["--rw", directory])
            assert ends(verdict(shared))[f"connect {path}"] == "OK", directory
            server.accept()[0].close()


@pytest.mark.parametrize("profile", box.PROFILES)
def test_extra_host_fifos_in_cloned_directories(place, profile):
    for directory in host_places(place):
        path = os.path.join(directory, "fifo")
        os.mkfifo(path, 0o666)
        os.chmod(path, 0o666)
        reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        try:
            found = verdict(box.started(box.run("./probe", "fifo", path, cwd=place.project, profile=profile)))
            assert found["refused"] and set(ends(found).values()) <= {"ENXIO", "EACCES", "EROFS"}, directory
            assert os.read(reader, 64) == b""
            shared = box.run("./probe", "fifo", path, cwd=place.project, profile=profile, options=["--rw", directory])
            assert ends(verdict(shared)) == {f"write fifo {path}": "OK"}
            assert os.read(reader, 64) == b"from inside"
        finally:
            os.close(reader)
