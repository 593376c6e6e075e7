# SPDX-License-Identifier: Apache-2.0
"""What is taken on disk: `aisbx du`, and equal files that `aisbx gc` stores once."""
import json
import os
import pathlib
import subprocess

import box
import pytest

MIB = 1 << 20


@pytest.fixture
def here(tmp_path):
    project = tmp_path / "project"
    project.mkdir()
    (project / "f").write_text("host")
    env = {**os.environ, "XDG_STATE_HOME": str(tmp_path / "state"), "HOME": str(tmp_path)}

    def call(*words, good=True):
        done = subprocess.run([box.aisbx(), *words], cwd=project, env=env, capture_output=True, text=True, timeout=120, check=False)
        assert (done.returncode == 0) == good, (words, done.stdout, done.stderr)
        return done.stdout if good else done.stderr

    call.layers = tmp_path / "state/aisbx/layers"
    return call


def made(call, name, content="x", size=MIB, snapshot="s"):
    """A box with a file of SIZE bytes and a fixed time, and a snapshot of it."""
    call("create", name)
    call("run", "--box", name, "--", "sh", "-c", f"mkdir -p d && yes {content} | head -c {size} > d/big && touch -d @1000 d/big")
    call("snap", name, snapshot)


def du(call, *names):
    return json.loads(call("du", "--json", *names))


def files(call, name):
    return sorted(p for p in call.layers.glob("*/project/up/" + name))


def test_equal_files_are_stored_once(here):
    for name in ("one", "two", "three"):
        made(here, name)
    made(here, "other", content="y")
    before = du(here)
    assert len({p.stat().st_ino for p in files(here, "d/big")}) == 4
    times = {p: p.stat().st_mtime_ns for p in here.layers.rglob("d")}
    assert json.loads(here("gc", "--share", "--json"))["shared"] == 2 * MIB
    after = du(here)
    assert len({p.stat().st_ino for p in files(here, "d/big")}) == 2
    assert after["saved"] == 2 * MIB and before["layers"] - after["layers"] == 2 * MIB and before["saved"] == 0
    assert {p: p.stat().st_mtime_ns for p in here.layers.rglob("d")} == times
    assert json.loads(here("gc", "--share", "--json"))["shared"] == 0
    assert not list(here.layers.rglob(".share"))
    for name in ("one", "two", "three"):
        assert here("run", "--box", name, "--", "md5sum", "d/big") == here("run", "--box", "one", "--", "md5sum", "d/big")
    here("run", "--box", "one", "--", "sh", "-c", "echo more >> d/big")
    assert here("run", "--box", "two", "--", "stat", "-c", "%s", "d/big").strip() == str(MIB), "a box changed what another one has"
    here("rm", "one", "three")
    here("gc", "--share")
    assert here("run", "--box", "two", "--", "stat", "-c", "%s %Y", "d/big").strip() == f"{MIB} 1000"


def test_what_may_still_change_is_never_shared(here):
    made(here, "one")
    here("create", "two")
    here("run", "--box", "two", "--", "sh", "-c", f"mkdir d && yes x | head -c {MIB} > d/big && touch -d @1000 d/big")
    assert json.loads(here("gc", "--share", "--json"))["shared"] == 0
    here("snap", "two", "s")
    assert json.loads(here("gc", "--share", "--json"))["shared"] == MIB


def test_du_tells_who_shares(here):
    made(here, "one")
    here("fork", "one", "--name", "two")
    here("run", "--box", "two", "--", "sh", "-c", f"head -c {3 * MIB} /dev/urandom > mine")
    told = du(here)
    items = {i["name"]: i for i in told["items"]}
    assert set(items) == {"one", "one@s", "two"} and items["one@s"]["kind"] == "snapshot"
    assert 3 * MIB <= items["two"]["own"] < 3.2 * MIB and 4 * MIB <= items["two"]["bytes"] < 4.2 * MIB
    assert items["two"]["bytes"] == items["two"]["own"] + items["two"]["shared"]
    assert items["one"]["own"] < 0.1 * MIB and items["one@s"]["with"] == ["box 'one'", "box 'two'"] and items["one@s"]["sharers"] == 2
    assert 4 * MIB <= told["layers"] < 4.2 * MIB and told["blobs"] == 0
    assert [i["name"] for i in du(here, "two", items["one"]["id"])["items"]] == ["one", "two"]
    assert "nobody" in here("du", "nobody", good=False)
    text = here("du")
    assert "SHARED WITH" in text and "all layers" in text


def test_du_tells_what_gc_frees(here):
    made(here, "one")
    assert du(here)["free"] == 0
    here("renew", "one", "--ttl", "1ms")
    told = du(here)["free"]
    assert MIB <= told < 1.2 * MIB
    layers = du(here)["layers"]
    here("gc", "--share")
    assert layers - du(here)["layers"] == told and du(here)["items"] == []


def test_fifty_snapshots_of_one_project(here, tell):
    """At most 5 % of 50 copies: each has what changed since the one before."""
    here("create", "one")
    here("run", "--box", "one", "--", "sh", "-c", "for i in $(seq 200); do head -c 20000 /dev/urandom > f$i; done")
    one = du(here)["layers"]
    for i in range(50):
        here("run", "--box", "one", "--", "sh", "-c", f"echo {i} > f1")
        here("snap", "one", f"s{i}")
    here("gc", "--share")
    share = du(here)["layers"] / (50 * one)
    tell(f"50 snapshots take {100 * share:.1f} % of 50 copies")
    assert share <= 0.05


def test_nothing_leads_out(here, tmp_path):
    """A box that puts a link where another one has a directory."""
    made(here, "one")
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "big").write_bytes(files(here, "d/big")[0].read_bytes())
    os.utime(outside / "big", (1000, 1000))
    here("create", "two")
    here("run", "--box", "two", "--", "ln", "-s", str(outside), "d")
    here("snap", "two", "s")
    here("gc", "--share")
    assert os.stat(outside / "big").st_nlink == 1
    assert pathlib.Path(files(here, "d/big")[0]).stat().st_nlink == 1
