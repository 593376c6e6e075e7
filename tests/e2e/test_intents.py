# SPDX-License-Identifier: Apache-2.0
"""What is meant by "test": found from the project's files as a box has them, run in a box, with the number of tests."""
import json
import os
import pathlib
import re
import shutil
import subprocess

import pytest

import box

HERE = pathlib.Path(__file__).resolve().parent
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/usr/local/go/bin"


@pytest.fixture(name="place")
def fixture_place(tmp_path):
    (tmp_path / "project").mkdir()
    (tmp_path / "home").mkdir()
    return tmp_path / "project"


def aisbx(*words, cwd, check=True):
    """The result of `aisbx ... --json`."""
    words = [str(w) for w in words]
    at = words.index("--") if "--" in words else len(words)
    env = {"PATH": PATH, "HOME": str(cwd.parent / "home"), "LC_ALL": "C.UTF-8", "XDG_STATE_HOME": os.environ["XDG_STATE_HOME"]}
    done = subprocess.run([box.aisbx(), *words[:at], "--json", *words[at:]], cwd=cwd, env=env, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300, check=False)
    assert done.stdout, done.stderr
    result = json.loads(done.stdout)
    assert not check or not isinstance(result.get("error"), dict), result
    return {**result, "aisbx_status": done.returncode}


def write(place, files):
    for name, text in files.items():
        path = place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def counts(result):
    tests = result["tests"]
    return tests and (tests["runner"], tests["passed"], tests["failed"], tests["skipped"])


# Real projects: what is in them, the command that must be found, and what its tests come to.
PROJECTS = {
    "pytest": ({"pyproject.toml": "[project]\nname='x'\nversion='1'\n[tool.pytest.ini_options]\n",
                "tests/test_x.py": "import pytest\ndef test_a(): pass\ndef test_b(): assert 0\n@pytest.mark.skip\ndef test_c(): pass\n"},
               ["python3", "-m", "pytest"], ("pytest", 1, 1, 1)),
    "unittest": ({"setup.py": "", "tests/__init__.py": "", "tests/test_x.py":
                  "import unittest\nclass T(unittest.TestCase):\n def test_a(self): pass\n def test_b(self): self.fail()\n"
                  " @unittest.skip('x')\n def test_c(self): pass\n"},
                 ["python3", "-m", "unittest", "discover", "-s", "tests", "-t", "."], ("unittest", 1, 1, 1)),
    "node": ({"package.json": '{"name": "x"}', "test/a.test.js":
              "const t = require('node:test');\nt('a', () => {});\nt('b', () => { throw 1 });\nt('c', {skip: true}, () => {});\n"},
             ["node", "--test"], ("node", 1, 1, 1)),
    "npm": ({"package.json": '{"name": "x", "scripts": {"test": "node --test"}}', "test/a.test.js": "require('node:test')('a', () => {});\n"},
            ["npm", "run", "test"], ("node", 1, 0, 0)),
    "cargo": ({"Cargo.toml": '[package]\nname = "x"\nversion = "0.1.0"\nedition = "2021"\n', "src/lib.rs":
               "#[test]\nfn a() {}\n#[test]\nfn b() { panic!() }\n#[test]\n#[ignore]\nfn c() {}\n"},
              ["cargo", "test"], ("cargo", 1, 1, 1)),
    "meson": ({"meson.build": "project('x', 'c')\ntrue_ = find_program('true')\ntest('a', true_)\ntest('b', find_program('false'))\n"
               "test('c', find_program('sh'), args: ['-c', 'exit 77'])\n"},
              None, ("meson", 1, 1, 1)),
    "ctest": ({"CMakeLists.txt": "cmake_minimum_required(VERSION 3.10)\nproject(x NONE)\nenable_testing()\nadd_test(NAME a COMMAND true)\n"
               "add_test(NAME b COMMAND false)\nadd_test(NAME c COMMAND sh -c \"exit 77\")\nset_tests_properties(c PROPERTIES SKIP_RETURN_CODE 77)\n"},
              None, ("ctest", 1, 1, 1)),
    "make": ({"Makefile": "test:\n\t@printf '1..2\\nok 1 a\\nok 2 b # SKIP\\n'\n"}, ["make", "test"], ("tap", 1, 0, 1)),
}


@pytest.mark.parametrize("name", PROJECTS)
def test_a_real_project(place, name):
    files, command, wanted = PROJECTS[name]
    write(place, files)
    with box.Watch(place):
        result = aisbx("do", "test", cwd=place)
    assert counts(result) == wanted, (result["stdout"][-2000:], result["stderr"][-2000:])
    assert command is None or result["command"] == command
    assert result["found_in"] in files and result["isolation"]["level"] == "full"
    failed = wanted[2] > 0
    assert (result["status"], result["aisbx_status"] != 0) == (("failed", True) if failed else ("ok", False))


