# SPDX-License-Identifier: Apache-2.0
"""A profile's seccomp file as Docker has it: it adds to what is forbidden and takes nothing from that, and no run begins
without it."""
import errno
import json
import os
import struct
import subprocess

import box
import pytest

PYTHON = "/usr/bin/python3"
# Entries of Docker's default profile (moby/profiles/seccomp/default.json), each of its shapes at least once; the long list
# of names is here what python3 and sh need, and some that only other machines have.
DOCKER = {
    "defaultAction": "SCMP_ACT_ERRNO",
    "defaultErrnoRet": 1,
    "archMap": [{"architecture": "SCMP_ARCH_X86_64", "subArchitectures": ["SCMP_ARCH_X86", "SCMP_ARCH_X32"]},
                {"architecture": "SCMP_ARCH_AARCH64", "subArchitectures": ["SCMP_ARCH_ARM"]}],
    "syscalls": [
        {"names": ["_llseek", "_newselect", "accept", "accept4", "access", "alarm", "bind", "brk", "capget", "capset", "chdir",
                   "chmod", "chown", "chown32", "clock_getres", "clock_gettime", "clock_gettime64", "clock_nanosleep", "close",
                   "close_range", "connect", "copy_file_range", "dup", "dup2", "dup3", "epoll_create1", "epoll_ctl",
                   "epoll_pwait", "epoll_wait", "eventfd2", "execve", "execveat", "exit", "exit_group", "faccessat",
                   "faccessat2", "fadvise64", "fallocate", "fchdir", "fchmod", "fchmodat", "fchown", "fchownat", "fcntl",
                   "fcntl64", "fdatasync", "flock", "fork", "fstat", "fstat64", "fstatfs", "fsync", "ftruncate", "futex",
                   "futex_time64", "getcwd", "getdents", "getdents64", "getegid", "geteuid", "getgid", "getgroups", "getpeername",
                   "getpgid", "getpgrp", "getpid", "getppid", "getpriority", "getrandom", "getresgid", "getresuid", "getrlimit",
                   "get_robust_list", "getrusage", "getsid", "getsockname", "getsockopt", "gettid", "gettimeofday", "getuid",
                   "ioctl", "kill", "link", "linkat", "listen", "lseek", "lstat", "madvise", "membarrier", "memfd_create", "mkdir",
                   "mkdirat", "mmap", "mmap2", "mprotect", "mremap", "msync", "munmap", "nanosleep", "newfstatat", "open",
                   "openat", "openat2", "pause", "pipe", "pipe2", "poll", "ppoll", "prctl", "pread64", "preadv", "prlimit64",
                   "pselect6", "pwrite64", "read", "readlink", "readlinkat", "readv", "recvfrom", "recvmsg", "rename", "renameat",
                   "renameat2", "restart_syscall", "rmdir", "rseq", "rt_sigaction", "rt_sigpending", "rt_sigprocmask",
                   "rt_sigreturn", "rt_sigsuspend", "rt_sigtimedwait", "sched_getaffinity", "sched_yield", "seccomp", "select",
                   "sendfile", "sendmsg", "sendto", "setgid", "setgroups", "setitimer", "setpgid", "setpriority", "setresgid",
                   "setresuid", "set_robust_list", "setsid", "setsockopt", "set_tid_address", "setuid", "shutdown",
                   "sigaltstack", "signalfd4", "socketcall", "socketpair", "splice", "stat", "stat64", "statfs", "statx",
                   "symlink", "symlinkat", "sysinfo", "tgkill", "timerfd_create", "times", "tkill", "truncate", "ugetrlimit",
                   "umask", "uname", "unlink", "unlinkat", "utimensat", "vfork", "wait4", "waitid", "waitpid", "write",
                   "writev", "a_call_of_the_future"], "action": "SCMP_ACT_ALLOW"},
        {"names": ["process_vm_readv", "process_vm_writev", "ptrace"], "action": "SCMP_ACT_ALLOW", "includes": {"minKernel": "4.8"}},
        {"names": ["shmget"], "action": "SCMP_ACT_ALLOW", "includes": {"minKernel": "99.0"}},
        {"names": ["socket"], "action": "SCMP_ACT_ALLOW", "args": [{"index": 0, "value": 40, "op": "SCMP_CMP_NE"}]},
        *({"names": ["personality"], "action": "SCMP_ACT_ALLOW", "args": [{"index": 0, "value": v, "op": "SCMP_CMP_EQ"}]}
          for v in (0, 8, 131072, 131080, 4294967295)),
        {"names": ["sync_file_range2", "swapcontext"], "action": "SCMP_ACT_ALLOW", "includes": {"arches": ["ppc64le"]}},
        {"names": ["arm_fadvise64_64", "breakpoint", "cacheflush"], "action": "SCMP_ACT_ALLOW", "includes": {"arches": ["arm", "arm64"]}},
        {"names": ["arch_prctl"], "action": "SCMP_ACT_ALLOW", "includes": {"arches": ["amd64", "x32"]}},
        {"names": ["modify_ldt"], "action": "SCMP_ACT_ALLOW", "includes": {"arches": ["amd64", "x32", "x86"]}},
        {"names": ["s390_pci_mmio_read", "s390_runtime_instr"], "action": "SCMP_ACT_ALLOW", "includes": {"arches": ["s390", "s390x"]}},
        {"names": ["bpf", "clone", "clone3", "mount", "setns", "unshare"], "action": "SCMP_ACT_ALLOW", "includes": {"caps": ["CAP_SYS_ADMIN"]}},
        {"names": ["clone"], "action": "SCMP_ACT_ALLOW", "args": [{"index": 0, "value": 2114060288, "op": "SCMP_CMP_MASKED_EQ"}],
         "excludes": {"caps": ["CAP_SYS_ADMIN"], "arches": ["s390", "s390x"]}},
        {"names": ["clone"], "action": "SCMP_ACT_ALLOW", "args": [{"index": 1, "value": 2114060288, "op": "SCMP_CMP_MASKED_EQ"}],
         "comment": "s390 parameter ordering for clone is different", "includes": {"arches": ["s390", "s390x"]},
         "excludes": {"caps": ["CAP_SYS_ADMIN"]}},
        {"names": ["clone3"], "action": "SCMP_ACT_ERRNO", "errnoRet": 38, "excludes": {"caps": ["CAP_SYS_ADMIN"]}},
        {"names": ["reboot"], "action": "SCMP_ACT_ALLOW", "includes": {"caps": ["CAP_SYS_BOOT"]}},
        {"names": ["chroot"], "action": "SCMP_ACT_ALLOW", "includes": {"caps": ["CAP_SYS_CHROOT"]}},
        {"name": "mbind", "action": "SCMP_ACT_ALLOW", "includes": {"caps": ["CAP_SYS_NICE"]}},
    ],
}
# What each call says under Docker's file: threads and children work; other calls are refused by it, by ours, or by both.
CALLS = """
import ctypes, json, os, subprocess, threading
c = ctypes.CDLL(None, use_errno=True)
def call(f, *args):
    ctypes.set_errno(0)
    return f(*args) if f(*args) >= 0 else -ctypes.get_errno()
t = threading.Thread(target=lambda: None); t.start(); t.join()
os.mkdir('made')
print(json.dumps({'child': subprocess.run(['true']).returncode, 'shmget': call(c.shmget, 0, 4096, 0o1600),
    'personality': call(c.personality, ctypes.c_ulong(0xffffffff)) >= 0, 'odd': call(c.personality, 0x40000),
    'vsock': call(c.socket, 40, 1, 0), 'unix': call(c.socket, 1, 1, 0) >= 0, 'mount': call(c.mount, b'x', b'/tmp', b'tmpfs', 0, None),
    'mbind': call(c.syscall, 237, 0, 0, 0, 0, 0, 0), 'clone3': call(c.syscall, 435, 0, 0)}))
"""


