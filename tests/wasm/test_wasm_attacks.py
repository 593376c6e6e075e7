# SPDX-License-Identifier: Apache-2.0
"""Programs that want out: by paths and links, by descriptors, by what they are made of, by what others compiled for them.

Of shared cases those apply that a program without system calls can try; the kernel's walls around it are those that tests/attack tries
with this driver's own filter (test_the_engine_is_behind_the_kernels_walls).
"""
import os
import subprocess

import box
import pytest
import wasm

TRY = r"""
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
int main(int argc, char **argv) {
	for (int i = 1; i < argc; i++) {
		char text[64] = "";
		int fd = open(argv[i], O_RDONLY);
		ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
		printf("%s %s\n", argv[i], n > 0 ? "READ" : "no");
	}
	return 0;
}
"""


@pytest.fixture(name="place")
def fixture_place(tmp_path):
    (tmp_path / "secret.txt").write_text("host secret\n")
    project = tmp_path / "project"
    project.mkdir()
    (project / "in.txt").write_text("in\n")
    return project


def test_paths_and_links_stay_inside(place):
    """.., absolute, links to files and directories, links to links, /proc and descriptors by name."""
    outside = place.parent / "secret.txt"
    (place / "abs").symlink_to(outside)
    (place / "rel").symlink_to("../secret.txt")
    (place / "up").symlink_to("..")
    (place / "root").symlink_to("/")
    (place / "loop").symlink_to("loop")
    (place / "fd").symlink_to("/proc/self/fd")
    wasm.from_c(place / "try.wasm", TRY)
    tries = ["../secret.txt", "a/../../secret.txt", "./../secret.txt", str(outside), "abs", "rel", "up/secret.txt", "root/etc/passwd", "loop", "fd/0",
             "/etc/passwd", "/proc/self/mem", "/proc/1/environ", "/run/aisbx/wasm/aisbx-wasm", "/tmp/../etc/passwd", "/tmp/report", "/dev/null/../../etc/passwd",
             "//etc/passwd", "in.txt/../../secret.txt", "\x2e\x2e/secret.txt"]
    done = box.started(wasm.run("./try.wasm", "in.txt", *tries, cwd=place))
    assert done["stdout"].splitlines() == ["in.txt READ", *(f"{t} no" for t in tries)], done["stdout"]


@pytest.mark.parametrize("lang", ["python", "javascript"])
def test_languages_see_their_tree_only(place, lang):
    (place / "abs").symlink_to(place.parent / "secret.txt")
    (place / "up").symlink_to("../..")
    paths = ["../secret.txt", "abs", "up/etc/passwd", "/etc/passwd", "/proc/self/environ", "/run/aisbx/wasm/code", str(place.parent / "secret.txt"), "/../../../etc/shadow"]
    if lang == "python":
        words = ["python3", "-c", f"""
import os
for p in {paths!r}:
    try: print(p, open(p).read()[:5])
    except OSError as e: print(p, 'no')
print(sorted(os.listdir('/')))
for act in (lambda: os.symlink('/etc', 'l'), lambda: os.rename('in.txt', '../out.txt'), lambda: os.link('../secret.txt', 'h'), lambda: os.mkdir('/../x')):
    try: act(); print('done')
    except OSError: print('no')
"""]
    else:
        (place / "t.js").write_text(f"""
const fs = require('fs');
for (const p of {paths!r}) {{ try {{ console.log(p, fs.readFileSync(p, 'utf8').slice(0, 5)); }} catch (e) {{ console.log(p, 'no'); }} }}
console.log(JSON.stringify(fs.readdirSync('/')).replaceAll('"', "'").replaceAll(',', ', '));
for (const act of [() => fs.renameSync('in.txt', '../../../../../../../etc/out.txt'), () => fs.mkdirSync('/../../proc/x'), () => fs.writeFileSync('/etc/x', '1')]) {{ try {{ act(); console.log('done'); }} catch {{ console.log('no'); }} }}
""")
        words = ["node", "t.js"]
    done = box.started(wasm.run(*words, cwd=place))
    lines = done["stdout"].splitlines()
    assert lines[:len(paths)] == [f"{p} no" for p in paths], done
    assert (place.parent / "secret.txt").read_text() == "host secret\n" and not (place.parent / "out.txt").exists()
    assert (place / "in.txt").read_text() == "in\n"


