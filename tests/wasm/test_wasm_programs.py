# SPDX-License-Identifier: Apache-2.0
"""Programs as a model writes them, 1,000 of Python and 400 of JavaScript: as WebAssembly they print what they print on the machine, and end
with the same status; those that cannot run there say why, and with `--driver auto` all of them run.
"""
import collections
import concurrent.futures
import json
import os
import pathlib
import subprocess

import box
import pytest
import wasm

HERE = pathlib.Path(__file__).parent
LANGS = {"python": ("python3", "py", ["/usr/bin/python3", "-I"]), "javascript": ("node", "js", ["node"])}
LONG = bool(os.environ.get("AISBX_LONG"))
# In one box with the native driver: every program in a directory of its own, one after the other.
RUNNER = """
import json, os, subprocess, sys
programs = json.load(open("programs.json"))
results = []
for i, text in enumerate(programs):
    os.mkdir(f"d{i}")
    path = os.path.join(os.getcwd(), f"d{i}", sys.argv[1])
    open(path, "w").write(text)
    done = subprocess.run([*sys.argv[2:], path], cwd=f"d{i}", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          env={**os.environ, "TZ": "UTC"})
    results.append([done.stdout.decode("utf-8", "replace"), done.returncode])
json.dump(results, open("results.json", "w"))
"""


# What no scan can see: these few run as WebAssembly and end otherwise.
UNSEEN = ("engine", "Intl beyond English", "prints the frames", "needs lzma", "needs fetch", "needs native crypto", "needs WebAssembly", "needs worker_threads")


def programs(lang, runs):
    found = [(name, text) for name, text, reason in wasm.corpus(HERE / lang) if (reason is None) == runs]
    assert len({name for name, _ in found}) == len(found), "two have one name"
    return found


def natively(folder, lang, found):
    """[output, status] of each, behind the walls of the native driver."""
    folder.mkdir()
    (folder / "programs.json").write_text(json.dumps([text for _, text in found]))
    (folder / "runner.py").write_text(RUNNER)
    out = folder / "out"
    out.mkdir()
    done = box.run("sh", "-c", 'cd "$1" && cp "$0"/programs.json . && python3 "$0"/runner.py "$2" "$3" $4', folder, out, f"snippet.{LANGS[lang][1]}", *LANGS[lang][2],
                   cwd=folder, options=["--rw", f"{out}:{out}", "--timeout", "900s", "--output", "1m"], timeout=900)
    assert done["status"] == "ok", done
    return json.loads((out / "results.json").read_text())


