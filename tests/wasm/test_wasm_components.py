# SPDX-License-Identifier: Apache-2.0
"""Components of WASI preview 2: as programs they are what modules are, and print the same; what else they may import is refused, or reaches nothing.

They are made of modules by the adapter for commands (components/make.mjs), or of text; tests/wasm/prepare-components fetches what does that.
"""
import json
import os
import pathlib
import socket
import subprocess
import time

import box
import pace
import pytest
import wasm
from runs import State

HERE = pathlib.Path(__file__).resolve().parent

HELLO = r"""
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }
static void list(const char *path) {
	char *names[100];
	int n = 0;
	DIR *d = opendir(path);
	for (struct dirent *e; d && (e = readdir(d)) && n < 100;) names[n++] = strdup(e->d_name);
	if (d) closedir(d);
	qsort(names, n, sizeof *names, by_name);
	printf("%s:", path);
	for (int i = 0; i < n; i++) printf(" %s", names[i]);
	puts(d ? "" : " no");
}
int main(int argc, char **argv) {
	char line[100] = "";
	struct timespec t;
	struct stat st;
	int fd;
	for (int i = 0; i < argc; i++) printf("[%s]", argv[i]);
	printf(" %s %s\n", getenv("GREETING") ? getenv("GREETING") : "-", getenv("HOME"));
	fprintf(stderr, "to stderr\n");
	while (fgets(line, sizeof line, stdin)) printf("read %s", line);
	clock_gettime(CLOCK_REALTIME, &t);
	printf("%d %.15g %a\n", t.tv_sec > 1700000000, sqrt(2), 0.1);
	FILE *f = fopen("made.txt", "w");
	if (!f) { perror("made.txt"); return 9; }
	for (int i = 0; i < 1000; i++) fprintf(f, "%d\n", i);
	fclose(f);
	printf("%d %d\n", mkdir("d", 0755), rename("made.txt", "d/moved.txt"));
	fd = open("d/moved.txt", O_RDWR | O_APPEND);
	printf("%d %d", (int)lseek(fd, 100, SEEK_SET), (int)read(fd, line, 5));
	printf(" %d %d\n", (int)write(fd, "end", 3), fstat(fd, &st) == 0 ? (int)st.st_size : -1);
	printf("%d %d\n", symlink("moved.txt", "d/link"), (int)readlink("d/link", line, sizeof line));
	list("."); list("d"); list("/"); list("/tmp"); list("..");
	printf("%d", unlink("nothing")); printf(" %s\n", strerror(errno));
	printf("%d", rmdir("d")); printf(" %s\n", strerror(errno));
	return argc > 1 && !strcmp(argv[1], "exit") ? atoi(argv[2]) : 0;
}
"""

FILES = r"""
#include <stdio.h>
#include <unistd.h>
#include <fcntl.h>
int main(int argc, char **argv) {
	for (int i = 1; i < argc; i++) {
		char text[64] = "";
		int fd = open(argv[i], O_RDONLY);
		ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
		printf("%s: %s", argv[i], n > 0 ? text : "no\n");
	}
	FILE *f = fopen("/shown/new.txt", "w");
	puts(f && fputs("x", f) >= 0 && fclose(f) == 0 ? "written" : "not written");
	return 0;
}
"""