def test_a_race_of_links_wins_nothing(place):
    """Somebody in the box's project changes a directory for a link again and again, while the program opens below it."""
    wasm.from_c(place / "race.wasm", r"""
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
int main(void) {
	int got = 0;
	for (int i = 0; i < 3000; i++) {
		char text[64] = "";
		int fd;
		unlink("d"); symlink("..", "d");
		fd = open("d/secret.txt", O_RDONLY);
		if (fd >= 0) { read(fd, text, 63); close(fd); got += !!strstr(text, "host secret"); }
		unlink("d"); symlink("/", "d");
		fd = open("d/etc/passwd", O_RDONLY);
		if (fd >= 0) { got++; close(fd); }
	}
	printf("%d\n", got);
}""")
    assert box.started(wasm.run("./race.wasm", cwd=place))["stdout"] == "0\n"


def test_descriptors(place):
    """Only what it was given: nothing else is open, and preopened directories do not lead upwards."""
    wasm.from_text(place / "fds.wasm", """(module
      (import "wasi_snapshot_preview1" "fd_fdstat_get" (func $stat (param i32 i32) (result i32)))
      (import "wasi_snapshot_preview1" "fd_prestat_get" (func $pre (param i32 i32) (result i32)))
      (import "wasi_snapshot_preview1" "path_open" (func $open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
      (import "wasi_snapshot_preview1" "fd_renumber" (func $renumber (param i32 i32) (result i32)))
      (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
      (memory (export "memory") 1) (data (i32.const 256) "..") (data (i32.const 264) "../../etc")
      (func (export "_start") (local $i i32) (local $n i32)
        (local.set $i (i32.const 0))
        (loop $l
          (if (i32.eqz (call $stat (local.get $i) (i32.const 0))) (then (local.set $n (i32.add (local.get $n) (i32.const 1)))))
          (if (i32.eqz (call $open (local.get $i) (i32.const 0) (i32.const 256) (i32.const 2) (i32.const 0) (i64.const 2) (i64.const 2) (i32.const 0) (i32.const 16)))
            (then (call $exit (i32.const 100))))
          (if (i32.eqz (call $open (local.get $i) (i32.const 1) (i32.const 264) (i32.const 9) (i32.const 0) (i64.const 0x1fffffff) (i64.const 0x1fffffff) (i32.const 0) (i32.const 16)))
            (then (call $exit (i32.const 101))))
          (drop (call $renumber (local.get $i) (i32.const 1000)))
          (br_if $l (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (i32.const 4096))))
        (call $exit (local.get $n))))""")
    done = box.started(wasm.run("./fds.wasm", cwd=place))
    assert done["exit_code"] in (5, 6, 7), done  # three streams and its directories


def test_fifos_and_sockets_of_the_project_do_not_hang_it(place):
    os.mkfifo(place / "fifo")
    done = wasm.run("python3", "-c", "import os\ntry: print(os.stat('fifo').st_size)\nexcept OSError: print('no')", cwd=place)
    assert done["status"] == "ok", done


def leb(n):
    out = bytearray()
    while True:
        out.append((n & 127) | (128 if n > 127 else 0))
        n >>= 7
        if not n:
            return bytes(out)


def section(kind, body):
    return bytes([kind]) + leb(len(body)) + body


HEAD = b"\0asm\1\0\0\0"
ONE_TYPE = section(1, b"\1\x60\0\0")


def many_functions(n):
    return HEAD + ONE_TYPE + section(3, leb(n) + b"\0" * n) + section(7, b"\1\6_start\0\0") + section(10, leb(n) + b"\2\0\x0b" * n)


