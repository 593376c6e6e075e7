# SPDX-License-Identifier: Apache-2.0
"""Every numbered attack, once with the driver wasm: what a program can try is tried, and why it cannot try the rest is shown.

CASES says which test tries it, which functions it would need that nobody gets, or why a program has no part in it. The tests check the table:
each test is there, and exactly the functions of WASI preview 1 can be imported.
"""
import dataclasses
import itertools
import json
import os
import pathlib
import pty
import re
import socket
import stat
import subprocess
import tempfile
import uuid

import box
import pace
import pytest
import spell
import wasm
from promote import Shelf, path_of, tree

HERE = pathlib.Path(__file__).resolve().parent


@dataclasses.dataclass(frozen=True)
class Case:
    tests: tuple = ()    # of tests/wasm
    lacks: tuple = ()    # functions that it would need, by any of which it would succeed
    because: str = ""    # a program has no part in it


def tried(*tests):
    return Case(tests=tests)


def lacks(*names, tests=()):
    return Case(lacks=names, tests=tests)


def not_ours(because, *tests):
    return Case(because=because, tests=tests)


NO_PLACES = "test_there_is_no_proc_sys_or_dev"
PLANTS = "test_plants_wait_for_a_word"
NO_IMAGE = not_ours("no image runs with this driver", "test_images_and_devices_are_refused")
NO_SOCKET = lacks("socket", "connect", "bind", "sendto", tests=("test_sockets_of_wasi_reach_nothing", "test_it_reaches_no_network"))
SETS_UP = not_ours("the box is set up before a program begins, by the driver native", NO_PLACES)
SERVER = not_ours("between aisbx and who asks it; a program has no part in it")
JUDGE = not_ours("a command line that the guard judges on the host; a program writes none")
BEFORE = not_ours("where aisbx keeps what is its own, before any program begins")

CASES = {
    1: tried("test_paths_and_links_stay_inside", "test_nothing_outside_is_changed"),
    2: tried("test_paths_and_links_stay_inside", "test_nothing_outside_is_changed"),
    3: lacks("chroot", "fchdir"), 4: lacks("pivot_root"), 5: tried("test_nothing_outside_is_changed"), 6: lacks("mount", "move_mount"),
    7: tried("test_a_git_directory_stays_in_the_box"), 8: tried(PLANTS), 9: tried(PLANTS), 10: tried("test_what_was_granted_stays_where_it_is"),
    11: lacks("chmod", "fchmodat", "execve", "execveat", tests=("test_what_it_leaves_is_plain",)), 12: lacks("setxattr", "execve"),
    13: lacks("setxattr", "lsetxattr", "fsetxattr", "setxattrat", tests=("test_what_it_leaves_is_plain",)), 14: lacks("mknod", "mknodat"),
    **dict.fromkeys((15, 16, 17, 18, 20, 21, 27, 29, 30), tried(NO_PLACES)), 19: lacks("mount", tests=(NO_PLACES,)),
    22: tried(NO_PLACES, "test_nothing_outside_is_changed"), **dict.fromkeys((23, 24, 25), SETS_UP), 26: NO_IMAGE, 28: lacks("mknod", "mknodat"),
    31: lacks("ioctl"), 32: lacks("ioctl"), 33: tried("test_descriptors"), 34: tried("test_a_program_or_a_place_by_descriptor"),
    35: lacks("sendmsg", "recvmsg", "socketpair", "pidfd_getfd", tests=("test_sockets_of_wasi_reach_nothing",)),
    36: tried("test_a_live_program_swaps_while_it_is_promoted"), 37: tried("test_a_live_program_swaps_while_it_is_promoted"),
    38: lacks("renameat2", tests=("test_a_live_program_swaps_while_it_is_promoted",)), 39: tried("test_links_are_told"), 40: tried("test_no_link_to_a_file_outside"),
    41: tried("test_hard_links_stay_together"), 42: lacks("mknod", "mkfifo", tests=("test_who_waits_for_a_fifo_is_ended",)), 43: tried("test_a_sparse_terabyte"),
    44: tried("test_what_the_host_changed_meanwhile"), 45: tried("test_what_the_host_changed_meanwhile"), 46: tried("test_two_promotions_at_once"),
    47: tried("test_a_live_program_swaps_while_it_is_promoted"), 48: tried("test_odd_names"),
    49: lacks("chmod", "setxattr", "lsetxattr", tests=("test_what_it_leaves_is_plain",)), 50: tried("test_hidden_deletions_are_told"),
    51: tried("test_a_git_directory_stays_in_the_box"), **dict.fromkeys(range(52, 66), NO_IMAGE),
    66: lacks("unshare"), 67: lacks("clone"), 68: lacks("clone3"), 69: lacks("setns", "pidfd_open"), 70: lacks("unshare", "socket"),
    71: lacks("capset", "prctl"), 72: lacks("setgroups"), 73: lacks("kill", "tgkill", "ptrace", tests=("test_a_signal_is_its_own",)),
    74: lacks("sethostname", "setdomainname"), 75: lacks("io_uring_setup", "io_uring_enter", "io_uring_register"), 76: lacks("bpf"),
    77: lacks("add_key", "keyctl", "request_key"), 78: lacks("userfaultfd"), 79: lacks("ptrace"), 80: lacks("process_vm_readv", "process_vm_writev"),
    81: lacks("open_by_handle_at"), 82: lacks("fsopen", "fsmount", "move_mount", "open_tree"), 83: lacks("perf_event_open"),
    84: lacks("kexec_load", "kexec_file_load", "init_module", "finit_module", "delete_module"), 85: lacks("pidfd_getfd"),
    **dict.fromkeys((86, 87, 88, 89), lacks("socket")), 90: tried("test_machine_code_is_no_instruction"), 91: lacks("syscall"),
    **dict.fromkeys(range(92, 106), NO_SOCKET), 106: NO_SOCKET, 107: NO_SOCKET,
    108: lacks("fork", "vfork", "clone", "clone3", "thread-spawn"), 109: lacks("memfd_create", "shmget", "pipe2", tests=("test_memory", "test_tmp_is_bounded")),
    110: tried("test_disk", "test_entries_are_bounded", "test_who_takes_all_there_is_hides_nothing"), 111: tried("test_output_is_cut_and_counted"),
    112: tried("test_nothing_outlives_the_deadline", "test_time", "test_a_signal_is_its_own"), 113: tried("test_descriptors_are_bounded", "test_who_takes_all_there_is_hides_nothing"),
    114: tried("test_two_megabytes_of_arguments"), 115: tried("test_a_secret_is_nowhere"), 116: NO_SOCKET, 117: tried("test_a_secret_is_nowhere"),
    118: NO_SOCKET, 119: tried("test_hostile_names_do_not_draw"),
    **dict.fromkeys((120, 121, 122, 124), SERVER), 123: tried("test_links_are_told"), 125: tried("test_a_missing_wall_is_named"),
    **dict.fromkeys(range(126, 133), tried("test_a_git_directory_stays_in_the_box", PLANTS)), 133: tried("test_other_ways_out_plant_nothing"),
    **dict.fromkeys(range(134, 138), JUDGE), 138: tried(PLANTS),
    139: lacks("io_setup"), 140: lacks("inotify_init", "inotify_init1"), 141: lacks("sendmsg", "pipe", "pipe2"),
    142: lacks("prlimit64", "setrlimit", "sched_setscheduler", "setpriority"), 143: lacks("inotify_add_watch", "flock", tests=(NO_PLACES,)),
    144: tried("test_hostile_names_do_not_draw"), 145: SERVER, 146: SERVER,
    147: BEFORE, 148: tried("test_what_the_host_changed_meanwhile"),
    149: not_ours("what a person put into the project; a program can make no ACL, FIFO, attribute or mount", "test_what_it_leaves_is_plain"),
    150: tried("test_a_git_directory_stays_in_the_box"), 151: BEFORE, 152: BEFORE,
    **dict.fromkeys((153, 154, 155), not_ours("rules and records of the host, which are read before a program begins")),
    156: tried("test_the_boxs_own_version_does_not_count"), 157: tried("test_entries_are_bounded"),
    158: not_ours("command lines on the host, which are written down before a program begins"), 159: not_ours("a question to a person; a program has no terminal of theirs"),
    160: lacks("chmod", "fchmod", "fchmodat", "fchmodat2", tests=("test_what_it_leaves_is_plain",)), 161: tried(PLANTS, "test_links_are_told"),
    162: not_ours("who kills a supervisor; a program can reach none", "test_a_signal_is_its_own"), 163: tried("test_closed_streams"),
}

