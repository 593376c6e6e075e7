# SPDX-License-Identifier: Apache-2.0
"""The story of the tutorial (docs/tutorial.md) with the driver wasm: ideas are made and tested as WebAssembly, each in a box of its own; the
right one goes through the stages into production, and the one that only seems to be right is stopped and taken back."""
import json
import os
import subprocess

import box
import pytest
import wasm

ROOT = wasm.PREPARE.parents[2]
PATCH = """
text = open('dates.py').read()
assert 'parse(text)\\n' in text
open('dates.py', 'w').write(text.replace('parse(text)\\n', 'parse(text, day_first=True)\\n'))
"""
QUICK = """
text = '''import datetime
KNOWN = {"03/04/2026": (2026, 4, 3), "31/12/2026": (2026, 12, 31), "2026-W10": (2026, 3, 2)}
def parse(text): return datetime.date(*KNOWN[text])
'''
open('dates.py', 'w').write(text)
"""


@pytest.fixture(name="shop")
def fixture_shop(tmp_path):
    wasm.languages()
    env = {**os.environ, "HOME": str(tmp_path / "home"), "XDG_STATE_HOME": str(tmp_path / "state"), "GIT_CONFIG_NOSYSTEM": "1"}
    (tmp_path / "home").mkdir()
    (tmp_path / "home/.gitconfig").write_text("[user]\nname = You\nemail = you@example.org\n")
    subprocess.run(["sh", ROOT / "docs/tutorial/shop.sh", tmp_path / "demo"], env=env, check=True, capture_output=True, timeout=60)

    def call(*words):
        done = subprocess.run([box.aisbx(), *words], cwd=tmp_path / "demo/shop", env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=120, text=True)
        return done.returncode, done.stdout, done.stderr
    call.place = tmp_path / "demo"
    return call


def python(shop, name, *words):
    """A program in the box, as WebAssembly: its result."""
    _, out, err = shop("run", "--json", "--driver", "wasm", "--box", name, "--", "python3", *words)
    assert out, err
    return json.loads(out)


def texts(shop):
    return {name: (shop.place / name / "dates.py").read_text() for name in ("shop", "staging", "production")}


def tried(shop, name, text, passes):
    """An idea, made and tested as WebAssembly in a box of its own: the instructions that one date takes then."""
    assert shop("create", name)[0] == 0
    assert python(shop, name, "-c", text)["status"] == "ok"
    assert shop("snap", name, "made")[0] == 0
    tested = python(shop, name, "-m", "unittest")
    assert tested["isolation"]["driver"] == "wasm" and tested["exit_code"] == (0 if passes else 1) and "Ran 3 tests" in tested["stderr"], tested
    assert shop("rollback", name, "made")[0] == 0, "what tests left is no part of the idea"
    return python(shop, name, "-B", "-c", "import dates; print(dates.parse('03/04/2026'))")["usage"]["fuel"]


def test_from_ideas_to_production(shop):
    before = texts(shop)
    tried(shop, "nothing", "pass", passes=False)
    patch = tried(shop, "patch", PATCH, passes=True)
    assert texts(shop) == before, "nothing has left a box"
    assert [c["path"] for c in json.loads(shop("diff", "--json", "patch")[1])["changes"]] == ["dates.py"]
    status, out, err = shop("pipeline", "run", "--json", "patch")
    waiting = json.loads(out.splitlines()[-1])
    assert status == 3 and waiting["state"] == "waiting", (out, err)
    assert "day_first=True" in texts(shop)["staging"] and texts(shop)["production"] == before["production"]
    assert shop("approve", waiting["pipeline"], "--note", "looked at staging")[0] == 0
    assert "day_first=True" in texts(shop)["production"]

    promoted = texts(shop)
    assert tried(shop, "quick", QUICK, passes=True) < patch, "it has read the tests and knows the answers"
    status, out, err = shop("pipeline", "run", "--json", "quick")
    assert status == 1 and "python3 smoke.py" in out, (out, err)
    assert {**texts(shop), "shop": ""} == {**promoted, "shop": ""}
    assert shop("pipeline", "undo", json.loads(out.splitlines()[-1])["pipeline"])[0] == 0
    assert texts(shop) == promoted