HOSTILE = {
    "a million functions": lambda: many_functions(1000000),
    "4 GiB of memory at once": lambda: HEAD + ONE_TYPE + section(3, b"\1\0") + section(5, b"\1\0" + leb(65536)) + section(7, b"\1\6_start\0\0") + section(10, b"\1\2\0\x0b"),
    "a data segment at the end of memory": lambda: HEAD + ONE_TYPE + section(3, b"\1\0") + section(5, b"\1\0\1") + section(7, b"\1\6_start\0\0") + section(10, b"\1\2\0\x0b") + section(11, b"\1\0\x41\xff\xff\3\x0b\4abcd"),
    "a table of 10 million": lambda: HEAD + ONE_TYPE + section(3, b"\1\0") + section(4, b"\1\x70\0" + leb(10000000)) + section(7, b"\1\6_start\0\0") + section(10, b"\1\2\0\x0b"),
    "a length that is a lie": lambda: HEAD + b"\1\xff\xff\xff\xff\x0f\1\x60\0\0",
    "blocks in blocks": lambda: HEAD + ONE_TYPE + section(3, b"\1\0") + section(7, b"\1\6_start\0\0") + section(10, b"\1" + (lambda body: leb(len(body)) + body)(b"\0" + b"\2\x40" * 200000 + b"\x0b" * 200001)),
    "nothing but custom sections": lambda: HEAD + b"".join(section(0, b"\1x" + os.urandom(50)) for _ in range(20000)),
    "a start function that loops": lambda: HEAD + ONE_TYPE + section(3, b"\1\0") + section(8, b"\0") + section(10, b"\1\7\0\3\x40\x0c\0\x0b\x0b"),
    "half of a module": lambda: many_functions(1000)[:1500],
    "zeros": lambda: bytes(4096),
    "a component's head": lambda: b"\0asm\x0d\0\1\0" + os.urandom(200),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_modules(tmp_path, name):
    (tmp_path / "x.wasm").write_bytes(HOSTILE[name]())
    done = wasm.run("./x.wasm", cwd=tmp_path, options=["--mem", "300m", "--timeout", "60s", "--fuel", "1000000"])
    assert done["status"] in ("ok", "error", "limit", "failed"), done
    assert not [v for v in done["violations"] if v["kind"] not in ("limit", "import")], done
    if done["status"] == "failed":
        assert done.get("trap") or done["signal"] is None, done
    assert box.run("true", cwd=tmp_path)["status"] == "ok"


def test_a_gigabyte_of_module_is_refused(tmp_path):
    with open(tmp_path / "big.wasm", "wb") as f:
        f.write(HEAD)
        f.truncate(1 << 30)
    done = wasm.run("./big.wasm", cwd=tmp_path, options=["--timeout", "60s"])
    assert "larger than 256 MiB" in str(done["error"]), done


class Compiled:
    """A state directory with a compiled module in it."""

    def __init__(self, tmp_path):
        self.env = {**os.environ, "XDG_STATE_HOME": str(tmp_path / "state")}
        self.folder = tmp_path / "state/aisbx/wasm/compiled"
        self.project = tmp_path / "p"
        self.project.mkdir()
        wasm.from_c(self.project / "a.wasm", '#include <stdio.h>\nint main(void) { puts("right"); }')
        assert self.run()["stdout"] == "right\n"
        box.wait_until(lambda: [p for p in self.folder.iterdir() if not p.name.startswith(".")], what="the compiled module")
        (self.file,) = self.folder.iterdir()

    def run(self):
        return wasm.run("./a.wasm", cwd=self.project, env=self.env)


def test_compiled_code_is_not_taken_from_what_others_can_write(tmp_path):
    c = Compiled(tmp_path)
    good = c.file.read_bytes()
    c.folder.chmod(0o777)
    assert c.run()["stdout"] == "right\n" and c.run()["status"] == "ok"
    c.folder.chmod(0o700)
    c.file.chmod(0o666)
    assert c.run()["stdout"] == "right\n"
    c.file.unlink()
    other = tmp_path / "elsewhere"
    other.write_bytes(good)
    c.file.symlink_to(other)
    assert c.run()["stdout"] == "right\n"


@pytest.mark.parametrize("damage", ["cut", "version", "empty", "text"])
def test_compiled_code_that_is_damaged_is_compiled_again(tmp_path, damage):
    c = Compiled(tmp_path)
    good = c.file.read_bytes()
    c.file.unlink()
    c.file.write_bytes({"cut": good[:100], "version": wasm.of_another_engine(good), "empty": b"", "text": b"#!/bin/sh\n"}[damage])
    c.file.chmod(0o644)
    assert c.run()["stdout"] == "right\n"


def test_a_box_cannot_write_where_compiled_code_is(tmp_path):
    """By a path, and by a native command in the same project."""
    c = Compiled(tmp_path)
    before = c.file.read_bytes()
    for command in (f"echo x > {c.file}", f"rm -f {c.file}", f"touch {c.folder}/{'0' * 64}"):
        box.run("sh", "-c", command, cwd=c.project, env=c.env)
    wasm.run("python3", "-c", f"open({str(c.file)!r}, 'w').write('x')", cwd=c.project, env=c.env)
    assert c.file.read_bytes() == before and len(list(c.folder.iterdir())) == 1


def test_a_language_of_others_is_refused(tmp_path):
    """A directory that others can write to, a file that others can, a link."""
    given = tmp_path / "given"
    given.mkdir(mode=0o755)
    source = wasm.languages() / "javascript-wasm.cwasm"

    def text():
        done = subprocess.run([box.aisbx(), "run", "--driver", "wasm", "--", "node", "x.js"], cwd=tmp_path, capture_output=True, timeout=60,
                              env={**os.environ, "AISBX_WASM_LANGUAGES": str(given), "XDG_STATE_HOME": str(tmp_path / "state")})
        return done.stderr.decode()

    (tmp_path / "x.js").write_text("console.error('it ran')")
    file = given / source.name
    file.write_bytes(source.read_bytes())
    file.chmod(0o644)
    assert "it ran" in text()
    file.chmod(0o666)
    assert "only you can write to" in text()
    file.chmod(0o644)
    given.chmod(0o777)
    assert "can be changed by others" in text()
    given.chmod(0o755)
    file.rename(given / "real")
    file.symlink_to("real")
    assert "only you can write to" in text()


def test_what_is_left_where_the_report_should_be_is_no_report(place):
    """Its tree is not the directory of the report: whatever it writes to /tmp is a file of its own."""
    done = wasm.run("python3", "-c", "open('/tmp/report', 'w').write('fuel 1\\ntrap faked\\n'); open('/tmp/module', 'w').write('x'); print('ok')", cwd=place)
    assert done["stdout"] == "ok\n" and "trap" not in done and done["usage"]["fuel"] > 1000, done


def test_the_engine_is_behind_the_kernels_walls(place):
    """What would run if the engine had a hole: a native command behind this driver's filter can start nothing and reach nothing."""
    probe = ("import ctypes, os\nc = ctypes.CDLL(None, use_errno=True)\n"
             "def t(name, f):\n  try: r = f()\n  except OSError: r = -1\n  print(name, 'no' if r in (-1, None) else 'YES')\n"
             "t('socket', lambda: c.socket(2, 1, 0))\nt('ptrace', lambda: c.ptrace(0, 0, 0, 0))\nt('mount', lambda: c.mount(b'x', b'/tmp', b'tmpfs', 0, None))\n"
             "t('unshare', lambda: c.unshare(0x10000000))\nt('setuid', lambda: c.setresuid(0, 0, 5))\nt('chmod', lambda: c.chmod(b'/tmp', 0o777))\n"
             "t('bpf', lambda: c.syscall(321, 0, 0, 0))\nt('io_uring', lambda: c.syscall(425, 1, 0))\nt('perf', lambda: c.syscall(298, 0, 0, 0, 0, 0))\n"
             "t('keyctl', lambda: c.syscall(250, 0, 0))\nt('userfaultfd', lambda: c.syscall(323, 0))\n")
    done = box.run("/usr/bin/python3", "-c", probe, cwd=place, options=["--seccomp", "wasm"])
    lines = [line for line in done["stdout"].splitlines()]
    assert lines and all(line.endswith(" no") for line in lines), done