# What WASI preview 1 has: parameters of each, i for i32 and I for i64; all return one i32, proc_exit nothing.
WASI = {
    "args_get": "ii", "args_sizes_get": "ii", "environ_get": "ii", "environ_sizes_get": "ii", "clock_res_get": "ii", "clock_time_get": "iIi",
    "fd_advise": "iIIi", "fd_allocate": "iII", "fd_close": "i", "fd_datasync": "i", "fd_fdstat_get": "ii", "fd_fdstat_set_flags": "ii",
    "fd_fdstat_set_rights": "iII", "fd_filestat_get": "ii", "fd_filestat_set_size": "iI", "fd_filestat_set_times": "iIIi", "fd_pread": "iiiIi",
    "fd_prestat_get": "ii", "fd_prestat_dir_name": "iii", "fd_pwrite": "iiiIi", "fd_read": "iiii", "fd_readdir": "iiiIi", "fd_renumber": "ii",
    "fd_seek": "iIii", "fd_sync": "i", "fd_tell": "ii", "fd_write": "iiii", "path_create_directory": "iii", "path_filestat_get": "iiiii",
    "path_filestat_set_times": "iiiiIIi", "path_link": "iiiiiii", "path_open": "iiiiiIIii", "path_readlink": "iiiiii", "path_remove_directory": "iii",
    "path_rename": "iiiiii", "path_symlink": "iiiii", "path_unlink_file": "iii", "poll_oneoff": "iiii", "proc_exit": "i", "proc_raise": "i",
    "sched_yield": "", "random_get": "ii", "sock_accept": "iii", "sock_recv": "iiiiii", "sock_send": "iiiii", "sock_shutdown": "ii",
}
P1 = "wasi_snapshot_preview1"
# What other hosts have, or had: of C libraries, of Emscripten, of WASI's other versions and extensions, of our own languages.
LIBRARY = """dlopen dlsym system popen posix_spawn execvp fork signal sigaction raise abort mkfifo setuid setgid seteuid getpwnam gethostbyname getaddrinfo
  inet_pton opendir fopen printf malloc mmap memory_grow longjmp pthread_create thrd_create sem_open shm_open mq_open syslog"""
OTHERS = {
    P1: """path_chmod path_chown path_mknod path_permissions_set fd_chmod fd_dup fd_dup2 fd_pipe fd_ioctl fd_fdflags_get fd_open fd_lock sock_open sock_socket
      sock_connect sock_bind sock_listen sock_send_to sock_recv_from sock_setsockopt sock_getaddrinfo sock_addr_resolve sock_getlocaladdr proc_exec proc_fork
      proc_spawn proc_kill proc_wait proc_setuid thread_spawn thread-spawn thread_exit futex_wait tty_set poll signal chdir getcwd syscall fd_write_ Fd_write""",
    "wasi_unstable": "fd_write fd_read path_open proc_exit random_get", "wasi_snapshot_preview0": "fd_write", "wasi_snapshot_preview2": "fd_write",
    "wasi": "thread-spawn thread_spawn", "wasi_ephemeral_sock": "sock_open", "wasi_ephemeral_nn": "load compute", "wasi_experimental_http": "req",
    "wasi:cli/run@0.2.0": "run", "wasi:sockets/tcp-create-socket@0.2.0": "create-tcp-socket", "wasix_32v1": "proc_fork proc_exec sock_open thread_spawn",
    "wasmtime": "spawn", "spectest": "print", "go": "syscall/js.valueGet", "gojs": "runtime.wasmExit", "wbg": "__wbindgen_throw", "host": "exec", "": "fd_write",
    "asi_snapshot_preview1": "fd_write", "wasi_snapshot_preview1\\00": "fd_write", "aisbx": "call host_call", "canonical_abi": "resource_drop",
    "env": """emscripten_run_script emscripten_memcpy_big __syscall_openat __syscall_socket _emscripten_system __syscall0 __syscall6 __wasi_fd_write host_call
      host_interrupt host_module_load host_module_normalize host_promise_rejection host_get_timezone_offset""",
}

ACT = r"""
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
static int done(int fd, int r) {
	int err = errno;
	if (fd >= 0) close(fd);
	errno = err;
	return fd < 0 || r < 0 ? -1 : 0;
}
static int put(const char *path, const char *text, int flags) {
	int fd = open(path, O_WRONLY | O_CREAT | flags, 0666);
	return done(fd, fd < 0 ? -1 : write(fd, text, strlen(text)) == (ssize_t)strlen(text) ? 0 : -1);
}
static int get(const char *path) {
	char text[64];
	int fd = open(path, O_RDONLY);
	return done(fd, fd < 0 ? -1 : (int)read(fd, text, sizeof text));
}
static int cut(const char *path, const char *size) {
	int fd = open(path, O_WRONLY | O_CREAT, 0666);
	return done(fd, fd < 0 ? -1 : ftruncate(fd, strtoll(size, 0, 10)));
}
static int list(const char *path) {
	DIR *d = opendir(path);
	if (d) closedir(d);
	return d ? 0 : -1;
}
static int many(char what, const char *path, const char *count) {
	char name[4000];
	int n = atoi(count), i = 0, r = 0;
	for (; i < n && r >= 0; i += r >= 0) {
		snprintf(name, sizeof name, "%s%d", path, i);
		r = what == 'o' ? open(path, O_RDONLY) : what == 'l' ? link(path, name) : put(name, "", O_EXCL);
	}
	printf("%d ", i);
	return r < 0 ? -1 : 0;
}
static int act(const char *op, const char *a, const char *b) {
	struct stat st;
	struct timespec t[2] = { { 1, 0 }, { 1, 0 } };
	char text[4000];
	if (!strcmp(op, "write")) return put(a, b, O_TRUNC);
	if (!strcmp(op, "read")) return get(a);
	if (!strcmp(op, "cut")) return cut(a, b);
	if (!strcmp(op, "list")) return list(a);
	if (!strcmp(op, "mkdir")) return mkdir(a, 0777);
	if (!strcmp(op, "rmdir")) return rmdir(a);
	if (!strcmp(op, "unlink")) return unlink(a);
	if (!strcmp(op, "link")) return link(a, b);
	if (!strcmp(op, "symlink")) return symlink(b, a);
	if (!strcmp(op, "rename")) return rename(a, b);
	if (!strcmp(op, "look")) return readlink(a, text, sizeof text) < 0 ? -1 : 0;
	if (!strcmp(op, "times")) return utimensat(AT_FDCWD, a, t, 0);
	if (!strcmp(op, "stat")) return stat(a, &st);
	if (!strcmp(op, "files") || !strcmp(op, "links") || !strcmp(op, "opens")) return many(*op, a, b);
	if (!strcmp(op, "wait")) return fgets(text, sizeof text, stdin) ? 0 : -1;
	if (!strcmp(op, "loop")) for (volatile int i = 0;; i++);
	if (!strcmp(op, "sleep")) return (int)sleep(600);
	errno = ENOSYS;
	return -1;
}
int main(int argc, char **argv) {
	for (int i = 1; i + 2 < argc; i += 3) {
		printf("%s\n", act(argv[i], argv[i + 1], argv[i + 2]) < 0 ? strerror(errno) : "done");
		fflush(stdout);
	}
	return 0;
}
"""

