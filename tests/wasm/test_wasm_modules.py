# SPDX-License-Identifier: Apache-2.0
"""Any module of WASI: arguments, variables, streams, files, statuses; the one result; boxes that stay; what is refused, in words."""
import json
import os
import subprocess

import box
import pytest
import wasm
from runs import State


HELLO = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
int main(int argc, char **argv) {
	char line[100] = "";
	struct timespec t;
	for (int i = 1; i < argc; i++) printf("[%s]", argv[i]);
	printf(" %s\n", getenv("GREETING") ? getenv("GREETING") : "-");
	fprintf(stderr, "to stderr\n");
	if (fgets(line, sizeof line, stdin)) printf("read %s", line);
	clock_gettime(CLOCK_REALTIME, &t);
	printf("%d\n", t.tv_sec > 1700000000);
	FILE *f = fopen("made.txt", "w");
	if (!f) { perror("made.txt"); return 9; }
	fputs("made\n", f);
	fclose(f);
	return argc;
}
"""


@pytest.fixture(scope="module", name="modules")
def fixture_modules(tmp_path_factory):
    folder = tmp_path_factory.mktemp("modules")
    wasm.from_c(folder / "hello.wasm", HELLO)
    wasm.from_text(folder / "empty.wasm", '(module (memory (export "memory") 1) (func (export "_start")))')
    return folder


@pytest.fixture(name="project")
def fixture_project(tmp_path, modules):
    folder = tmp_path / "project"
    folder.mkdir()
    for name in ("hello.wasm", "empty.wasm"):
        (folder / name).write_bytes((modules / name).read_bytes())
    return folder


def test_a_program_has_what_a_program_has(project):
    done = box.started(wasm.run("./hello.wasm", "a b", "c", cwd=project, options=["--env", "GREETING=hi there"]))
    assert done["stdout"] == "[a b][c] hi there\n1\n" and done["stderr"] == "to stderr\n", done
    assert done["exit_code"] == done["aisbx_status"] == 3 and done["status"] == "failed"
    assert not (project / "made.txt").exists(), "a throw-away run leaves nothing"
    assert done["isolation"]["driver"] == "wasm" and done["isolation"]["level"] == "full" and not done["isolation"]["missing"]
    assert done["isolation"]["walls"][-1] == "webassembly" and "seccomp" in done["isolation"]["walls"]
    assert done["usage"]["fuel"] > 1000 and done["violations"] == [] and done["limit"] is None


def test_standard_input(project):
    done = subprocess.run([box.aisbx(), "run", "--driver", "wasm", "--", "./hello.wasm"], cwd=project, input=b"one\ntwo\n", capture_output=True, timeout=60)
    assert done.returncode == 1 and b"read one\n" in done.stdout, done


def test_a_compiled_module_is_found_again(project, tmp_path):
    """It is compiled again outside of the box, and the next run begins with that: the same output, the same fuel."""
    env = {**os.environ, "XDG_STATE_HOME": str(tmp_path / "state")}
    first = wasm.run("./hello.wasm", cwd=project, env=env)
    kept = tmp_path / "state/aisbx/wasm/compiled"
    box.wait_until(lambda: [p for p in kept.iterdir() if not p.name.startswith(".")], what="the compiled module")
    second = wasm.run("./hello.wasm", cwd=project, env=env)
    assert (first["stdout"], first["usage"]["fuel"]) == (second["stdout"], second["usage"]["fuel"])
    (module,) = kept.iterdir()
    assert module.stat().st_mode & 0o777 == 0o644 and kept.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("status", [0, 1, 77, 125, 126, 200, 255])
def test_every_exit_status(tmp_path, status):
    wasm.from_text(tmp_path / "exit.wasm", f"""(module (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
        (memory (export "memory") 1) (func (export "_start") (call $exit (i32.const {status}))))""")
    done = wasm.run("./exit.wasm", cwd=tmp_path)
    assert done["exit_code"] == done["aisbx_status"] == status


def test_in_a_box_that_stays(tmp_path, modules):
    """Changes, diff, snapshot, rollback, promotion: as with every driver, and others read what it wrote."""
    s = State(tmp_path)
    (s.project / "hello.wasm").write_bytes((modules / "hello.wasm").read_bytes())
    s.ok("create", "b")
    status, out, err = s.call("run", "--driver", "wasm", "--box", "b", "--", "./hello.wasm")
    assert status == 1, (out, err)
    assert [(c["path"], c["kind"]) for c in s.ok("diff", "b")["changes"]] == [("made.txt", "created")]
    s.ok("snap", "b", "one")
    assert s.call("run", "--box", "b", "--", "cat", "made.txt")[1] == b"made\n"
    assert s.call("run", "--box", "b", "--", "sh", "-c", "echo other > made.txt")[0] == 0
    s.ok("rollback", "b", "one")
    assert s.call("run", "--box", "b", "--", "cat", "made.txt")[1] == b"made\n"
    s.ok("promote", "b", "--yes")
    assert (s.project / "made.txt").read_text() == "made\n"
    s.ok("undo")
    assert not (s.project / "made.txt").exists()
    assert "./hello.wasm" in [run["command"] for run in s.ok("history")["runs"]]


def test_a_replay_compares_its_fuel(tmp_path, modules):
    s = State(tmp_path)
    (s.project / "empty.wasm").write_bytes((modules / "empty.wasm").read_bytes())
    s.ok("create", "b")
    for command in (["./empty.wasm"], ["python3", "-c", "print(sum(range(1000)))"]):
        done = s.ok("run", "--driver", "wasm", "--box", "b", "--record", "--", *command)
        again = s.ok("replay", done["run"])
        assert again["same"] is True and again["usage"]["is"]["fuel"] == again["usage"]["was"]["fuel"] >= 1, again
    done = s.ok("run", "--driver", "wasm", "--box", "b", "--record", "--", "python3", "-c", "import random\nfor i in range(random.randrange(10**6)): pass")
    status, out, _ = s.call("replay", "--json", done["run"])
    assert status == 1 and [d["what"] for d in json.loads(out)["not_deterministic"]] == ["fuel"], out


def test_directories_are_granted_one_by_one(tmp_path, modules):
    shown = tmp_path / "shown"
    shown.mkdir()
    (shown / "in.txt").write_text("in\n")
    project = tmp_path / "project"
    project.mkdir()
    wasm.from_c(project / "cat.wasm", r"""
#include <stdio.h>
int main(int argc, char **argv) {
	for (int i = 1; i < argc; i++) {
		FILE *f = fopen(argv[i], "r");
		int c;
		printf("%s: ", argv[i]);
		if (!f) { puts("no"); continue; }
		while ((c = fgetc(f)) != EOF) putchar(c);
		fclose(f);
	}
	FILE *f = fopen("/shown/new.txt", "w");
	puts(f && fputs("x", f) >= 0 && fclose(f) == 0 ? "written" : "not written");
}""")
    words = ["./cat.wasm", "/shown/in.txt", "/etc/passwd", str(shown / "in.txt"), "/proc/self/maps", "/shown/../../etc/passwd"]
    refused = f"/etc/passwd: no\n{shown}/in.txt: no\n/proc/self/maps: no\n/shown/../../etc/passwd: no\n"
    done = wasm.run(*words, cwd=project, options=["--ro", f"{shown}:/shown"])
    assert done["stdout"] == "/shown/in.txt: in\n" + refused + "not written\n", done
    done = wasm.run(*words, cwd=project, options=["--rw", f"{shown}:/shown"])
    assert done["stdout"].endswith("\nwritten\n"), done
    assert (shown / "new.txt").read_text() == "x"
    done = wasm.run(*words, cwd=project)
    assert done["stdout"].startswith("/shown/in.txt: no\n"), done


def test_secrets_reach_it_and_its_output_has_none(tmp_path, modules):
    wasm.from_c(tmp_path / "secret.wasm", r"""
#include <stdio.h>
#include <stdlib.h>
int main(void) { printf("%s\n", getenv("TOKEN") ? getenv("TOKEN") : "none"); }""")
    env = {**os.environ, "MY_TOKEN": "correct-horse-battery"}
    done = wasm.run("./secret.wasm", cwd=tmp_path, env=env, options=["--secret", "TOKEN=env:MY_TOKEN,as=env"])
    assert done["exit_code"] == 0 and "correct-horse" not in json.dumps(done) and done["stdout"] != "none\n", done


def test_who_is_missing_an_import_is_told_all_of_them(tmp_path):
    wasm.from_text(tmp_path / "wants.wasm", """(module (import "env" "one" (func)) (import "env" "two" (func (param i32)))
        (memory (export "memory") 1) (func (export "_start")))""")
    done = wasm.run("./wants.wasm", cwd=tmp_path)
    assert done["status"] == "error" and done["aisbx_status"] == 126 and "'one' of 'env'" in done["error"]
    assert [v["what"] for v in done["violations"]] == ["import 'one' of 'env'", "import 'two' of 'env'"]
    assert "fuel" not in done["usage"], "nothing of it ran"


@pytest.mark.parametrize("words, text", [
    (["./none.wasm"], "read the module './none.wasm': No such file"),
    (["ls"], "'ls' is no WebAssembly"),
    (["./text.wasm"], "it is no WebAssembly module"),
    (["./library.wasm"], "exports no function '_start'"),
    (["./broken.wasm"], "./broken.wasm"),
])
def test_what_is_no_program_is_said(tmp_path, words, text):
    (tmp_path / "text.wasm").write_text("(module)")
    (tmp_path / "broken.wasm").write_bytes(b"\0asm\1\0\0\0\1\xff\xff\xff\xff\x0f")
    wasm.from_text(tmp_path / "library.wasm", '(module (memory (export "memory") 1) (func (export "add")))')
    done = wasm.run(*words, cwd=tmp_path)
    assert text in (done.get("error") if isinstance(done.get("error"), str) else done["error"]["text"]), done
    assert done["aisbx_status"] in (125, 126)


@pytest.mark.parametrize("options, text", [
    (["--net", "example.com:443"], "cannot give a program a network"),
    (["--without", "net"], "cannot give a program the network of the host"),
])
def test_what_the_driver_cannot_do_is_refused(project, options, text):
    done = wasm.run("./hello.wasm", cwd=project, options=options)
    assert done["status"] == "error" and text in done["error"]["text"], done


def test_fuel_is_only_for_webassembly(project):
    done = box.run("true", cwd=project, options=["--fuel", "5"])
    assert "cannot enforce the limit 'fuel'" in done["error"]["text"], done


def test_a_live_box_takes_no_other_command(tmp_path, modules):
    """Its tree has room for the program and nothing else; who wants in is told."""
    s = State(tmp_path)
    wasm.from_c(s.project / "wait.wasm", "#include <unistd.h>\n#include <stdio.h>\nint main(void) { puts(\"up\"); fflush(stdout); sleep(60); }")
    s.ok("create", "b")
    p = s.start("run", "--driver", "wasm", "--box", "b", "--", "./wait.wasm")
    assert p.stdout.readline() == b"up\n"
    status, _, err = s.call("run", "--box", "b", "--", "true")
    assert status == 125 and b"WebAssembly" in err, err
    run = next(r for r in s.ok("ps")["runs"])
    s.ok("kill", run["run"])
    p.communicate(timeout=60)
    assert s.call("run", "--box", "b", "--", "true")[0] == 0


def test_components(tmp_path):
    """A component without wasi:cli/run is a library; a broken one is told as such."""
    (tmp_path / "c.wasm").write_bytes(b"\0asm\x0d\0\1\0")
    done = wasm.run("./c.wasm", cwd=tmp_path)
    assert "wasi:cli/run" in done["error"], done