ENDS = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char **argv) {
	puts("up");
	fflush(stdout);
	if (!strcmp(argv[1], "sleep")) sleep(600);
	if (!strcmp(argv[1], "read")) getchar();
	if (!strcmp(argv[1], "loop")) for (volatile int i = 0;; i++);
	if (!strcmp(argv[1], "heap")) for (volatile char *p; (p = malloc(1 << 20));) for (int i = 0; i < 1 << 20; i += 4096) p[i] = 1;
	if (!strcmp(argv[1], "output")) for (;;) puts("0123456789012345678901234567890123456789");
	if (!strcmp(argv[1], "disk")) { FILE *f = fopen("big", "w"); while (fputs("0123456789012345678901234567890123456789", f) >= 0); perror("big"); }
	if (!strcmp(argv[1], "abort")) abort();
	return 7;
}
"""

# What a component can ask of sockets at first; what it gets it uses: a connection to argv[1].
SOCKETS = r"""
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define WASI(i, n) __attribute__((import_module("wasi:sockets/" i "@0.2.0"), import_name(n)))
WASI("instance-network", "instance-network") int network(void);
WASI("tcp-create-socket", "create-tcp-socket") void create_tcp(int family, int *ret);
WASI("udp-create-socket", "create-udp-socket") void create_udp(int family, int *ret);
WASI("ip-name-lookup", "resolve-addresses") void resolve(int net, const char *name, int len, int *ret);
#define ADDRESS int kind, int port, int a, int b, int c, int d, int e, int f, int g, int h, int i
WASI("tcp", "[method]tcp-socket.start-connect") void tcp_connect(int self, int net, ADDRESS, int scope, int *ret);
WASI("udp", "[method]udp-socket.start-bind") void udp_bind(int self, int net, ADDRESS, int scope, int *ret);
static void tell(const char *what, const int *ret) {
	if (ret[0] & 255) printf("%s refused %d\n", what, ret[1] & 255);
	else printf("%s GOT\n", what);
}
int main(int argc, char **argv) {
	int net = network(), ret[2], port = atoi(argv[1]);
	for (int family = 0; family < 2; family++) {
		memset(ret, 0, sizeof ret);
		create_tcp(family, ret);
		tell("tcp", ret);
		if (!(ret[0] & 255)) { tcp_connect(ret[1], net, 0, port, 127, 0, 0, 1, 0, 0, 0, 0, 0, 0, ret); tell("connect", ret); }
		memset(ret, 0, sizeof ret);
		create_udp(family, ret);
		tell("udp", ret);
		if (!(ret[0] & 255)) { udp_bind(ret[1], net, 0, 0, 127, 0, 0, 1, 0, 0, 0, 0, 0, 0, ret); tell("bind", ret); }
	}
	for (int i = 2; i < argc; i++) { resolve(net, argv[i], strlen(argv[i]), ret); tell(argv[i], ret); }
	return 0;
}
"""
SOCKETS_WIT = """package a:b;
package wasi:sockets@0.2.0 {
  interface network {
    resource network;
    enum error-code { unknown, access-denied, not-supported, invalid-argument, out-of-memory, timeout, concurrency-conflict, not-in-progress,
      would-block, invalid-state, new-socket-limit, address-not-bindable, address-in-use, remote-unreachable, connection-refused, connection-reset,
      connection-aborted, datagram-too-large, name-unresolvable, temporary-resolver-failure, permanent-resolver-failure }
    enum ip-address-family { ipv4, ipv6 }
    type ipv4-address = tuple<u8, u8, u8, u8>;
    type ipv6-address = tuple<u16, u16, u16, u16, u16, u16, u16, u16>;
    record ipv4-socket-address { port: u16, address: ipv4-address }
    record ipv6-socket-address { port: u16, flow-info: u32, address: ipv6-address, scope-id: u32 }
    variant ip-socket-address { ipv4(ipv4-socket-address), ipv6(ipv6-socket-address) }
  }
  interface instance-network { use network.{network}; instance-network: func() -> network; }
  interface ip-name-lookup {
    use network.{network, error-code};
    resource resolve-address-stream;
    resolve-addresses: func(network: borrow<network>, name: string) -> result<resolve-address-stream, error-code>;
  }
  interface tcp {
    use network.{network, error-code, ip-socket-address};
    resource tcp-socket { start-connect: func(network: borrow<network>, remote-address: ip-socket-address) -> result<_, error-code>; }
  }
  interface tcp-create-socket {
    use network.{error-code, ip-address-family};
    use tcp.{tcp-socket};
    create-tcp-socket: func(address-family: ip-address-family) -> result<tcp-socket, error-code>;
  }
  interface udp {
    use network.{network, error-code, ip-socket-address};
    resource udp-socket { start-bind: func(network: borrow<network>, local-address: ip-socket-address) -> result<_, error-code>; }
  }
  interface udp-create-socket {
    use network.{error-code, ip-address-family};
    use udp.{udp-socket};
    create-udp-socket: func(address-family: ip-address-family) -> result<udp-socket, error-code>;
  }
}
world w {
  import wasi:sockets/instance-network@0.2.0;
  import wasi:sockets/ip-name-lookup@0.2.0;
  import wasi:sockets/tcp@0.2.0;
  import wasi:sockets/tcp-create-socket@0.2.0;
  import wasi:sockets/udp@0.2.0;
  import wasi:sockets/udp-create-socket@0.2.0;
}
"""

# What a component asks of the engine that costs memory outside of its own.
GREEDY = r"""
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define WASI(i, n) __attribute__((import_module("wasi:" i "@0.2.0"), import_name(n)))
WASI("random/random", "get-random-bytes") void random_bytes(uint64_t n, int *ret);
WASI("clocks/monotonic-clock", "subscribe-duration") int subscribe(uint64_t n);
__attribute__((export_name("cabi_realloc"))) void *cabi_realloc(void *p, size_t old, size_t align, size_t n) { return realloc(p, n); }
int main(int argc, char **argv) {
	int ret[2];
	if (!strcmp(argv[1], "handles")) for (;;) subscribe(1ull << 60);
	random_bytes(1ull << atoi(argv[1]), ret);
	printf("%d bytes\n", ret[1]);
	return 0;
}
"""
GREEDY_WIT = """package a:b;
package wasi:io@0.2.0 { interface poll { resource pollable; } }
package wasi:random@0.2.0 { interface random { get-random-bytes: func(len: u64) -> list<u8>; } }
package wasi:clocks@0.2.0 {
  interface monotonic-clock { use wasi:io/poll@0.2.0.{pollable}; type duration = u64; subscribe-duration: func(when: duration) -> pollable; }
}
world w { import wasi:random/random@0.2.0; import wasi:clocks/monotonic-clock@0.2.0; }
"""


def run_of(core, kind="(result (result))", version="0.2.0", imports=""):
    """The text of a component whose module exports 'run'."""
    return f"""(component {imports} (core module $m {core}) (core instance $i (instantiate $m)) (func $run {kind} (canon lift (core func $i "run")))
      (instance $e (export "run" (func $run))) (export "wasi:cli/run@{version}" (instance $e)))"""


def returns(n):
    return f'(func (export "run") (result i32) (i32.const {n}))'


def does(text, before=""):
    return f'(memory 1) (table 2 funcref) (type $f (func)) (elem (i32.const 0) $r) {before} (func $r (export "run") (result i32) {text} (i32.const 0))'


def exits(n, more=""):
    """One that ends with this status, by the function for that, which is a proposal in 0.2."""
    return f"""(component (import "wasi:cli/exit@0.2.0" (instance $w (export "exit-with-code" (func (param "status-code" u8)))))
      (core func $exit (canon lower (func $w "exit-with-code")))
      (core module $m (import "w" "exit" (func $exit (param i32))) {more} (func $x (call $exit (i32.const {n})))
        (func (export "run") (result i32) (call $x) (i32.const 0)))
      (core instance $i (instantiate $m (with "w" (instance (export "exit" (func $exit))))))
      (func $run (result (result)) (canon lift (core func $i "run"))) (instance $e (export "run" (func $run))) (export "wasi:cli/run@0.2.0" (instance $e)))"""


TEXTS = {
    "ok": run_of(returns(0)), "err": run_of(returns(1)),
    **{f"version-{v}": run_of(returns(0), version=v) for v in ("0.2.0", "0.2.3", "0.2.12", "0.2.99", "0.1.0", "0.3.0")},
    "loop": run_of(does("(loop $l (br $l))")),
    "unreachable": run_of(does("unreachable")),
    "division_by_zero": run_of(does("(drop (i32.div_u (i32.const 1) (i32.const 0)))")),
    "integer_overflow": run_of(does("(drop (i32.div_s (i32.const 0x80000000) (i32.const -1)))")),
    "bad_conversion": run_of(does("(drop (i32.trunc_f32_s (f32.const nan)))")),
    "memory_out_of_bounds": run_of(does("(drop (i32.load (i32.const 65536)))")),
    "table_out_of_bounds": run_of(does("(call_indirect (type $f) (i32.const 9))")),
    "call_to_null": run_of(does("(call_indirect (type $f) (i32.const 1))")),
    "bad_signature": run_of(does("(call_indirect (type $f) (i32.const 0))")),
    "stack_overflow": run_of('(func $f (export "run") (result i32) (i32.add (call $f) (i32.const 1)))'),
    "other": run_of(returns(5)),
    "start-unreachable": run_of('(func $s unreachable) (start $s)' + returns(0)),
    "start-loop": run_of('(func $s (loop $l (br $l))) (start $s)' + returns(0)),
    # The engine's words of a trap in the name of a function, which are in what it says of another.
    "words": run_of('(func $f (@name "Caused by:\\0a wasm trap: all fuel consumed by WebAssembly call stack exhausted") (export "run") (result i32) unreachable)'),
    "takes": run_of('(func (export "run") (param i32) (result i32) (i32.const 0))', '(param "x" u32) (result (result))'),
    "gives": run_of(returns(0), "(result u32)"),
    "gives-nothing": run_of('(func (export "run"))', ""),
    "library": '(component (core module $m (func (export "add"))))',
    "no-function": '(component (instance $e) (export "wasi:cli/run@0.2.0" (instance $e)))',
    "wants": run_of(returns(0), imports="""(import "host:secret/store@1.0.0" (instance (export "get" (func (result string)))))
      (import "wasi:http/outgoing-handler@0.2.0" (instance (export "handle" (func)))) (import "wasi:cli/run@0.3.0" (instance (export "run" (func))))
      (import "plain" (func))"""),
    "wants-more": run_of(returns(0), imports='(import "wasi:random/random@0.2.0" (instance (export "get-random-u64" (func (result string)))))'),
    "wants-a-function": run_of(returns(0), imports='(import "wasi:cli/exit@0.2.0" (instance (export "exit-all" (func))))'),
    **{f"status-{n}": exits(n) for n in (0, 77, 200, 255)},
    "status-before": exits(78, '(start $x)'),
    "wants-many": run_of(returns(0), imports=" ".join(f'(import "host:{"x" * 60}/i{i}@1.0.0" (instance))' for i in range(2000))),
    "memories": "(component " + " ".join('(core module (memory 65536 65536))' for _ in range(300)) + " ".join(f"(core instance (instantiate {i}))" for i in range(300)) + ")",
    "nested": "(component " * 60 + ")" * 60,
}
PROGRAMS = {"hello": (HELLO, None), "files": (FILES, None), "ends": (ENDS, None), "sockets": (SOCKETS, SOCKETS_WIT), "greedy": (GREEDY, GREEDY_WIT)}


def tool():
    """Where what makes components is."""
    cache = pathlib.Path(os.environ.get("AISBX_TEST_CACHE") or pathlib.Path.home() / ".cache" / "aisbx-tests")
    if not (cache / "components-node").is_dir():
        subprocess.run([HERE / "prepare-components", cache], check=True, timeout=300)
    return cache / "components-node"


@pytest.fixture(scope="module", name="made")
def fixture_made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("components")
    for name, (text, wit) in PROGRAMS.items():
        wasm.from_c(folder / f"{name}.wasm", text)
        if wit:
            (folder / f"{name}.wit").write_text(wit)
    for name, text in TEXTS.items():
        (folder / f"{name}.wat").write_text(text)
    files = [*(folder / f"{name}.wasm" for name in PROGRAMS), *(folder / f"{name}.wat" for name in TEXTS)]
    done = subprocess.run(["node", HERE / "components/make.mjs", tool(), *files], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(name="project")
def fixture_project(tmp_path, made):
    folder = tmp_path / "project"
    folder.mkdir()
    for path in made.glob("*.wasm"):
        os.link(path, folder / path.name)
    return folder


def component(name, *words, cwd, **kw):
    return wasm.run(f"./{name}.component.wasm", *words, cwd=cwd, **kw)


@pytest.fixture(name="alone")
def fixture_alone(tmp_path, made):
    """alone(NAME): a project with this component and its module only."""
    def make(name):
        folder = tmp_path / name
        folder.mkdir()
        for path in (f"{name}.component.wasm", f"{name}.wasm"):
            if (made / path).exists():
                (folder / path).write_bytes((made / path).read_bytes())
        return folder
    return make


def test_a_program_has_what_a_program_has(alone):
    project = alone("hello")
    done = box.started(component("hello", "a b", "ü", cwd=project, options=["--env", "GREETING=hi there"]))
    assert done["stdout"].splitlines()[0] == "[./hello.component.wasm][a b][ü] hi there /tmp" and done["stderr"] == "to stderr\n", done
    assert done["exit_code"] == done["aisbx_status"] == 0 and done["status"] == "ok"
    assert sorted(p.name for p in project.iterdir()) == ["hello.component.wasm", "hello.wasm"], "a throw-away run leaves nothing"
    assert done["isolation"]["driver"] == "wasm" and done["isolation"]["walls"][-1] == "webassembly" and not done["isolation"]["missing"]
    assert done["usage"]["fuel"] > 1000 and done["violations"] == [] and done["limit"] is None


@pytest.mark.parametrize("data", ["", "one\ntwo\n", "x" * 70 + "\n" + "line\n" * 5000])
def test_as_a_module_and_as_a_component_it_prints_the_same(alone, data):
    """Arguments, variables, standard input, files, links, directories, errors, numbers."""
    project = alone("hello")
    said = []
    for name in ("hello.wasm", "hello.component.wasm"):
        (project / "prog.wasm").write_bytes((project / name).read_bytes())
        done = subprocess.run([box.aisbx(), "run", "--driver", "wasm", "--env", "GREETING=hi", "--", "./prog.wasm", "a b", "c"], cwd=project, input=data.encode(),
                              capture_output=True, timeout=60, check=False)
        said.append((done.returncode, done.stdout.decode().splitlines(), done.stderr))
    assert said[0] == said[1]
    status, lines, err = said[0]
    assert status == 0 and err == b"to stderr\n" and lines.count("read line") == data.count("line\n"), said[0]
    assert "0 0" in lines and "d: . .. link moved.txt" in lines, lines


@pytest.mark.parametrize("status, seen", [(0, 0), (1, 1), (3, 1), (77, 1), (255, 1)])
def test_exit_statuses(alone, status, seen):
    """What ends by proc_exit, through the adapter for commands, can only say that it is well or that it is not."""
    project = alone("hello")
    done = component("hello", "exit", str(status), cwd=project)
    assert done["exit_code"] == done["aisbx_status"] == seen and done["status"] == ("failed" if seen else "ok") and "trap" not in done, done


@pytest.mark.parametrize("name, status", [("status-0", 0), ("status-77", 77), ("status-200", 200), ("status-255", 255), ("status-before", 78)])
def test_exit_statuses_by_number(project, name, status):
    done = component(name, cwd=project)
    assert done["exit_code"] == done["aisbx_status"] == status and "trap" not in done and "fuel" in done["usage"], done


def test_the_smallest(project):
    assert component("ok", cwd=project)["exit_code"] == 0
    done = component("err", cwd=project)
    assert done["exit_code"] == 1 and done["status"] == "failed" and "trap" not in done and done["stderr"] == "", done


@pytest.mark.parametrize("version, runs", [("0.2.0", True), ("0.2.3", True), ("0.2.12", True), ("0.2.99", True), ("0.1.0", False), ("0.3.0", False)])
def test_versions_of_the_interface(project, version, runs):
    """0.2 is one, whatever comes after; others are others."""
    done = component(f"version-{version}", cwd=project)
    assert done["status"] == ("ok" if runs else "error") and (runs or "wasi:cli/run" in done["error"]), done


def test_a_compiled_component_is_found_again(alone, tmp_path):
    project = alone("hello")
    env = {**os.environ, "XDG_STATE_HOME": str(tmp_path / "state")}
    first = component("hello", cwd=project, env=env)
    kept = tmp_path / "state/aisbx/wasm/compiled"
    box.wait_until(lambda: [p for p in kept.iterdir() if not p.name.startswith(".")], what="the compiled component")
    second = component("hello", cwd=project, env=env)
    assert first["status"] == "ok" and (first["stdout"], first["usage"]["fuel"]) == (second["stdout"], second["usage"]["fuel"])
    (file,) = kept.iterdir()
    file.write_bytes(file.read_bytes()[:1000])
    third = component("hello", cwd=project, env=env)
    assert (first["stdout"], first["usage"]["fuel"]) == (third["stdout"], third["usage"]["fuel"])


def test_directories_are_granted_one_by_one(alone, tmp_path):
    shown = tmp_path / "shown"
    shown.mkdir()
    (shown / "in.txt").write_text("in\n")
    project = alone("files")
    words = ["/shown/in.txt", "/etc/passwd", str(shown / "in.txt"), "/proc/self/maps", "/shown/../../etc/passwd"]
    refused = f"/etc/passwd: no\n{shown}/in.txt: no\n/proc/self/maps: no\n/shown/../../etc/passwd: no\n"
    done = component("files", *words, cwd=project, options=["--ro", f"{shown}:/shown"])
    assert done["stdout"] == "/shown/in.txt: in\n" + refused + "not written\n", done
    done = component("files", *words, cwd=project, options=["--rw", f"{shown}:/shown"])
    assert done["stdout"] == "/shown/in.txt: in\n" + refused + "written\n", done
    assert (shown / "new.txt").read_text() == "x"
    assert component("files", *words, cwd=project)["stdout"].startswith("/shown/in.txt: no\n")


def test_paths_and_links_stay_inside(alone):
    project = alone("files")
    outside = project.parent / "secret.txt"
    outside.write_text("host secret\n")
    (project / "in.txt").write_text("in\n")
    for name, target in {"abs": outside, "rel": "../secret.txt", "up": "..", "root": "/", "loop": "loop", "fd": "/proc/self/fd"}.items():
        (project / name).symlink_to(target)
    tries = ["../secret.txt", "a/../../secret.txt", "./../secret.txt", str(outside), "abs", "rel", "up/secret.txt", "root/etc/passwd", "loop", "fd/0",
             "/etc/passwd", "/proc/self/mem", "/proc/1/environ", "/run/aisbx/wasm/aisbx-wasm", "/tmp/../etc/passwd", "/tmp/report", "//etc/passwd",
             "in.txt/../../secret.txt"]
    with box.Watch(outside):
        done = box.started(component("files", "in.txt", *tries, cwd=project))
    assert done["stdout"].splitlines() == ["in.txt: in", *(f"{t}: no" for t in tries), "not written"], done["stdout"]


def test_it_reaches_no_network(project):
    """Neither a socket nor a name: refused by the engine, behind which no call for it would pass the kernel's filter. The server is reached from outside."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0)
        port = server.getsockname()[1]
        done = component("sockets", str(port), "localhost", "127.0.0.1", "example.com", cwd=project)
        assert done["stdout"].splitlines() == ["tcp refused 1", "udp refused 1"] * 2 + [f"{n} refused 20" for n in ("localhost", "127.0.0.1", "example.com")], done
        with pytest.raises(BlockingIOError):
            server.accept()
        with socket.create_connection(("127.0.0.1", port)):
            server.settimeout(30)
            server.accept()[0].close()