# Swaps a file and a directory for links, and writes a number to two files in turns, until it is ended.
SWAP = r"""
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv) {
	int one = open("one", O_WRONLY | O_CREAT, 0666), two = open("two", O_WRONLY | O_CREAT, 0666);
	for (unsigned n = 1;; n++) {
		char text[20];
		int len = snprintf(text, sizeof text, "%010u", n);
		pwrite(one, text, len, 0);
		pwrite(two, text, len, 0);
		if (n % 50 == 0) {
			rename("file", "file.away"); symlink(argv[1], "file"); unlink("file"); rename("file.away", "file");
			rename("dir", "dir.away"); symlink(argv[2], "dir"); unlink("dir"); rename("dir.away", "dir");
		}
		if (n == 100) { puts("go"); fflush(stdout); }
	}
}
"""
SECRET_TEXT = """
import os, runpy, sys
os.mkdir('/tmp/values')
open('/tmp/values/KEY', 'w').write(os.environ['KEY'])
for name, value in (('plain', os.environ['KEY']), ('hex', os.environ['KEY'].encode().hex())):
    open(name, 'w').write(value)
os.mkdir('name-' + os.environ['KEY'].encode().hex())
for c in os.environ['KEY']:
    sys.stdout.write(c); sys.stdout.flush()
sys.argv = ['spell.py', '1', '/tmp/values']
runpy.run_path('spell.py', run_name='__main__')
"""


# The table.

def names_of_tests():
    return {name for path in HERE.glob("test_*.py") for name in re.findall(r"^def (test_\w+)\(", path.read_text(), re.M)}


def test_every_case_is_answered():
    assert sorted(CASES) == list(range(1, 164)), "the attacks have these numbers"
    named = {name for case in CASES.values() for name in case.tests}
    assert named <= names_of_tests(), named - names_of_tests()
    for number, case in CASES.items():
        assert case.tests or case.lacks or case.because, number
        assert not set(case.lacks) & set(WASI), (number, case.lacks)


def imports(text, cwd, **kw):
    """What is said of a module that imports this, in WebAssembly's text."""
    wasm.from_text(cwd / "wants.wasm", f'(module {text} (memory (export "memory") 1) (func (export "_start")))', "--enable-all")
    return wasm.run("./wants.wasm", cwd=cwd, **kw)


def calls_of_linux():
    """Every system call's name, also those that nobody thought of."""
    for machine in ("x86_64-linux-gnu/asm/unistd_64.h", "asm-generic/unistd.h"):
        path = pathlib.Path("/usr/include") / machine
        if path.exists():
            found = set(re.findall(r"#define __NR_(\w+) ", path.read_text()))
            assert len(found) > 300
            return found
    raise AssertionError("no list of system calls: linux-libc-dev has it")


def test_all_of_wasi_links(tmp_path):
    """The control: each with its own type, in one module, which then starts."""
    kinds = {"i": "i32", "I": "i64"}
    text = " ".join(f'(import "{P1}" "{name}" (func (param {" ".join(kinds[c] for c in of)}) {"" if name == "proc_exit" else "(result i32)"}))'
                    for name, of in WASI.items())
    done = imports(text, tmp_path)
    assert done["status"] == "ok" and len(WASI) == 46, done


def test_nothing_else_links(tmp_path):
    """System calls by name, functions of libraries and of other hosts, as functions of WASI and of the environment: each is named as missing."""
    wanted = {name for case in CASES.values() for name in case.lacks} | calls_of_linux() | set(LIBRARY.split())
    rows = [(module, name) for module in (P1, "env") for name in sorted(wanted - set(WASI))]
    rows += [(module, name) for module, names in OTHERS.items() for name in names.split()]
    rows = list(dict.fromkeys(rows))
    assert len(rows) > 700
    for at in range(0, len(rows), 16):  # a result lists so many
        part = rows[at:at + 16]
        done = imports(" ".join(f'(import "{module}" "{name}" (func))' for module, name in part), tmp_path)
        assert done["status"] == "error" and done["aisbx_status"] == 126 and "fuel" not in done["usage"], (part, done)
        told = [v["what"] for v in done["violations"] if v["kind"] == "import"]
        assert len(told) == len(part) and all(name in what for (_, name), what in zip(part, told)), (part, told)


@pytest.mark.parametrize("text, words", [
    ('(import "env" "memory" (memory 1))', "import 'memory' of 'env'"), ('(import "env" "table" (table 1 funcref))', "import 'table' of 'env'"),
    ('(import "env" "__stack_pointer" (global (mut i32)))', "import '__stack_pointer' of 'env'"), ('(import "env" "tag" (tag))', "import 'tag' of 'env'"),
])
def test_nor_is_anything_imported_that_is_no_function(tmp_path, text, words):
    wasm.from_text(tmp_path / "wants.wasm", f'(module {text} (func (export "_start")))', "--enable-all")
    done = wasm.run("./wants.wasm", cwd=tmp_path)
    assert done["status"] == "error" and [v["what"] for v in done["violations"]] == [words], done


def test_a_type_of_its_own_makes_no_other_function(tmp_path):
    """WASI's names with other parameters; memory that threads would share."""
    done = imports(f'(import "{P1}" "proc_exit" (func (param i64 i64) (result i64)))', tmp_path)
    assert done["status"] == "error" and "fuel" not in done["usage"] and "incompatible" in done["error"], done
    wasm.from_text(tmp_path / "shared.wasm", '(module (memory (export "memory") 1 1 shared) (func (export "_start")))', "--enable-threads")
    done = wasm.run("./shared.wasm", cwd=tmp_path)
    assert done["status"] == "error" and "fuel" not in done["usage"], done


@pytest.mark.parametrize("code", ["cd80", "0f05", "0f34", "f4", "41010f05", "cd800f05c3"], ids=["int80", "syscall", "sysenter", "hlt", "after-a-constant", "all"])
def test_machine_code_is_no_instruction(tmp_path, code):
    """What a processor would take for a way into the kernel."""
    body = b"\0" + bytes.fromhex(code) + b"\x0b"
    section = b"\1" + bytes([len(body)]) + body
    (tmp_path / "x.wasm").write_bytes(b"\0asm\1\0\0\0\1\4\1\x60\0\0\3\2\1\0\7\x0a\1\6_start\0\0\x0a" + bytes([len(section)]) + section)
    done = wasm.run("./x.wasm", cwd=tmp_path)
    assert done["status"] == "error" and "fuel" not in done["usage"], done
    if code == "cd80":  # the control: the same around an instruction that there is
        body = b"\0\1\1\x0b"
        (tmp_path / "x.wasm").write_bytes(b"\0asm\1\0\0\0\1\4\1\x60\0\0\3\2\1\0\7\x0a\1\6_start\0\0\x0a\6\1\4" + body)
        assert wasm.run("./x.wasm", cwd=tmp_path)["status"] == "ok"


def test_sockets_of_wasi_reach_nothing(tmp_path):
    """Of descriptors that are there and that are not; a socket that aisbx inherited is none of the program's."""
    wasm.from_text(tmp_path / "sock.wasm", f"""(module
      (import "{P1}" "sock_accept" (func $accept (param i32 i32 i32) (result i32)))
      (import "{P1}" "sock_recv" (func $recv (param i32 i32 i32 i32 i32 i32) (result i32)))
      (import "{P1}" "sock_send" (func $send (param i32 i32 i32 i32 i32) (result i32)))
      (import "{P1}" "sock_shutdown" (func $shut (param i32 i32) (result i32)))
      (import "{P1}" "proc_exit" (func $exit (param i32)))
      (memory (export "memory") 1)
      (func (export "_start") (local $i i32) (local $n i32)
        (i32.store (i32.const 0) (i32.const 64)) (i32.store (i32.const 4) (i32.const 8))
        (loop $l
          (local.set $n (i32.add (local.get $n) (i32.eqz (call $accept (local.get $i) (i32.const 0) (i32.const 32)))))
          (local.set $n (i32.add (local.get $n) (i32.eqz (call $recv (local.get $i) (i32.const 0) (i32.const 1) (i32.const 0) (i32.const 32) (i32.const 36)))))
          (local.set $n (i32.add (local.get $n) (i32.eqz (call $send (local.get $i) (i32.const 0) (i32.const 1) (i32.const 0) (i32.const 32)))))
          (local.set $n (i32.add (local.get $n) (i32.eqz (call $shut (local.get $i) (i32.const 3)))))
          (br_if $l (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (i32.const 300))))
        (call $exit (local.get $n))))""")
    ours, theirs = socket.socketpair()
    with ours, theirs, socket.create_server(("127.0.0.1", 0)) as server:
        os.set_inheritable(server.fileno(), True)
        done = wasm.run("./sock.wasm", cwd=tmp_path, stdin=theirs, close_fds=False)
        assert done["exit_code"] == 0, done
        ours.settimeout(0)
        with pytest.raises(BlockingIOError):
            ours.recv(1)


