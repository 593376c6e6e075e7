# SPDX-License-Identifier: Apache-2.0
"""Scan rules as WebAssembly modules: they read a program and what the scan found in it, and say in which lines they find what they look for;
one that does not answer as it must is an error, never silence."""
import json
import os
import subprocess

import box
import pytest
import wasm

# Says each line with "password", and how often the scan found a call of open().
RULE = r"""
#include <stdio.h>
#include <string.h>
static char in[1 << 20];
int main(void) {
	char *text, *end;
	int line = 1, calls = 0;
	fread(in, 1, sizeof in - 1, stdin);
	for (char *c = in; (c = strstr(c, "\"kind\":\"call\",\"name\":\"open\"")); c++) calls++;
	text = strstr(in, "\"text\":\"");
	if (!text) return 3;
	end = strstr(text, "\",\"facts\"");
	for (char *c = text; c < end; c++) {
		if (c[0] == '\\' && c[1] == 'n') { line++; c++; }
		if (!strncmp(c, "password", 8)) printf("%d:3 open was called %d times\n", line, calls);
	}
	return 0;
}
"""


class Place:
    def __init__(self, folder):
        wasm.languages()
        self.folder = folder
        self.env = {**os.environ, "XDG_STATE_HOME": str(folder / "state")}
        (folder / "rules").mkdir()
        wasm.from_c(folder / "rules/passwords.wasm", RULE)
        self.policy("python", "passwords.wasm")
        (folder / "p.py").write_text("import json\nopen('a')\nx = 'password é'\nopen('b')\n")

    def policy(self, lang, module, rest=""):
        (self.folder / "rules/ours.yaml").write_text(f"""version: 1
name: ours
{lang}:
  modules:
    - {{id: ours.passwords, wasm: {module}, severity: high, why: a password in the source, advice: use a secret}}
{rest}""")

    def call(self, *words):
        done = subprocess.run([box.aisbx(), *map(str, words)], cwd=self.folder, env=self.env, stdin=subprocess.DEVNULL, capture_output=True, timeout=120)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def scan(self, *words):
        status, out, err = self.call("scan", "--json", "--policy", "rules/ours.yaml", *words)
        return status, json.loads(out) if out else err


@pytest.fixture(name="place")
def fixture_place(tmp_path):
    return Place(tmp_path)


def test_it_finds_what_it_looks_for(place):
    """Beside the policy's file, whatever the directory; with place, words, severity and advice, as every rule's finding."""
    status, found = place.scan("p.py")
    assert status == 1 and found["risk"] == "high", found
    (finding,) = found["findings"]
    assert (finding["rule"], finding["line"], finding["column"], finding["severity"]) == ("ours.passwords", 3, 3, "high"), finding
    assert finding["text"] == "x = 'password é'" and "open was called 2 times" in finding["call"] and finding["advice"] == "use a secret", finding
    (place.folder / "q.py").write_text("print(1)\n")
    status, found = place.scan("q.py")
    assert status == 0 and found["findings"] == []


def test_it_is_asked_about_its_language_only(place):
    (place.folder / "p.sh").write_text("echo password\n")
    assert place.scan("p.sh")[1]["findings"] == []
    place.policy("any", "passwords.wasm")
    assert [f["line"] for f in place.scan("p.sh")[1]["findings"]] == [1]


def test_with_other_rules_and_several_programs(place):
    place.policy("python", "passwords.wasm", """
  together:
    - {id: ours.both, all: [ours.passwords, ours.opens], severity: critical, why: a password and a file}
  functions:
    - {id: ours.opens, name: open, severity: low, why: opens a file}
""")
    status, found = place.scan("p.py")
    assert status == 1 and {f["rule"] for f in found["findings"]} == {"ours.passwords", "ours.opens", "ours.both"} and found["risk"] == "critical"
    (place.folder / "q.py").write_text("password = 1\n")
    assert [f["path"] for f in place.scan("p.py", "q.py")[1]["files"]] == ["p.py", "q.py"]


def test_it_judges_code_before_it_runs(place):
    place.policy("python", "passwords.wasm", "levels: {high: refuse}\n")
    status, out, _ = place.call("run-code", "--json", "--driver", "wasm", "--lang", "python", "--policy", "rules/ours.yaml", "--code", "print('password')")
    done = json.loads(out)
    assert status == 125 and "a password in the source" in json.dumps(done) and "stdout" not in done or not done.get("stdout"), done
    status, out, err = place.call("run-code", "--driver", "wasm", "--lang", "python", "--policy", "rules/ours.yaml", "--code", "print('pass' 'word')")
    assert (status, out) == (0, "password\n"), err


@pytest.mark.parametrize("body, text", [
    ("return 1;", "it ended with status 1"),
    ('puts("0 too early"); return 0;', "each line must be LINE"),
    ('puts("5 behind the end"); return 0;', "each line must be LINE"),
    ('puts("-1"); return 0;', "each line must be LINE"),
    ('puts("1:x"); return 0;', "each line must be LINE"),
    ('puts("1two"); return 0;', "each line must be LINE"),
    ("for (;;);", "it exceeded its limits: fuel"),
    ("__builtin_trap();", "it was stopped: unreachable"),
    ('for (int i = 0; i < 20000; i++) puts("1 again"); return 0;', "it said more than 65536 bytes"),
])
def test_one_that_does_not_answer_is_an_error(place, body, text):
    wasm.from_c(place.folder / "rules/bad.wasm", f"#include <stdio.h>\nint main(void) {{ {body} }}")
    place.policy("python", "bad.wasm")
    status, found = place.scan("p.py")
    assert status == 125 and text in found["error"]["text"] and "bad.wasm" in found["error"]["text"], found


@pytest.mark.parametrize("module, text", [("none.wasm", "none.wasm"), ("ours.yaml", "no WebAssembly"), ('""', "'wasm' is empty")])
def test_what_is_no_module_is_said(place, module, text):
    place.policy("python", module)
    status, found = place.scan("p.py")
    assert status == 125 and text in found["error"]["text"], found


def test_a_module_reaches_nothing(place):
    """It sees the directory that it is in, and can change nothing there."""
    wasm.from_c(place.folder / "rules/bad.wasm", r"""
#include <stdio.h>
int main(void) {
	FILE *f = fopen("ours.yaml", "a");
	if (f) { fputs("# changed", f); fclose(f); }
	f = fopen("/etc/passwd", "r");
	printf("1 %s\n", f ? "read" : "nothing");
	return 0;
}""")
    place.policy("python", "bad.wasm")
    before = (place.folder / "rules/ours.yaml").read_bytes()
    assert place.scan("p.py")[1]["findings"][0]["call"].endswith("nothing")
    assert (place.folder / "rules/ours.yaml").read_bytes() == before