@pytest.mark.parametrize("fuel", [1, 10, 1000, 100000, 50000000])
def test_fuel_is_exact(project, fuel):
    done = component("loop", cwd=project, options=["--fuel", str(fuel)])
    assert done["status"] == "limit" and done["aisbx_status"] == 124, done
    assert done["limit"] == {"kind": "fuel", "value": fuel, "used": done["usage"]["fuel"], "raise_with": "--fuel", "sure": True}
    assert fuel <= done["usage"]["fuel"] <= fuel * 1.1 + 2
    assert done["limits"]["fuel"] == {"value": fuel, "by": "engine"} and done["violations"][0]["allow_with"] == f"--fuel {2 * fuel}"


def test_fuel_is_the_same_every_time(alone):
    project = alone("hello")
    found = {component("hello", "a", cwd=project)["usage"]["fuel"] for _ in range(20)}
    assert len(found) == 1, found
    (used,) = found
    assert component("hello", "a", cwd=project, options=["--fuel", str(used + 1)])["status"] == "ok"
    done = component("hello", "a", cwd=project, options=["--fuel", str(used - 2000)])
    assert done["limit"]["kind"] == "fuel" and used > done["limit"]["used"] >= used - 2000, done


@pytest.mark.parametrize("what", ["loop", "sleep", "read"])
def test_time(project, what):
    began = time.monotonic()
    read, write = os.pipe()  # nothing ever comes
    try:
        done = component("ends", what, cwd=project, options=["--timeout", "1s"], stdin=read)
    finally:
        os.close(read)
        os.close(write)
    assert done["status"] == "limit" and done["limit"]["kind"] == "wall_time" and done["stdout"] in ("", "up\n"), done  # busy machines compile for a second
    assert time.monotonic() - began < pace.seconds(8)