def test_a_signal_is_its_own(tmp_path):
    """Each number, by the only function there is for it: none reaches anybody, and no number stops the box or makes it last."""
    wasm.from_text(tmp_path / "raise.wasm", f"""(module (import "{P1}" "proc_raise" (func $raise (param i32) (result i32))) (import "{P1}" "proc_exit" (func $exit (param i32)))
      (memory (export "memory") 1) (func (export "_start") (local $i i32)
        (loop $l (if (i32.eqz (call $raise (local.get $i))) (then (call $exit (i32.const 1))))
          (br_if $l (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (i32.const 70))))))""")
    done = wasm.run("./raise.wasm", cwd=tmp_path)
    assert done["signal"] is None and done["status"] in ("ok", "failed") and done["exit_code"] != 1, done
    assert done["exit_code"] == 0 or done["trap"], done


# Files.

@pytest.fixture(scope="module", name="programs")
def fixture_programs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("programs")
    wasm.from_c(folder / "act.wasm", ACT)
    wasm.from_c(folder / "swap.wasm", SWAP)
    return folder


@pytest.fixture(name="project")
def fixture_project(tmp_path, programs):
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "act.wasm").write_bytes((programs / "act.wasm").read_bytes())
    return folder


def flat(acts):
    return [str(word) for act in acts for word in (*act, "-", "-")[:3]]


def act(acts, cwd, **kw):
    """What came of each act: "done", or the error."""
    result = box.started(wasm.run("./act.wasm", *flat(acts), cwd=cwd, **kw))
    lines = result["stdout"].splitlines()
    assert len(lines) == len(acts), result
    return lines


def worked(acts, cwd, **kw):
    """Those acts that were done."""
    return [" ".join(map(str, a)) for a, end in zip(acts, act(acts, cwd, **kw)) if end == "done"]


def test_nothing_outside_is_changed(project):
    """Every act that WASI has, on files, directories and links outside, by every way to them. The same within is done."""
    canary = pathlib.Path(box.make_canary(project.parent / "canary"))
    ways = [str(canary), "../canary", f"/proc/self/root{canary}", f"/tmp/../..{canary}", "l", f"/./../{canary}", "sub/../../canary", "/proc/self/cwd/../canary"]
    first = [("mkdir", "sub"), ("write", "own", "x"), ("symlink", "l", "../canary"), ("symlink", "dangling", "../canary/dangling"), ("symlink", "up", "../canary/plain")]
    acts = [("symlink", "absolute", canary), ("write", "dangling", "x"), ("write", "up", "x"), ("cut", "up", 0), ("times", "up")]
    for way in ways:
        for name in ("plain", "deep/er/file"):
            p = f"{way}/{name}"
            acts += [("read", p), ("write", p, "owned"), ("cut", p, 0), ("unlink", p), ("times", p), ("link", p, "mine"), ("rename", p, "mine"), ("rename", "own", p),
                     ("symlink", f"{p}2", "x"), ("link", "own", f"{p}2"), ("stat", p)]
        acts += [("list", way), ("mkdir", f"{way}/new"), ("rmdir", f"{way}/deep/er"), ("write", f"{way}/new", "x"), ("rename", f"{way}/deep", "mine"), ("look", f"{way}/link")]
    acts += [("write", p, "x") for p in ("/etc/new", "/run/aisbx/wasm/aisbx-wasm", "/run/aisbx/wasm/new", "/proc/self/exe", "/tmp/../report", "/tmp/../module")]
    helper = pathlib.Path(box.aisbx()).with_name("aisbx-wasm")
    with box.Watch(canary, *([helper] if helper.exists() else [])):
        assert worked([*first, *acts], project) == [" ".join(a) for a in first]
        within = [("write", "sub/plain", "x"), ("times", "sub/plain"), ("link", "sub/plain", "mine"), ("rename", "mine", "sub/2"), ("symlink", "sub/l", "2"), ("look", "sub/l"),
                  ("cut", "sub/l", 0), ("unlink", "sub/2"), ("mkdir", "sub/new"), ("rmdir", "sub/new"), ("list", "sub"), ("stat", "sub")]
        assert len(worked([*first, *within], project)) == len(first) + len(within)


def test_there_is_no_proc_sys_or_dev(project):
    """Neither to be read nor written nor listed, nor by links that somebody put into the project."""
    paths = ["/proc/kcore", "/proc/keys", "/proc/timer_list", "/proc/sysrq-trigger", "/proc/sys/kernel/core_pattern", "/proc/sys/kernel/modprobe", "/proc/1/root",
             "/proc/1/mem", "/proc/1/environ", "/proc/1/fd/0", "/proc/self/mem", "/proc/self/exe", "/proc/self/environ", "/proc/self/fd/0", "/proc/self/uid_map", "/proc/mounts",
             "/sys/firmware", "/sys/class/powercap", "/sys/fs/cgroup", "/sys/fs/cgroup/cgroup.procs", "/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/release_agent",
             "/sys/devices/system/cpu/cpu0/thermal_throttle", "/dev/null", "/dev/full", "/dev/mem", "/dev/kvm", "/dev/fuse", "/dev/net/tun", "/dev/loop-control", "/dev/tty",
             "/dev/pts/0", "/dev/console", "/dev/shm", "/dev/fd/0", "/dev/random", "/etc/passwd", "/run/secrets", "/run/aisbx", "/bin/sh", "/usr/bin"]
    for i, path in enumerate(paths):
        (project / f"l{i}").symlink_to(path)
    ops = ("read", "list", "write", "stat", "times")
    assert worked([(op, path, "x") for path in paths for op in (*ops, "look", "unlink")], project) == []
    assert worked([(op, f"l{i}", "x") for i in range(len(paths)) for op in ops], project) == []
    # Of an absolute path with one name a C library makes one of the project; and what is the program's own it has.
    assert len(worked([("list", "/proc"), ("write", "/proc", "x"), ("read", "proc"), ("list", "/tmp"), ("write", "/tmp/x", "x"), ("read", "/tmp/x")], project)) == 5
    assert not (project / "proc").exists()


def test_what_was_granted_stays_where_it_is(project):
    """Nothing comes over the place of a granted directory, and that does not move; what is shown to be read is not written."""
    shown = pathlib.Path(box.make_canary(project.parent / "shown"))
    (project / "lib").mkdir()
    place = f"{shown}:{project}/lib"
    first = [("mkdir", "e"), ("write", "e/f", "x"), ("read", "lib/plain")]
    over = [("rename", "e", "lib"), ("rename", "lib", "e2"), ("rmdir", "lib"), ("unlink", "lib"), ("symlink", "lib", "x")]
    into = [("write", "lib/new", "x"), ("write", "lib/plain", "x"), ("times", "lib/plain"), ("unlink", "lib/plain"), ("rename", "lib/plain", "lib/2"), ("link", "lib/plain", "h"),
            ("link", "e/f", "lib/f"), ("mkdir", "lib/d"), ("symlink", "lib/l", "x"), ("cut", "lib/plain", 0)]
    with box.Watch(shown):
        assert worked([*first, *over, *into], project, options=["--ro", place]) == [" ".join(a) for a in first]
        assert worked([*first, *over], project, options=["--rw", place]) == [" ".join(a) for a in first]
    # Control: what may be written is.
    assert worked([("write", "lib/new", "x")], project, options=["--rw", place]) and (shown / "new").read_text() == "x"


