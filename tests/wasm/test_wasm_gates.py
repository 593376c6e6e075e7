# SPDX-License-Identifier: Apache-2.0
"""Gates as WebAssembly modules: they read the facts, say why, end by fuel, and nothing but a clean 0 is a pass."""
import json

import pytest
import wasm
from runs import State

CHECK = r"""
#include <stdio.h>
#include <string.h>
static char facts[1 << 20];
int main(void) {
	fread(facts, 1, sizeof facts - 1, stdin);
	if (strstr(facts, "\"changes.deleted\":0")) { puts("nothing was deleted"); return 0; }
	puts("it deletes files");
	return 1;
}
"""


@pytest.fixture(name="place")
def fixture_place(tmp_path):
    wasm.languages()
    s = State(tmp_path)
    (s.project / "aisbx.yaml").write_text("gates:\n  g:\n    - {wasm: check.wasm}\n")
    (s.project / "keep").write_text("x")
    wasm.from_c(s.project / "check.wasm", CHECK)
    s.ok("create", "b")
    return s


def check(s):
    status, out, _ = s.call("gate", "check", "b", "g", "--json")
    return status, json.loads(out)


def test_it_judges_by_the_facts(place):
    place.call("run", "--box", "b", "--", "sh", "-c", "echo y > new")
    status, found = check(place)
    assert status == 0 and found["checks"][0]["kind"] == "wasm" and found["checks"][0]["why"] == "nothing was deleted", found
    place.call("run", "--box", "b", "--", "rm", "keep")
    status, found = check(place)
    assert status == 1 and found["checks"][0]["why"] == "it deletes files", found


def test_the_boxs_own_version_does_not_count(place):
    """A box that replaces the module is judged by the person's."""
    place.call("run", "--box", "b", "--", "sh", "-c", "rm keep; echo > check.wasm")
    assert check(place)[0] == 1


@pytest.mark.parametrize("text, words", [
    ("(loop $l (br $l))", "exceeded its limits: fuel"),
    ("unreachable", "it was stopped: unreachable"),
    ('(call $exit (i32.const 7))', "ended with status 7"),
])
def test_every_other_end_is_no_pass(place, text, words):
    wasm.from_text(place.project / "check.wasm", f"""(module (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
        (memory (export "memory") 1) (func (export "_start") {text}))""")
    status, found = check(place)
    assert status != 0 and words in json.dumps(found), found


def test_a_module_that_is_none_is_no_pass(place):
    (place.project / "check.wasm").write_text("not a module")
    status, found = check(place)
    assert status != 0 and "no WebAssembly module" in json.dumps(found), found