def test_memory_disk_output(project):
    done = component("ends", "heap", cwd=project, options=["--mem", "96m", "--timeout", "60s"])
    assert done["limit"]["kind"] == "memory", done
    done = component("ends", "disk", cwd=project, options=["--disk", "2m", "--timeout", "60s"])
    assert done["limit"]["kind"] == "disk" and "No space left" in done["stderr"], done
    done = component("ends", "output", cwd=project, options=["--output", "1m", "--fuel", "200000000", "--timeout", "60s"])
    assert len(done["stdout"]) <= (1 << 20) + 200 and done["truncated"]["stdout"] > 0 and done["limit"]["kind"] == "fuel", done["limit"]


@pytest.mark.parametrize("name", ["unreachable", "division_by_zero", "integer_overflow", "bad_conversion", "memory_out_of_bounds", "table_out_of_bounds",
                                  "call_to_null", "bad_signature", "stack_overflow", "other"])
def test_traps_are_told_by_name(project, name):
    done = component(name, cwd=project)
    assert done["trap"] == name and done["status"] == "failed" and done["aisbx_status"] == 134 and done["violations"] == [], done
    assert "the program was stopped" in done["stderr"] and "fuel" in done["usage"]


def test_an_abort_is_a_trap(project):
    done = component("ends", "abort", cwd=project)
    assert done["trap"] == "unreachable" and done["stdout"] == "up\n" and done["status"] == "failed", done
    assert component("ends", "end", cwd=project)["exit_code"] == 1