def test_no_link_to_a_file_outside(project):
    """Out of a granted directory no file gets a second name in the project, where it would be the box's own; and none of the box's goes there so."""
    shown = pathlib.Path(box.make_canary(project.parent / "shown"))
    with box.Watch(shown):
        acts = [("write", "own", "x"), ("link", "/shown/plain", "h"), ("rename", "/shown/plain", "h"), ("link", "own", "/shown/own"), ("rename", "own", "/shown/own"),
                ("link", "/shown/absolute", "h2"), ("link", "/shown/../shown/plain", "/tmp/h")]
        assert worked(acts, project, options=["--rw", f"{shown}:/shown"]) == ["write own x"]


def test_a_program_or_a_place_by_descriptor(project):
    """A module's path and a directory to start in lead through nothing but the project."""
    with open(project / "act.wasm", "rb") as f:
        os.set_inheritable(f.fileno(), True)
        for path in (f"/proc/self/fd/{f.fileno()}", "/proc/self/fd/0", "/proc/self/exe", f"/dev/fd/{f.fileno()}", "../project/../../act.wasm", "/usr/lib/act.wasm"):
            done = wasm.run(path, "stat", ".", "-", cwd=project, close_fds=False, stdin=f)
            assert done["status"] == "error" and "read the module" in done["error"], (path, done)
        (project / "link.wasm").symlink_to("/proc/self/exe")
        assert "read the module" in wasm.run("./link.wasm", cwd=project)["error"]
        done = wasm.run(str(project / "act.wasm"), "write", "made", "x", "stat", "/proc", "-", cwd=project, options=["-C", "/proc/self/fd/0"], close_fds=False)
        assert done["status"] == "error" or done["stdout"].splitlines()[1] != "done", done
    assert not (project / "made").exists()


def test_who_waits_for_a_fifo_is_ended(programs):
    """One that somebody put into the project, and where nobody is at the other end. A socket is no file."""
    with tempfile.TemporaryDirectory() as short:  # a socket's path has to be
        project = pathlib.Path(short)
        (project / "act.wasm").write_bytes((programs / "act.wasm").read_bytes())
        os.mkfifo(project / "fifo")
        with socket.socket(socket.AF_UNIX) as s:
            s.bind(short + "/sock")
            assert worked([("read", "sock"), ("write", "sock", "x"), ("list", "sock")], project) == []
        for op in ("read", "write", "list"):
            result = wasm.run("./act.wasm", op, "fifo", "x", cwd=project, options=["--timeout", "300ms"])
            assert result["limit"]["kind"] == "wall_time" and result["stdout"] == "", result


# Resources.

def test_tmp_is_bounded(project):
    """/tmp is of the box: what fills it counts, and is gone with it."""
    done = wasm.code("python", "f = open('/tmp/big', 'wb')\nwhile True: f.write(b'x' * 65536)", "--disk", "2m")
    assert done["limit"]["kind"] == "disk" or "No space left" in done["stderr"], done
    assert worked([("stat", "/tmp/big")], project) == []


def test_entries_are_bounded(tmp_path, project):
    """Files and further names of one file: both are entries. In a box that stays, where they would be the host's to keep, it is stopped."""
    for op, path in (("files", "f"), ("links", "own")):
        n, end = act([("write", "own", "x"), (op, path, 100000)], project, options=["--inodes", "500"])[1].split(" ", 1)
        assert int(n) <= 500 and end == "No space left on device", (n, end)
    s = Shelf(tmp_path / "stays")
    (s.project / "act.wasm").write_bytes((project / "act.wasm").read_bytes())
    s.ok("create", "b")
    for op, path in (("files", "f"), ("links", "own")):
        _, result = s.call("run", "--driver", "wasm", "--box", "b", "--inodes", "500", "--timeout", "60s", "--", "./act.wasm", *flat([("write", "own", "x"), (op, path, 1000000)]))
        assert result["limit"]["kind"] == "inodes", result
        s.ok("rm", "b")
        s.ok("create", "b")


def test_descriptors_are_bounded(project):
    """Of its own process alone; a neighbour opens what it likes."""
    for most, options in ((20000, []), (100, ["--files", "100"])):
        opened, end = act([("opens", "act.wasm", 1000000), ("read", "act.wasm")], project, options=options)
        assert 30 < int(opened.split()[0]) < most and end != "done", (opened, end)
    assert act([("opens", "act.wasm", 50)], project) == ["50 done"]


@pytest.mark.parametrize("what", ["loop", "sleep", "read"])
def test_nothing_outlives_the_deadline(project, what):
    """While it computes, while it sleeps, while the engine waits for a FIFO in the kernel."""
    os.mkfifo(project / "fifo")
    marker = uuid.uuid4().hex
    done = wasm.run("./act.wasm", what, "fifo", marker, cwd=project, options=["--timeout", "300ms"])
    assert done["limit"]["kind"] == "wall_time" and done["aisbx_status"] == 124 and done["limit"]["used"] < 300 + pace.seconds(1000), done
    box.wait_until(lambda: not box.processes_with(marker), 30, "the end of all processes")


def test_two_megabytes_of_arguments(project):
    """What the kernel can pass on arrives; what it cannot is an error that says so."""
    done = wasm.run("./act.wasm", *flat([("stat", "x" * 100000, "y")] * 5), cwd=project)
    assert done["status"] == "ok" and len(done["stdout"].splitlines()) == 5, done["stdout"]
    request = {"jsonrpc": "2.0", "id": 1, "method": "run", "params": {"driver": "wasm", "project": str(project), "command": ["./act.wasm", *["x" * 100000] * 21]}}
    done = subprocess.run([box.aisbx(), "rpc"], cwd=project, input=json.dumps(request).encode() + b"\n", capture_output=True, timeout=60, check=False)
    answer = json.loads(done.stdout.splitlines()[0])
    assert "error" in answer or answer["result"]["status"] == "error", answer
    assert worked([("stat", ".")], project) == ["stat ."]


# Secrets, terminals, streams.

def test_a_secret_is_nowhere(tmp_path):
    """Written letter by letter, in every spelling and in pieces; kept in files and names; told by diff, history, snapshots; and the promotion stops."""
    wasm.languages()
    s = Shelf(tmp_path)
    value = b'hunter2"/+secret value'
    (s.root / "value").write_bytes(value)
    for name, text in (("spell.py", pathlib.Path(spell.__file__).read_text()), ("leak.py", SECRET_TEXT)):
        (s.project / name).write_text(text)
    s.ok("create", "b")
    words = ["run", "--driver", "wasm", "--box", "b", "--secret", f"KEY=file:{s.root}/value,as=env", "--", "python3", "leak.py"]
    told = [json.dumps(s.ok(*words)).encode()]
    assert b"[secret KEY]" in told[0], told
    s.ok("snap", "b", "one")
    for more in (("diff", "b"), ("diff", "--patch", "b"), ("diff", "--json", "--patch", "b"), ("history", "--json", "--full"), ("history", "--events"), ("show", "--json", "b")):
        with s.start(*more) as p:
            told += p.communicate(timeout=60)
    kept = b"".join(p.read_bytes() for p in s.state.rglob("*") if p.is_file() and not p.is_symlink() and "layers" not in p.parts)
    assert not spell.survivors({"KEY": value}, b"\n".join(told)) and not spell.survivors({"KEY": value}, kept)
    status, result = s.call("promote", "b")
    assert status == 1 and {x["path"] for x in result["secrets"]} >= {"plain", "hex"} and not (s.project / "plain").exists(), result
    # Control: without the redactor all of it is to be seen.
    found = subprocess.run([box.aisbx(), "run", "--driver", "wasm", "--env", f"KEY={value.decode()}", "--", "python3", "leak.py"], cwd=s.project, env=s.env, capture_output=True,
                           timeout=60, check=False)
    assert spell.survivors({"KEY": value}, found.stdout + found.stderr)


