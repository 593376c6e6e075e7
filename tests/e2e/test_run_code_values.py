# SPDX-License-Identifier: Apache-2.0
"""run-code tells the value of the last expression, and otherwise runs a program as its interpreter would."""
import json
import subprocess

import pytest

import box

INTERPRETER = {"python": "python3", "javascript": "node"}
ENDING = {"python": "py", "javascript": "js"}

# Language, program, the values that it tells; None: what they are depends.
PROGRAMS = [
    ("python", "import sys\nprint(sys.argv, __file__, __name__)\n6 * 7", ["42"]),
    ("python", '"""Documented."""\nfrom __future__ import annotations\nx: nothing = 1\nprint(__doc__)', []),
    ("python", "# -*- coding: latin-1 -*-\nprint('a\\xe4')\nNone", []),
    ("python", "import pickle, sys\nclass C: pass\nprint(type(pickle.loads(pickle.dumps(C()))) is sys.modules['__main__'].C)\n'a'", ["'a'"]),
    ("python", "import inspect\ndef f():\n    pass\nprint(inspect.getsource(f))", []),
    ("python", "def f():\n    1 / 0\ntry:\n    f()\nexcept ZeroDivisionError as e:\n    raise ValueError('outer') from e", []),
    ("python", "x = (", []),
    ("python", "if True:\npass", []),
    ("python", "raise SystemExit('said')", []),
    ("python", "import sys\nsys.exit(7)", []),
    ("python", "import atexit\natexit.register(print, 'at exit')\n5", ["5"]),
    ("python", "class C:\n    def __repr__(self): raise ValueError('cannot')\nC()", []),
    ("python", "import sys\nsys.excepthook = lambda *a: print('hooked', a[0].__name__)\n1 / 0", []),
    ("javascript", "console.log(process.argv.slice(1).join(), __filename, require.main === module, typeof exports);\n[6 * 7]", ["[ 42 ]"]),
    ("javascript", "const fs = require('fs'), process = require('process'); console.log(typeof fs.readFileSync, this === undefined);", []),
    ("javascript", "const main = async () => ({ a: 1 }); main()", ["{ a: 1 }"]),
    ("javascript", "const main = async () => { throw new TypeError('no'); }; main()", []),
    ("javascript", "if (process.argv.length > 1) { console.log('early'); return; }\nconsole.log('late');", []),
    ("javascript", "import('fs').then((fs) => console.log(typeof fs.readFileSync))", []),
    ("javascript", "let a = 1\nnot valid", []),
    ("javascript", "process.on('exit', (status) => console.log('exit', status)); process.exitCode = 3; 'x'", ["'x'"]),
    ("javascript", "setTimeout(() => { throw new Error('later') }, 1); undefined", []),
]


def plain(text, folder):
    """Without what may differ: where the file is, frames of the interpreter's own, which process it was."""
    lines = [line for line in text.replace(str(folder), "/tmp").splitlines() if not line.startswith("    at ")]
    return [line.replace("/private/tmp", "/tmp") for line in lines if not line.startswith("(") or "Warning" not in line]


@pytest.mark.parametrize("lang,code,values", PROGRAMS, ids=[f"{lang}-{n}" for n, (lang, _, _) in enumerate(PROGRAMS)])
def test_as_the_interpreter_would(tmp_path, lang, code, values):
    file = tmp_path / f"code.{ENDING[lang]}"
    file.write_bytes(code.encode("latin-1" if "latin-1" in code else "utf-8"))
    want = subprocess.run([INTERPRETER[lang], file], cwd=tmp_path, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, check=False)
    done = subprocess.run([box.aisbx(), "run-code", "--json", "--policy", "none", "--lang", lang, file], cwd=tmp_path, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, timeout=60, check=False)
    got = json.loads(done.stdout)
    assert (got["exit_code"], plain(got["stdout"], "/nowhere")) == (want.returncode, plain(want.stdout, tmp_path)), got["stderr"]
    assert plain(got["stderr"], "/nowhere") == plain(want.stderr, tmp_path)
    assert [r["text"] for r in got["results"]] == values and got["text"] == (values[0] if values else None)


def test_a_shell_has_no_values(tmp_path):
    done = subprocess.run([box.aisbx(), "run-code", "--json", "--lang", "shell", "--code", "echo 1"], cwd=tmp_path, stdout=subprocess.PIPE, check=True)
    got = json.loads(done.stdout)
    assert (got["text"], got["results"], got["stdout"]) == (None, [], "1\n")


def test_what_cannot_be_told_changes_nothing(tmp_path):
    """No room for the value, or something else in its place."""
    for code in ("import os\nos.mkdir('/tmp/.aisbx-said')\n5", "import os\nos.symlink('/etc/passwd', '/tmp/.aisbx-said.new')\n5",
                 "open('/tmp/.aisbx-said', 'w').write('{')\n"):
        done = subprocess.run([box.aisbx(), "run-code", "--json", "--lang", "python", "--code", code], cwd=tmp_path, stdout=subprocess.PIPE, check=True)
        got = json.loads(done.stdout)
        assert (got["status"], got["exit_code"]) == ("ok", 0) and got["text"] in (None, "2", "1")


def test_secrets_are_hidden_in_values(tmp_path):
    (tmp_path / "key").write_text("opensesame-4711")
    done = subprocess.run([box.aisbx(), "run-code", "--json", "--lang", "python", "--secret", f"KEY=file:{tmp_path}/key", "--code",
                           "open('/run/secrets/KEY').read()"], cwd=tmp_path, stdout=subprocess.PIPE, check=True)
    assert b"opensesame" not in done.stdout and b'"is_main_result":true' in done.stdout.replace(b" ", b"")