def test_what_begins_before_run_is_the_program_too(project):
    """Code that runs while a component is put together: its trap is a trap, its fuel is counted."""
    done = component("start-unreachable", cwd=project)
    assert done["trap"] == "unreachable" and done["status"] == "failed" and "fuel" in done["usage"], done
    done = component("start-loop", cwd=project, options=["--fuel", "100000"])
    assert done["limit"]["kind"] == "fuel" and done["usage"]["fuel"] >= 100000, done
    done = component("start-loop", cwd=project, options=["--timeout", "1s"])
    assert done["limit"]["kind"] == "wall_time", done


def test_names_of_functions_are_no_reason(project):
    """The engine's error has the names of the program's functions before its reason."""
    done = component("words", cwd=project)
    assert done["trap"] == "unreachable" and done["limit"] is None and done["status"] == "failed", done


def test_who_is_missing_an_import_is_told_all_of_them(project):
    done = component("wants", cwd=project)
    assert done["status"] == "error" and done["aisbx_status"] == 126 and "'host:secret/store@1.0.0'" in done["error"], done
    assert [v["what"] for v in done["violations"]] == ["import 'store@1.0.0' of 'host:secret'", "import 'outgoing-handler@0.2.0' of 'wasi:http'",
                                                       "import 'run@0.3.0' of 'wasi:cli'", "import 'plain' of 'world'"]
    assert {v["kind"] for v in done["violations"]} == {"import"} and "fuel" not in done["usage"], "nothing of it ran"