def on_a_terminal(words, cwd, env):
    """What aisbx itself writes there."""
    master, slave = pty.openpty()
    with subprocess.Popen([box.aisbx(), *map(str, words)], cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=slave, stderr=slave) as process:
        os.close(slave)
        shown = b""
        try:
            while chunk := os.read(master, 65536):
                shown += chunk
        except OSError:  # EIO: the other end is closed
            pass
        os.close(master)
        process.wait(60)
    return shown.decode()


UNSEEN = ["\x1b]0;title\x07", "\x1b[2J", "\u202e", "\u200b", "\u2028", "\u00ad", "\U000e0041", "\x9b31m", "\ufeff"]


def test_hostile_names_do_not_draw(tmp_path, programs):
    """Of files that it made, of modules, of what they import and of languages: aisbx's own words show them, and do not send them."""
    s = Shelf(tmp_path)
    (s.project / "act.wasm").write_bytes((programs / "act.wasm").read_bytes())
    s.ok("create", "b")
    evil = "".join(UNSEEN)
    result = s.ok("run", "--driver", "wasm", "--box", "b", "--", "./act.wasm", *flat([("write", f"a{evil}", "x"), ("symlink", f"b{evil}", evil), ("mkdir", f"c{evil}")]))
    assert result["stdout"] == "done\n" * 3, result
    name = "".join(f"\\{b:02x}" for b in f"x{evil}".encode())
    wasm.from_text(tmp_path / "wants.wasm", f'(module (import "{name}" "{name}" (func)) (memory (export "memory") 1) (func (export "_start")))')
    (s.project / f"m{evil}.wasm").write_bytes((tmp_path / "wants.wasm").read_bytes())
    (s.project / f"n{evil}.wasm").write_text("no module")
    run = ("run", "--driver", "wasm", "--")
    for words in (("diff", "b"), ("promote", "b", "--dry-run"), (*run, f"./m{evil}.wasm"), (*run, f"./n{evil}.wasm"), (*run, f"./o{evil}.wasm"), (*run, f"p{evil}"),
                  ("history",)):
        shown = re.sub(r"\x1b\[[0-9;]*[mK]", "", on_a_terminal(words, s.project, s.env))
        assert shown and not [c for c in ("\x1b", "\x07", "\x9b", *UNSEEN[2:]) if c in shown], (words, ascii(shown))
    # Control: they are there, and who reads data gets them.
    assert any(evil in c["path"] for c in s.ok("diff", "b")["changes"])


def test_a_name_cut_in_a_character_is_text(tmp_path):
    """What is told of an import is cut to a size; the result is there, and is UTF-8."""
    for n in (70, 71, 79, 80):
        name = "x" * n + "é" * 40
        result = imports(f'(import "{name}" "{name}" (func))', tmp_path)
        assert result["status"] == "error" and [v["kind"] for v in result["violations"]] == ["import"], result


def test_thousands_of_imports(tmp_path):
    """More than anybody reads: the first are told, and why it did not start."""
    result = imports(" ".join(f'(import "{"m" * 70}" "{"n" * 60}{i}" (func))' for i in range(5000)), tmp_path)
    assert result["status"] == "error" and "which no program gets here" in result["error"] and len(result["violations"]) == 16, result


HIDING = r"""
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
static char block[4096];
int main(int argc, char **argv) {
	char name[20];
	int fd = open("big", O_WRONLY | O_CREAT, 0666), n = 0;
	if (!strcmp(argv[1], "descriptors")) while (open("hide.wasm", O_RDONLY) >= 0) n++;
	if (!strcmp(argv[1], "files")) do snprintf(name, sizeof name, "f%d", n++); while (open(name, O_WRONLY | O_CREAT, 0666) >= 0 && !close(n + 4));
	if (!strcmp(argv[1], "blocks")) while (write(fd, block, sizeof block) > 0) n++;
	for (volatile int i = 0;; i++);
}
"""


@pytest.mark.parametrize("what", ["descriptors", "files", "blocks"])
def test_who_takes_all_there_is_hides_nothing(tmp_path, what):
    """How it ended and how much it computed is told, though nothing can be opened, made or written any more."""
    wasm.from_c(tmp_path / "hide.wasm", HIDING)
    result = wasm.run("./hide.wasm", what, cwd=tmp_path, options=["--inodes", "200", "--disk", "2m", "--fuel", "30000000", "--timeout", "60s"])
    assert result["limit"]["kind"] == "fuel" and result["aisbx_status"] == 124 and result["usage"]["fuel"] >= 30000000, result


@pytest.mark.parametrize("closed", [c for n in range(1, 4) for c in itertools.combinations(range(3), n)], ids=lambda c: "".join(map(str, c)))
def test_closed_streams(project, closed):
    """Standard descriptors that are not there become none of aisbx's own; it ends by itself."""
    script = "exec \"$@\"" + "".join(f" {fd}{'<' if fd == 0 else '>'}&-" for fd in closed)
    done = subprocess.run(["sh", "-c", script, "sh", box.aisbx(), "run", "--driver", "wasm", "--timeout", "30s", "--", "./act.wasm", *flat([("wait", ""), ("stat", "."), ("read", "act.wasm")])],
                          cwd=project, input=b"in\n", capture_output=True, timeout=60, check=False)
    assert done.returncode != 124, "its end came by the deadline"
    if 1 in closed:
        assert done.returncode != 0 and done.stdout == b"", done
    else:
        assert done.returncode == 0 and done.stdout.endswith(b"done\ndone\n"), done


def test_images_and_devices_are_refused(tmp_path, project):
    """So no archive, no layer and no name in one is anything that this driver reads."""
    done = wasm.run("./act.wasm", cwd=project, options=["--device", "/dev/null"])
    assert "cannot show a device" in done["error"]["text"], done
    env = {**os.environ, "XDG_STATE_HOME": str(tmp_path / "state")}
    layer = tmp_path / "layer"
    layer.mkdir()
    (layer / "f").write_text("x")
    subprocess.run([box.need(os.path.join(os.environ["AISBX_TEST_BIN"], "add-image")), "img", '{"config": {"Cmd": ["./act.wasm"]}}', layer], env=env, check=True, stdout=subprocess.DEVNULL)
    done = wasm.run("./act.wasm", cwd=project, env=env, options=["--image", "img", "--project", str(project)])
    assert done["status"] == "error" and "cannot run images" in done["error"]["text"], done


def test_a_missing_wall_is_named(project):
    """What the kernel refuses to build, native walls around the engine: nothing runs, and it is said what is missing."""
    deny = box.need(os.path.join(os.environ["AISBX_TEST_BIN"], "deny"))
    for call, wall in ((("seccomp", "EINVAL"), "seccomp"), (("landlock_create_ruleset", "ENOSYS"), "landlock")):
        done = subprocess.run([deny, *call, "--", box.aisbx(), "run", "--driver", "wasm", "--json", "--", "./act.wasm", *flat([("stat", ".")])], cwd=project, capture_output=True,
                              text=True, timeout=60, check=False)
        assert done.returncode == 125 and wall in done.stdout and "stdout" not in json.loads(done.stdout), done


# What is left for promotion.

class Lab(Shelf):
    """A box b, in which the actor works."""

    def __init__(self, root, programs):
        super().__init__(root)
        for path in programs.glob("*.wasm"):
            (self.project / path.name).write_bytes(path.read_bytes())

    def act(self, *acts, name="b"):
        """All of it is done."""
        result = self.ok("run", "--driver", "wasm", "--box", name, "--", "./act.wasm", *flat(acts))
        assert set(result["stdout"].splitlines()) <= {"done"} and result["stdout"].count("\n") == len(acts), result
        return result

    def put(self, name, text):
        path = self.project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path


@pytest.fixture(name="lab")
def fixture_lab(tmp_path, programs):
    lab = Lab(tmp_path, programs)
    yield lab
    for kept in lab.ok("ls", "--all")["boxes"]:  # a layer has directories that nobody else can remove
        lab.ok("rm", kept["id"])


def paths(rows):
    return {path_of(row).decode() for row in rows}