def test_go(place):
    """Go compiles its own library first: that was done for the tests of languages."""
    cache = pathlib.Path(os.environ.get("AISBX_TEST_CACHE") or pathlib.Path.home() / ".cache" / "aisbx-tests")
    if not (cache / "go").is_dir():
        subprocess.run([HERE.parent / "languages" / "prepare", cache], check=True, timeout=600)
    shutil.copytree(cache / "go", place / ".cache")
    write(place, {"go.mod": "module example.org/x\n\ngo 1.18\n", "x_test.go":
                  'package x\nimport "testing"\nfunc TestA(t *testing.T) {}\nfunc TestB(t *testing.T) { t.Run("c", func(t *testing.T) { t.Skip() }) }\n',
                  "aisbx.yaml": "version: 1\n"})
    env = {"GOCACHE": place / ".cache", "GOTOOLCHAIN": "local", "GOFLAGS": "-trimpath", "CGO_ENABLED": 0, "GOENV": "off", "GOPROXY": "off"}
    result = aisbx("do", "test", *(f"--env={k}={v}" for k, v in env.items()), "--", "-vet=off", cwd=place)
    assert counts(result) == ("go", 2, 0, 1), (result["stdout"][-2000:], result["stderr"][-2000:])
    assert result["command"] == ["go", "test", "-v", "./...", "-vet=off"]


def test_the_project_names_its_own(place):
    write(place, {"Makefile": "test:\n\tfalse\n", "sub/x": "",
                  "aisbx.yaml": "intents:\n  test: {command: 'pwd; echo $A; sleep 0', cwd: sub, env: {A: b c}, timeout: 20s}\n  build: [echo, one]\n"})
    result = aisbx("do", "test", cwd=place)
    assert (result["stdout"], result["found_in"], result["tests"]) == (f"{place}/sub\nb c\n", "aisbx.yaml", None)
    assert result["limits"]["wall_time"]["value"] == 20000
    result = aisbx("do", "test", "--timeout", "7s", "--env", "A=mine", "--", "0.01", cwd=place)
    assert result["stdout"] == f"{place}/sub\nmine\n" and result["limits"]["wall_time"]["value"] == 7000
    assert result["command"][-3:] == ['pwd; echo $A; sleep 0 "$@"', "sh", "0.01"]
    assert aisbx("do", "build", "--", "two", "--three", cwd=place)["stdout"] == "one two --three\n"


def test_as_the_box_has_it(place):
    """The files of the box count: added, changed, removed there; a live one, too."""
    write(place, {"Makefile": "test:\n\techo of the host\n", "pytest.ini": ""})
    name = aisbx("create", cwd=place)["name"]
    found = aisbx("intents", "--box", name, cwd=place)["intents"]
    assert [(w["command"], w["used"]) for w in found] == [(["make", "test"], True), (["python3", "-m", "pytest"], False)]
    aisbx("run", "--box", name, "--", "sh", "-c", "rm Makefile; printf 'test:\\n  echo of the box\\n' > justfile", cwd=place)
    found = aisbx("intents", "--box", name, cwd=place)["intents"]
    assert [w["found_in"] for w in found] == ["justfile", "pytest.ini"]
    aisbx("run", "--box", name, "--", "sh", "-c", "rm justfile pytest.ini; printf 'intents: {test: echo by yaml; touch made}\\n' > aisbx.yaml", cwd=place)
    assert [w["found_in"] for w in aisbx("intents", "--box", name, cwd=place)["intents"]] == ["aisbx.yaml"], "what is gone is gone"
    with box.Watch(place):
        assert aisbx("do", "test", "--box", name, cwd=place)["stdout"] == "by yaml\n"
    assert aisbx("run", "--box", name, "--", "cat", "made", cwd=place)["status"] == "ok", "the box keeps what it did"
    aisbx("rm", name, cwd=place)


def test_a_directory_of_the_project(place):
    write(place, {"Makefile": "test:\n\techo top\n", "part/Makefile": "test:\n\tpwd\n"})
    assert aisbx("do", "test", "--cwd", "part", cwd=place)["stdout"].endswith(f"{place}/part\n")
    assert "not in the project" in aisbx("do", "test", "--cwd", "/etc", cwd=place, check=False)["error"]["text"]
    assert "not a directory" in aisbx("intents", "--cwd", "none", cwd=place, check=False)["error"]["text"]


def test_what_is_not_there_is_told(place):
    write(place, {"Makefile": "test:\n\ttrue\n"})
    got = aisbx("do", "lint", cwd=place, check=False)
    assert got["aisbx_status"] == 125 and "intents: {lint: COMMAND}" in got["error"]["text"]
    assert "did you mean 'test'" in aisbx("do", "tst", cwd=place, check=False)["error"]["text"]
    write(place, {"justfile": "lint:\n  x\n"})
    got = aisbx("do", "lint", cwd=place)  # no just on this machine
    assert (got["status"], got["aisbx_status"]) == ("error", 127) and "just" in got["error"]