@pytest.mark.parametrize("name, interface", [("wants-more", "'random@0.2.0' of 'wasi:random'"), ("wants-a-function", "'exit@0.2.0' of 'wasi:cli'")])
def test_what_is_not_as_wasi_has_it_is_refused(project, name, interface):
    done = component(name, cwd=project)
    assert done["status"] == "error" and "as it has it" in done["error"] and [v["what"] for v in done["violations"]] == [f"import {interface}"], done


def test_thousands_of_imports(project):
    done = component("wants-many", cwd=project)
    assert done["status"] == "error" and "/i0@1.0.0'" in done["error"] and len(done["violations"]) == 16, done


@pytest.mark.parametrize("name", ["takes", "gives", "gives-nothing", "library", "no-function"])
def test_what_is_no_program_is_said(project, name):
    done = component(name, cwd=project)
    assert done["status"] == "error" and done["aisbx_status"] == 126 and "wasi:cli/run" in done["error"] and "fuel" not in done["usage"], done


@pytest.mark.parametrize("name", ["memories", "nested"])
def test_large_and_deep_ones(project, name):
    """300 memories of 4 GiB, 60 components in components: said, and bounded."""
    done = component(name, cwd=project, options=["--mem", "300m", "--timeout", "60s"])
    assert done["status"] in ("error", "limit") and done["aisbx_status"] in (124, 126), done
    assert box.run("true", cwd=project)["status"] == "ok"