PLANTED = [".mcp.json", ".vscode/tasks.json", ".VSCODE/settings.json", ".vs\u200bcode/tasks.json", ".v\u017fcode/tasks.json", ".envrc", ".gitmodules",
           ".github/workflows/x.yml", "CLAUDE.md", "eslint.config.js", ".prettierrc.js", "build.gradle", "conftest.py", "sub/vite.config.ts"]
OF_GIT = [".git/hooks/pre-commit", ".GIT/hooks/post-checkout", "sub/.git/config", "docs/HEAD", "docs/config", "docs/objects/x", "docs/refs/x", ".git/modules/a/b/config",
          ".git/modules/a/modules/b/hooks/post-commit", ".git/worktrees/W/commondir", ".git/info/grafts", ".git/objects/info/alternates", ".git/refs/replace/" + "0" * 40]


def test_plants_wait_for_a_word(lab):
    """Files that the person's own tools obey unasked, under every name, links to where they lie, and repositories, also a bare one in a directory."""
    lab.ok("create", "b")
    folders = dict.fromkeys(str(p) for name in [*PLANTED, *OF_GIT] for p in reversed(pathlib.PurePath(name).parents) if str(p) != ".")
    text = "[core]\n fsmonitor = \"touch owned\" #]\n\r[core]\n hooksPath = .\n"
    lab.act(*(("mkdir", f) for f in folders), *(("write", name, "ref: refs/heads/x\n" if name.endswith("HEAD") else text) for name in [*PLANTED, *OF_GIT]),
            ("symlink", "tools", ".git/hooks"), ("symlink", "editor", ".vscode"), ("write", "src.c", "int main;\n"))
    result = lab.stopped("b")
    assert paths(result["traps"]) == {*PLANTED, "tools", "editor"}
    assert not paths(result["changes"]) & set(OF_GIT) and {word for line in result["stayed"] for word in re.findall(r"'(\S+)'", line)} == {".git", ".GIT", "docs", "sub/.git"}
    # Control: what is none of them goes in without a word, and with one they do; a repository not even then.
    lab.promoted("b", "src.c")
    lab.promoted("b", "--yes")
    assert (lab.project / ".vscode/tasks.json").read_bytes() == text.encode() and (lab.project / "tools").is_symlink()
    assert not [name for name in OF_GIT if (lab.project / name).exists()] and not (lab.project / "owned").exists()


def git(*words, cwd):
    return subprocess.run(["git", "-c", "user.name=x", "-c", "user.email=x@localhost", *words], cwd=cwd, check=True, capture_output=True, text=True,
                          env={**os.environ, "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1"}).stdout


def test_a_git_directory_stays_in_the_box(lab):
    """Configuration and hooks that run programs, references elsewhere, objects removed, all of it moved away: the host's is as it was, also after a yes."""
    git("init", "-q", cwd=lab.project)
    lab.put("file", "text\n")
    git("add", "file", cwd=lab.project)
    git("commit", "-q", "-m", "one", cwd=lab.project)
    commit = git("rev-parse", "HEAD", cwd=lab.project).strip()
    loose = f".git/objects/{commit[:2]}/{commit[2:]}"
    before = tree(lab.project / ".git")
    lab.ok("create", "b")
    evil = "[core]\n\tfsmonitor = touch owned\n\thooksPath = .git/hooks\n[filter \"x\"]\n\tclean = touch owned\n"
    lab.act(("unlink", loose), ("write", ".git/hooks/pre-commit", "#!/bin/sh\ntouch owned\n"), ("write", ".git/config", evil), ("mkdir", ".git/modules"),
            ("mkdir", ".git/modules/a"), ("write", ".git/modules/a/config", evil), ("mkdir", ".git/worktrees"), ("mkdir", ".git/worktrees/W"),
            ("write", ".git/worktrees/W/commondir", "../../../evil\n"), ("write", ".git/objects/info/alternates", "/evil\n"), ("write", ".git/info/grafts", "x\n"),
            ("write", ".git/HEAD", "ref: refs/heads/evil\n"), ("write", ".gitattributes", "* filter=x\n"), ("write", "new", "x\n"))
    # The directory itself: moved away, and made anew.
    lab.ok("run", "--driver", "wasm", "--box", "b", "--", "./act.wasm", *flat([("rename", ".git", "away"), ("rename", ".git/hooks", ".git/h"), ("rmdir", ".git")]))
    lab.stopped("b")
    lab.promoted("b", "new", "--yes")
    lab.promote("b", "--yes")
    after = tree(lab.project / ".git")
    for path in (b"config", b"HEAD", loose[5:].encode()):
        assert after[path]["content"] == before[path]["content"], path
    assert not [p for p in after if p.startswith(b"hooks/") and p not in before] and (lab.project / "new").read_text() == "x\n"
    git("commit", "-q", "--allow-empty", "-m", "two", cwd=lab.project)
    assert "two\none" in git("log", "--format=%s", cwd=lab.project) and not (lab.project / "owned").exists()


def test_what_it_leaves_is_plain(lab):
    """Files of mode 644, directories of 755, no attribute, whatever lay there before; nothing that gives power."""
    shown = lab.root / "shown"
    shown.mkdir()
    old = lab.put("old", "x\n")
    old.chmod(0o600)
    lab.ok("create", "b")
    lab.act(("mkdir", "d"), ("write", "d/f", "x"), ("write", "old", "y\n"), ("symlink", "d/l", "f"), ("link", "d/f", "d/h"))
    assert not lab.promoted("b")["traps"]
    found = tree(lab.project)
    assert found[b"d/f"]["mode"] == found[b"d/h"]["mode"] == "0o644" and found[b"d"]["mode"] == "0o755" and found[b"old"]["mode"] == "0o600"
    assert not [p for p, e in found.items() if e.get("xattrs") or e["type"] == "odd"]
    assert len(worked([("write", "/shown/f", "x"), ("mkdir", "/shown/d")], lab.project, options=["--rw", f"{shown}:/shown"], env=lab.env)) == 2
    assert {stat.S_IMODE((shown / name).stat().st_mode) & 0o7022 for name in ("f", "d")} == {0}


def test_a_box_is_free_when_its_run_has_ended(lab):
    """While its module is compiled for the next time, which takes as long as who made it likes."""
    n = 10000
    functions = "".join(f"(func (result i32) (i32.const {i}))" for i in range(n))
    wasm.from_text(lab.project / "large.wasm", f'(module (memory (export "memory") 1) {functions} (func (export "_start")))')
    lab.ok("create", "b")
    lab.ok("run", "--driver", "wasm", "--box", "b", "--", "./large.wasm")
    lab.ok("rm", "b")


def test_links_are_told(lab):
    """A link that leaves the project is a trap, dangling or not, and who asks for a file of the box by it gets none of the host's."""
    canary = pathlib.Path(box.make_canary(lab.root / "canary"))
    lab.ok("create", "b")
    links = {"up": "../canary/plain", "dangling": "../canary/none", "dir": "../canary", "far": "../" * 30 + "etc/passwd", "hooks": ".git/hooks", "loop": "loop", "second": "dir/plain"}
    lab.act(*(("symlink", name, target) for name, target in links.items()), ("write", "page", "x"), ("symlink", "fine", "page"))
    with box.Watch(canary):
        assert paths(lab.stopped("b")["traps"]) == set(links)
        for path in ("up", "dir/plain", "second", "../canary/plain", "dangling"):
            for words in (("file", "read", "b", path), ("file", "write", "b", path, "--content", "x")):
                with lab.start(*words, "--json") as p:
                    out = p.communicate(timeout=60)[0]
                assert b"canary" not in json.dumps(json.loads(out).get("content", "")).encode(), (words, out)
    lab.promoted("b", "page", "fine")


def test_hard_links_stay_together(lab):
    lab.ok("create", "b")
    lab.act(("mkdir", "p"), ("write", "a", "one\n"), ("link", "a", "p/b"), ("link", "p/b", "p/c"), ("write", "solo", "x"))
    lab.promoted("b")
    assert len({(lab.project / n).stat().st_ino for n in ("a", "p/b", "p/c")}) == 1 and (lab.project / "a").stat().st_nlink == 3 and (lab.project / "solo").stat().st_nlink == 1