def as_webassembly(folder, lang, text):
    """In a box each, from a directory of its own."""
    folder.mkdir()
    command, ending, _ = LANGS[lang]
    (folder / f"snippet.{ending}").write_text(text)
    done = subprocess.run([box.aisbx(), "run", "--driver", "wasm", "--profile", "strict", "--here", "--", command, *(["-I"] if lang == "python" else []), f"snippet.{ending}"],
                          cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
    return [done.stdout.decode("utf-8", "replace"), done.returncode], done.stderr.decode("utf-8", "replace")


@pytest.mark.big
@pytest.mark.parametrize("lang, least", [("python", 1000), ("javascript", 400)])
def test_they_print_the_same(tmp_path, lang, least):
    wasm.languages()
    found = programs(lang, runs=True)
    assert len(found) >= least
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        native = pool.submit(natively, tmp_path / "native", lang, found)
        got = list(pool.map(lambda item: as_webassembly(tmp_path / f"w{item[0]}", lang, item[1][1]), enumerate(found)))
        want = native.result()
    wrong = {name: {"native": w, "wasm": g, "stderr": err[-300:]} for (name, _), w, (g, err) in zip(found, want, got) if w != g}
    assert not wrong, f"{len(wrong)} of {len(found)}: {json.dumps(dict(list(wrong.items())[:5]), indent=1)}"


@pytest.mark.big
@pytest.mark.parametrize("lang", LANGS)
def test_auto_chooses_before_anything_has_run(tmp_path, lang):
    """Of those that WebAssembly cannot run each is given to native, with the reason; of the others hardly any is."""
    wasm.languages()
    env = {**os.environ, "XDG_STATE_HOME": str(tmp_path)}
    chosen = collections.Counter()
    for runs in (False, True):
        found = [item for item in wasm.corpus(HERE / lang) if (item[2] is None) == runs]
        for name, text, reason in found[::1 if LONG or not runs else 12]:
            done = wasm.code(lang, text, driver="auto", policy="none", env=env)
            assert "driver" in done, (name, done)
            chosen[runs, done["driver"]["name"]] += 1
            assert runs or done["driver"]["name"] == "native" or reason.startswith(UNSEEN), (name, reason, done["driver"])
    print(lang, dict(chosen))
    assert chosen[True, "native"] * 5 <= chosen[True, "wasm"], chosen
    assert chosen[False, "wasm"] * 2 <= chosen[False, "native"], chosen


@pytest.mark.parametrize("lang, text, driver, why", [
    ("python", "print(1)", "wasm", "needs nothing"),
    ("python", "import numpy", "native", "numpy"),
    ("python", "import subprocess", "native", "needs processes"),
    ("python", "from threading import Thread\nThread(target=print).start()", "native", "needs threads"),
    ("python", "__import__(input())", "native", "import"),
    ("python", "import os; os.system('true')", "native", "processes"),
    ("javascript", "console.log(require('path').sep)", "wasm", "needs nothing"),
    ("javascript", "require('child_process')", "native", "needs processes"),
    ("javascript", "fetch('http://127.0.0.1')", "native", "needs sockets"),
    ("shell", "echo hi", "native", "no language of WebAssembly"),
])
def test_the_choice_says_why(lang, text, driver, why):
    done = wasm.code(lang, text, driver="auto")
    assert done["driver"]["name"] == driver and why in done["driver"]["why"], done["driver"]


def test_what_is_asked_for_is_done_or_refused():
    assert wasm.code("python", "import sys; print(sys.platform)")["stdout"] == "wasi\n"
    assert wasm.code("python", "import sys; print(sys.platform)", driver="native")["stdout"] == "linux\n"
    assert "no shell" in wasm.code("shell", "echo", driver="wasm")["error"]["text"]
    assert wasm.code("python", "print(1)", "--net", "example.com:443", driver="auto")["driver"] == {"name": "native", "why": "a network is to be there"}


def test_a_program_in_every_shape(tmp_path):
    """As a file, a text, a module, by standard input; what it leaves, its exception, its arguments."""
    done = wasm.code("python", "import sys\nopen('a.png', 'wb').write(b'\\x89PNG\\r\\n\\x1a\\n')\nprint(sys.argv[1:])\nraise KeyError('k')")
    assert done["exception"]["name"] == "KeyError" and done["exception"]["line"] == 4, done
    assert [(f["path"], f["media"]) for f in done["files"]] == [("a.png", "image/png")]
    done = wasm.code("javascript", "console.log(process.argv.length); throw new RangeError('far')")
    assert done["exception"]["name"] == "RangeError" and done["exception"]["message"] == "far" and done["exit_code"] == 1, done
    (tmp_path / "m.py").write_text("print(__name__)")
    for words, out in ((["-c", "print(6 * 7)"], "42\n"), (["-m", "m"], "__main__\n"), (["m.py"], "__main__\n"), (["-V"], "Python 3.12.0\n")):
        assert wasm.run("python3", *words, cwd=tmp_path)["stdout"] == out
    done = subprocess.run([box.aisbx(), "run", "--driver", "wasm", "--", "python3", "-"], cwd=tmp_path, input=b"print(2)", capture_output=True, timeout=60)
    assert done.stdout == b"2\n"


def test_random_numbers_are_not_those_of_the_one_before():
    text = "import random, uuid, secrets, os\nprint(random.random(), uuid.uuid4(), secrets.token_hex(8), os.urandom(8))"
    assert wasm.code("python", text)["stdout"] != wasm.code("python", text)["stdout"]
    text = "console.log(Math.random(), require('crypto').randomUUID())"
    assert wasm.code("javascript", text)["stdout"].split()[1] != wasm.code("javascript", text)["stdout"].split()[1]


def test_one_program_sees_nothing_of_another():
    wasm.code("python", "import json, sys\njson.planted = 1\nsys.modules['math'] = None\nopen('/tmp/left', 'w').write('x')")
    assert wasm.code("python", "import json, math, os\nprint(hasattr(json, 'planted'), math.pi > 3, os.path.exists('/tmp/left'))")["stdout"] == "False True False\n"
    wasm.code("javascript", "Array.prototype.planted = 1; globalThis.x = 1")
    assert wasm.code("javascript", "console.log([].planted, typeof x)")["stdout"] == "undefined undefined\n"