@pytest.mark.parametrize("what", ["handles", "30", "40", "62"])
def test_what_it_makes_the_engine_keep_is_bounded(project, what):
    """Handles without end, and 1 GiB, 1 TiB and 4 EiB of random numbers at once: it is stopped before the memory is taken."""
    done = component("greedy", what, cwd=project, options=["--mem", "300m", "--timeout", "60s"])
    assert done["trap"] == "other" and done["status"] == "failed" and done["limit"] is None and "limit" in done["stderr"], done
    assert component("greedy", "10", cwd=project)["stdout"] == "1024 bytes\n"


def test_in_a_box_that_stays(tmp_path, made):
    """Changes, diff, snapshot, rollback, promotion, and one module after a component in the same files."""
    s = State(tmp_path)
    for name in ("hello.component.wasm", "hello.wasm"):
        (s.project / name).write_bytes((made / name).read_bytes())
    s.ok("create", "b")
    status, out, err = s.call("run", "--driver", "wasm", "--box", "b", "--", "./hello.component.wasm")
    assert status == 0 and err == b"to stderr\n", (out, err)
    assert [(c["path"], c["kind"]) for c in s.ok("diff", "b")["changes"]] == [(path, "created") for path in ("d", "d/link", "d/moved.txt")]
    s.ok("snap", "b", "one")
    assert s.call("run", "--box", "b", "--", "sh", "-c", "readlink d/link && tail -c 3 d/moved.txt && rm d/link")[1] == b"moved.txt\nend"
    s.ok("rollback", "b", "one")
    s.ok("promote", "b", "--yes")
    assert (s.project / "d/moved.txt").read_text().endswith("\n999\nend") and os.readlink(s.project / "d/link") == "moved.txt"
    s.ok("undo")
    assert sorted(p.name for p in s.project.iterdir()) == ["hello.component.wasm", "hello.wasm"]


def test_secrets_reach_it_and_its_output_has_none(alone):
    project = alone("hello")
    env = {**os.environ, "MY_TOKEN": "correct-horse-battery"}
    done = component("hello", cwd=project, env=env, options=["--secret", "GREETING=env:MY_TOKEN,as=env"])
    assert done["exit_code"] == 0 and "correct-horse" not in json.dumps(done) and "] - " not in done["stdout"], done