def forbids(action="SCMP_ACT_ERRNO", **more):
    return {"defaultAction": "SCMP_ACT_ALLOW", "syscalls": [{"names": ["mkdir", "mkdirat"], "action": action, **more}]}


def profile(tmp_path, content, extends="dev"):
    """The path of a profile with this seccomp file beside it."""
    text = content if isinstance(content, str) else json.dumps(content)
    (tmp_path / "calls.json").write_text(text)
    (tmp_path / "mine.yaml").write_text(f"extends: {extends}\nseccomp: calls.json\n")
    for name in ("calls.json", "mine.yaml"):
        os.chmod(tmp_path / name, 0o644)
    return str(tmp_path / "mine.yaml")


@pytest.fixture(name="project")
def fixture_project(tmp_path):
    (tmp_path / "project").mkdir()
    return tmp_path / "project"


def translate(content):
    """(status, instructions, standard error) of the helper alone."""
    text = content if isinstance(content, bytes) else json.dumps(content).encode()
    done = subprocess.run([os.path.join(os.path.dirname(box.aisbx()), "aisbx-seccomp")
                           if os.path.exists(os.path.join(os.path.dirname(box.aisbx()), "aisbx-seccomp"))
                           else os.path.join(os.path.dirname(box.aisbx()), "../libexec/aisbx/aisbx-seccomp")],
                          input=text, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
    return done.returncode, done.stdout, done.stderr.decode()


@pytest.mark.parametrize("extends", box.PROFILES)
def test_dockers_own_file(tmp_path, project, extends):
    result = box.started(box.run(PYTHON, "-c", CALLS, cwd=project, profile=profile(tmp_path, DOCKER, extends)))
    assert result["exit_code"] == 0, result
    assert json.loads(result["stdout"]) == {
        "child": 0, "shmget": -errno.EPERM, "personality": True, "odd": -errno.EPERM, "vsock": -errno.EPERM, "unix": True,
        "mount": -errno.EPERM, "mbind": -errno.EPERM, "clone3": -errno.ENOSYS}
    assert result["isolation"]["missing"] == [] and "seccomp" in result["isolation"]["walls"]
    assert "'seccomp: calls.json' is read as 'seccomp: default'" in result["profile_notes"]


def test_what_it_allows_beyond_ours_stays_forbidden(tmp_path, project):
    mine = profile(tmp_path, {"defaultAction": "SCMP_ACT_ALLOW", "syscalls": [{"names": ["mount"], "action": "SCMP_ACT_ALLOW"}]})
    script = "import ctypes; c = ctypes.CDLL(None, use_errno=True); print(c.mount(b'x', b'/tmp', b'tmpfs', 0, None), ctypes.get_errno())"
    result = box.started(box.run(PYTHON, "-c", script, cwd=project, profile=mine))
    assert result["stdout"] == f"-1 {errno.EPERM}\n"
    assert box.violations(result) == {"mount"}


def test_its_error_number(tmp_path, project):
    script = "import os\ntry: os.mkdir('x')\nexcept OSError as e: print(e.errno)"
    for number in (errno.EPERM, errno.ENOSYS):
        more = {} if number == errno.EPERM else {"errnoRet": number}
        result = box.started(box.run(PYTHON, "-c", script, cwd=project, profile=profile(tmp_path, forbids(**more))))
        assert result["stdout"] == f"{number}\n"


@pytest.mark.parametrize("action", ["SCMP_ACT_KILL", "SCMP_ACT_KILL_PROCESS", "SCMP_ACT_TRAP"])
def test_it_kills(tmp_path, project, action):
    result = box.started(box.run("sh", "-c", "echo before; exec mkdir x", cwd=project, profile=profile(tmp_path, forbids(action))))
    assert result["stdout"] == "before\n" and result["signal"] == 31, result
    assert [v["rule"].startswith(f"seccomp={tmp_path}/calls.json: ") for v in result["violations"]] == [True], result


def test_without_the_wall_there_is_no_file_either(tmp_path, project):
    result = box.started(box.run("mkdir", "x", cwd=project, profile=profile(tmp_path, forbids()), options=["--without", "seccomp"]))
    assert result["exit_code"] == 0 and result["isolation"]["missing"] == ["seccomp"], result


def test_who_joins_and_who_is_sent_in_has_it(tmp_path, project):
    """A run in a live box, exec, and a service; and a file that has changed since lets nobody in with other rules."""
    profiles = tmp_path / "config" / "aisbx" / "profiles"
    profiles.mkdir(parents=True)
    profile(profiles, forbids())
    env = {**os.environ, "XDG_STATE_HOME": str(tmp_path / "state"), "XDG_CONFIG_HOME": str(tmp_path / "config")}

    def call(*words):
        done = subprocess.run([box.aisbx(), *words], cwd=project, env=env, stdin=subprocess.DEVNULL, timeout=60,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    made = call("create", "b", "--profile", "mine")
    assert made[0] == 0, made
    first = subprocess.Popen([box.aisbx(), "run", "--box", "b", "--", "sh", "-c", "echo up; read x; mkdir x"], cwd=project, env=env,
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        assert first.stdout.readline() == b"up\n"
        for words in (["run", "--box", "b"], ["exec", "b"]):
            status, _, err = call(*words, "--", "mkdir", "x")
            assert status == 1 and "Operation not permitted" in err, (words, status, err)
            assert call(*words, "--", "true")[0] == 0
        profile(profiles, {"defaultAction": "SCMP_ACT_ALLOW"})
        for words in (["run", "--box", "b"], ["exec", "b"]):
            status, _, err = call(*words, "--", "mkdir", "x")
            assert status == 125 and "walls of the box are different" in err, (words, status, err)
        (profiles / "mine.yaml").write_text("extends: dev\n")
        assert call("run", "--box", "b", "--", "mkdir", "x")[0] == 125
        assert call("exec", "b", "--", "mkdir", "x")[0] == 125
        _, err = first.communicate(b"\n", timeout=30)
        assert first.returncode == 1 and b"Operation not permitted" in err
    finally:
        first.kill()
        first.wait()


def test_services_have_it(tmp_path, project):
    (project / "aisbx.yaml").write_text("services:\n  s:\n    command: [sh, -c, 'mkdir x 2>new; mv new told; sleep 60']\n    ready: {file: told}\n")
    result = box.started(box.run("cat", "told", cwd=project, profile=profile(tmp_path, forbids())))
    assert "Operation not permitted" in result["stdout"], result


BAD = [
    ("no file", None, "No such file"),
    ("no JSON", "{", "line 1"),
    ("another shape", {"rules": []}, "no 'defaultAction'"),
    ("an action for a supervisor", forbids("SCMP_ACT_NOTIFY"), "needs a program beside the box"),
    ("an action for a tracer", forbids("SCMP_ACT_TRACE"), "needs a program beside the box"),
    ("an unknown action", forbids("SCMP_ACT_MAYBE"), "unknown action 'SCMP_ACT_MAYBE'"),
    ("an unknown name that is refused", {"defaultAction": "SCMP_ACT_ALLOW", "syscalls": [{"names": ["mkidr"], "action": "SCMP_ACT_ERRNO"}]},
     "no system call 'mkidr'"),
    ("a typing error in a key", forbids(arg=[]), "unknown key 'arg'"),
    ("contradictions", {"defaultAction": "SCMP_ACT_ERRNO", "syscalls": [{"names": ["mkdir"], "action": "SCMP_ACT_KILL"},
                                                                       {"names": ["mkdir"], "action": "SCMP_ACT_ALLOW"}]},
     "different things of 'mkdir'"),
    ("a comparison that is none", forbids(args=[{"index": 0, "value": 1, "op": "=="}]), "unknown comparison '=='"),
    ("a seventh argument", forbids(args=[{"index": 6, "value": 1, "op": "SCMP_CMP_EQ"}]), "between 0 and 5"),
    ("a negative value", forbids(args=[{"index": 0, "value": -1, "op": "SCMP_CMP_EQ"}]), "not negative"),
    ("no names", {"defaultAction": "SCMP_ACT_ALLOW", "syscalls": [{"action": "SCMP_ACT_ERRNO"}]}, "needs either 'names'"),
    ("an error number out of range", forbids(errnoRet=4096), "between 0 and 4095"),
    ("a version that is none", forbids(includes={"minKernel": "new"}), "'minKernel' must be"),
    ("a condition of another shape", forbids(excludes={"caps": "CAP_KILL"}), "'excludes' must be"),
]


@pytest.mark.parametrize("content, words", [b[1:] for b in BAD], ids=[b[0].replace(" ", "-") for b in BAD])
def test_what_is_wrong_is_refused(tmp_path, project, content, words):
    mine = profile(tmp_path, content or "")
    if content is None:
        os.unlink(tmp_path / "calls.json")
    result = box.run("true", cwd=project, profile=mine)
    assert result["status"] == "error" and result["aisbx_status"] == 125, result
    assert words in result["error"]["text"] and "calls.json" in result["error"]["text"], result
    done = subprocess.run([box.aisbx(), "profile", "check", mine], cwd=project, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert done.returncode == 125 and words in done.stderr.decode(), done


def test_a_file_that_others_can_write_is_refused(tmp_path, project):
    mine = profile(tmp_path, forbids())
    os.chmod(tmp_path / "calls.json", 0o666)
    result = box.run("true", cwd=project, profile=mine)
    assert result["aisbx_status"] == 125 and "chmod go-w" in result["error"]["text"], result
    os.unlink(tmp_path / "calls.json")
    os.mkfifo(tmp_path / "calls.json")
    result = box.run("true", cwd=project, profile=mine)
    assert result["aisbx_status"] == 125 and "not a regular file" in result["error"]["text"], result


def test_a_preset_does_not_go_with_it(tmp_path, project):
    mine = profile(tmp_path, forbids())
    result = box.run("true", cwd=project, profile=mine, options=["--seccomp", "python"])
    assert result["aisbx_status"] == 125 and "omit --seccomp" in result["error"]["text"], result
    result = box.started(box.run("mkdir", "x", cwd=project, profile=mine, options=["--seccomp", "default"]))
    assert result["exit_code"] == 1


def test_it_is_shown(tmp_path, project):
    mine = profile(tmp_path, forbids())
    for words in (["explain", mine], ["show", mine], ["explain", mine, "--seccomp", "default"]):
        done = subprocess.run([box.aisbx(), "profile", *words, "--json"], cwd=project, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert done.returncode == 0 and f"{tmp_path}/calls.json" in done.stdout.decode(), (words, done)


def test_the_helper_alone():
    """What it leaves out it says; comparisons of one argument are alternatives; and what does not fit is refused."""
    status, code, said = translate(DOCKER)
    assert status == 0 and len(code) % 8 == 0 and 8 < len(code) <= 4096 * 8
    assert said == "note: 1 unknown name of system calls left out, such as 'a_call_of_the_future'\n"
    two = [{"index": 0, "value": v, "op": "SCMP_CMP_EQ"} for v in (1, 2)]
    status, code, said = translate(forbids(args=two))
    values = {k for _, _, _, k in struct.iter_unpack("=HBBI", code)}
    assert status == 0 and {1, 2} <= values and said == ""
    assert translate(b" " * ((1 << 20) + 1))[0] == 1
    assert translate(b"[" * 5000)[0] == 1
    many = [{"names": ["personality"], "action": "SCMP_ACT_ERRNO", "args": [{"index": 0, "value": (v + 1) << 32, "op": "SCMP_CMP_EQ"}]}
            for v in range(2100)]
    status, code, said = translate({"defaultAction": "SCMP_ACT_ALLOW", "syscalls": many})
    assert status == 1 and code == b"" and "more than 4096 instructions" in said