def test_a_sparse_terabyte(lab):
    """Nothing is promoted as nothing."""
    lab.ok("create", "b")
    lab.act(("cut", "big", 1 << 40))
    status, result = lab.promote("b")
    if status == 0:
        st = (lab.project / "big").stat()
        assert st.st_size == 1 << 40 and st.st_blocks < 1000, st
        lab.undo()
    assert not (lab.project / "big").exists(), result


def test_what_the_host_changed_meanwhile(lab):
    """Edited, removed, and edited so that size and time are as before: never overwritten in silence."""
    names = ("edited", "removed", "alike", "apart")
    for name in names:
        lab.put(name, "base\n")
    lab.ok("create", "b")
    lab.act(*((("write", name, "box-\n")) for name in names))
    (lab.project / "edited").write_text("host, longer\n")
    (lab.project / "removed").unlink()
    before = (lab.project / "alike").stat()
    (lab.project / "alike").write_text("host\n")
    os.utime(lab.project / "alike", ns=(before.st_atime_ns, before.st_mtime_ns))
    assert paths(lab.stopped("b")["conflicts"]) == {"edited", "removed", "alike"}
    assert (lab.project / "alike").read_text() == "host\n"
    lab.promoted("b", "apart")
    assert (lab.project / "apart").read_text() == "box-\n"


def test_two_promotions_at_once(lab):
    """Of two boxes with the same file one wins, and the other is told."""
    lab.put("f", "base\n")
    for name in ("b", "c"):
        lab.ok("create", name)
        lab.act(("write", "f", f"{name}\n"), ("write", f"only-{name}", "x"), name=name)
    ends = [lab.end(p) for p in [lab.start("promote", name, "--json") for name in ("b", "c")]]
    won = [name for name, (status, result) in zip("bc", ends) if status == 0 and result["applied"]]
    assert len(won) == 1 and (lab.project / "f").read_text() == f"{won[0]}\n", ends
    (lost,) = set("bc") - set(won)
    assert (lab.project / f"only-{won[0]}").exists() and not (lab.project / f"only-{lost}").exists()
    assert paths(lab.stopped(lost)["conflicts"]) == {"f"}


def test_a_live_program_swaps_while_it_is_promoted(lab):
    """A file and a directory are links to outside for a moment, again and again, and two files are written in turns: what arrives is of one moment, or nothing does."""
    canary = pathlib.Path(box.make_canary(lab.root / "canary"))
    lab.put("file", "mine\n")
    lab.put("dir/plain", "mine\n")
    lab.ok("create", "b")
    lab.act(("write", "file", "new\n"), ("write", "dir/plain", "new\n"), ("mkdir", "dir/er"))
    applied = []
    with box.Watch(canary), lab.start("run", "--driver", "wasm", "--box", "b", "--", "./swap.wasm", canary / "plain", canary) as live:
        try:
            assert live.stdout.readline() == b"go\n"
            for _ in range(12):
                status, result = lab.promote("b", "--conflict", "overwrite")
                applied.append(result.get("applied"))
                found = tree(lab.project)
                assert not [p for p, e in found.items() if e["type"] == "symlink"] and b"canary" not in found.get(b"file", {}).get("content", b""), (status, result)
                if result.get("applied") and b"one" in found:
                    one, two = (int(found[name]["content"]) for name in (b"one", b"two"))
                    assert 0 <= one - two <= 1, (one, two)
        finally:
            live.kill()
    assert len(applied) == 12
    # At rest it goes in.
    if not any(applied):
        lab.promoted("b", "--conflict", "overwrite", "--yes")
        assert int((lab.project / "two").read_text()) > 0


ODD_NAMES = ["new\nline", "n" * 255, " ", "-rf", "--yes", "tab\t", "\\", "'\"", ".wh.old", "\x1b[2J", "\u202etxt.exe", "$(touch owned)", "*", "a\rb", "\x01", ".wh..wh..opq", "%s%n"]


def test_odd_names(lab):
    """Byte for byte. A name that is no text there is none for a program, and none of 256 bytes."""
    (lab.project / "old").mkdir()
    for name in ODD_NAMES:
        (lab.project / "old" / name).write_text("old")
    lab.ok("create", "b")
    lab.act(("mkdir", "new"), *((("mkdir", f"new/{name}")) for name in ODD_NAMES), *(("write", f"new/{name}/x", name) for name in ODD_NAMES),
            *(("write", f"old/{name}", name) for name in ODD_NAMES))
    lab.promoted("b")
    for name in ODD_NAMES:
        assert (lab.project / "new" / name / "x").read_bytes() == (lab.project / "old" / name).read_bytes() == name.encode()
    assert not (lab.project / "owned").exists()
    assert act([("write", "n" * 256, "x")], lab.project, env=lab.env) == ["Filename too long"]
    result = box.started(wasm.code("python", "for n in (b'a\\xff', b'\\xe2\\x82'):\n    try: open(n, 'w'); print('made')\n    except OSError: print('no')"))
    assert result["stdout"] == "no\nno\n", result


def test_hidden_deletions_are_told(lab):
    """A directory removed and made anew, and files that moved elsewhere: every one that goes is named."""
    for name in ("d/a", "d/secret", "e/a", "e/sub/b"):
        lab.put(name, name + "\n")
    lab.ok("create", "b")
    lab.act(("unlink", "d/a"), ("unlink", "d/secret"), ("rmdir", "d"), ("mkdir", "d"), ("write", "d/a", "d/a\n"), ("mkdir", "moved"), ("rename", "e/a", "moved/a"),
            ("rename", "e/sub/b", "moved/b"), ("rmdir", "e/sub"), ("rmdir", "e"))
    gone = {"d/secret", "e", "e/a", "e/sub", "e/sub/b"}
    for result in (lab.ok("diff", "b"), lab.promote("b", "--dry-run")[1], lab.promoted("b")):
        assert paths(c for c in result["changes"] if c["kind"] == "deleted") == gone, result["changes"]
    assert sorted(os.listdir(lab.project / "d")) == ["a"] and not (lab.project / "e").exists()


@pytest.mark.parametrize("lang", ["python", "javascript"])
def test_other_ways_out_plant_nothing(tmp_path, lab, lang):
    """run-code --out, and artifacts."""
    wasm.languages()
    names = [".git/hooks/pre-commit", ".vscode/tasks.json", "conftest.py", ".envrc", "report.txt"]
    if lang == "python":
        code = f"import os\nfor n in {names!r}:\n    os.makedirs(os.path.dirname(n) or '.', exist_ok=True)\n    open(n, 'w').write('touch owned')"
    else:
        code = f"const fs = require('fs');\nfor (const n of {names!r}) {{ fs.mkdirSync(require('path').dirname(n), {{ recursive: true }}); fs.writeFileSync(n, 'touch owned'); }}"
    out = tmp_path / "out"
    out.mkdir()
    git("init", "-q", cwd=out)
    words = [box.aisbx(), "run-code", "--json", "--driver", "wasm", "--lang", lang, "--policy", "none", "--out", "."]
    done = subprocess.run([*words, "--code", code], cwd=out, capture_output=True, timeout=60, check=False)
    errors = {f["path"]: f["error"] for f in json.loads(done.stdout)["files"]}
    assert errors.pop("report.txt") is None and set(errors) == set(names[:-1]) and all("--yes" in error for error in errors.values()), errors
    assert [p.name for p in out.rglob("*") if p.is_file() and ".git" not in p.parts] == ["report.txt"] and not (out / ".git/hooks/pre-commit").exists()
    if lang == "python":
        lab.ok("create", "b")
        lab.act(("mkdir", "d"), ("mkdir", "d/.vscode"), ("write", "d/.vscode/tasks.json", "touch owned"))
        with lab.start("artifact", "save", "b", "d", "--name", "d", "--json") as p:
            assert p.wait(60) == 0
        with lab.start("artifact", "get", "d", "--to", "out", "--json") as p:
            told = json.loads(p.communicate(timeout=60)[0])
        assert "--yes" in told["error"]["text"] and not (lab.project / "out").exists(), told