@pytest.mark.parametrize("text,told", [
    ("intents: {tset: x}\n", "aisbx.yaml:1:11: there is no intent 'tset'; intents: run, test"),
    ("intents: {test: {comand: x}}\n", "did you mean 'command'"),
    ("intents: {test: {cwd: x}}\n", "intent 'test' has no command"),
    ("intents: {test: {command: x, cwd: ../y}}\n", "'../y' is not a path in the project"),
    ("intents: {test: {command: x, cwd: /y}}\n", "'/y' is not a path in the project"),
    ("intents: {test: {command: x, timeout: soon}}\n", "'soon' is not a time"),
    ("intents: {test: []}\n", "a command is empty"),
    ("intents: [test]\n", "'intents' must be"),
])
def test_mistakes_in_the_project_file(place, text, told):
    write(place, {"aisbx.yaml": text})
    assert told in aisbx("intents", cwd=place, check=False)["error"]["text"]


def test_hostile_files_are_only_text(place):
    """Links are not followed, pipes not waited for, and what a name or a text says is carried out by nobody."""
    secret = place.parent / "home" / "Makefile"
    secret.write_text("test:\n\techo secret\n")
    (place / "Makefile").symlink_to(secret)
    os.mkfifo(place / "package.json")
    (place / "pyproject.toml").mkdir()
    (place / "deno.json").write_text('{"tasks": {"test": "$(touch /tmp/x)", "a;b": "c"}}')
    (place / "Cargo.toml").write_bytes(b"\0" * 100)
    os.symlink("/etc", place / "benches")
    (place / "setup.cfg").write_text("[tool:pytest]\n" * 100000)  # too long to be read
    found = {(w["intent"], w["found_in"]): w["command"] for w in reversed(aisbx("intents", cwd=place)["intents"])}
    assert found[("test", "deno.json")] == ["deno", "task", "test"]
    assert not any(file in ("Makefile", "package.json", "pyproject.toml", "setup.cfg") for _, file in found)
    assert ("bench", "Cargo.toml") in found


def test_numbers_are_right_though_output_is_cut(place):
    write(place, {"Makefile": "test:\n\t@seq 1 200000; printf '3 passed in 1.0s\\n'; seq 1 200000\n"})
    result = aisbx("do", "test", "--output", "4k", cwd=place)
    assert result["truncated"]["stdout"] > 1000000 and counts(result) == ("pytest", 3, 0, 0)
    # Two who sum up: nobody knows.
    write(place, {"Makefile": "test:\n\t@printf '3 passed in 1.0s\\ntest result: ok. 1 passed; 0 failed; 0 ignored\\n'\n"})
    assert aisbx("do", "test", cwd=place)["tests"] is None


def test_words_for_people(place):
    write(place, {"Makefile": "test:\n\t@printf '2 passed in 1.0s\\n'\n"})
    done = subprocess.run([box.aisbx(), "do", "test"], cwd=place, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "2 passed in 1.0s\n"
    assert done.stderr == "aisbx: test by make test, from Makefile; 2 passed, 0 failed, 0 skipped\n"
    done = subprocess.run([box.aisbx(), "intents"], cwd=place, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "test    make test  (Makefile: it has the target 'test')\n"


def test_the_example_of_the_page(place):
    text = re.search(r"```yaml\n(.*?)```", (HERE.parents[1] / "docs/intents.md").read_text(), re.S).group(1)
    write(place, {"aisbx.yaml": text})
    found = {w["intent"]: w["command"] for w in aisbx("intents", cwd=place)["intents"] if w["used"]}
    assert found == {"test": ["sh", "-c", "pytest -q tests/unit"], "build": ["make", "-j2"], "bench": ["sh", "-c", "./bench.sh"]}


def test_a_task_in_one_call(place):
    """What an intent made must pass tests and gates; a box is made for it, and has the changes."""
    write(place, {"Makefile": "all:\n\techo made > out.txt\n"})
    result = aisbx("do", "build", "--tests", "grep -q made out.txt", "--gates", "changes.created == 1", cwd=place)
    assert result["status"] == "ok" and result["gate"]["passed"], result
    assert [c["passed"] for c in result["gate"]["checks"]] == [True, True]
    assert not (place / "out.txt").exists()
    changed = aisbx("diff", result["box"], cwd=place)
    assert [c["path"] for c in changed["changes"]] == ["out.txt"]
    # A box that is given is used, and stays what it is.
    again = aisbx("do", "build", "--box", result["box"], "--tests", "false", cwd=place, check=False)
    assert "box" not in again and not again["gate"]["passed"]
    done = subprocess.run([box.aisbx(), "do", "build", "--tests", "false"], cwd=place, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1 and "1 of 1 checks do not hold" in done.stderr
    # What failed is not judged.
    write(place, {"Makefile": "all:\n\tfalse\n"})
    failed = aisbx("do", "build", "--tests", "true", cwd=place, check=False)
    assert failed["exit_code"] == 2 and "gate" not in failed
