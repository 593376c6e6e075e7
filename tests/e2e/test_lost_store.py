# SPDX-License-Identifier: Apache-2.0
"""Attack 147, and the faults of the store: it is lost, damaged, older, read-only or full, and no work is lost with it.

A table of damages: each is told by every command that needs the store, none of them removes or changes anything, and
`recover --rebuild` brings every box, snapshot, artifact and undo back. The controls: the same commands work where nothing is
damaged, and without manifests nothing comes back.
"""
import hashlib
import json
import os
import random
import shutil
import sqlite3
import subprocess
import time

import pytest

import promote
from box import aisbx

LONG = os.environ.get("AISBX_LONG") == "1"
REBUILD = "aisbx recover --rebuild"


class Shelf(promote.Shelf):
    def call(self, op, *words, **kw):
        if op != "artifact":
            return super().call(op, *words, **kw)
        return self.end(self.start(op, words[0], "--json", *words[1:], **kw))


@pytest.fixture
def shelf(tmp_path):
    return Shelf(tmp_path)


def sh(shelf, box, script):
    status, result = shelf.call("run", "--box", box, "--", "sh", "-ec", script)
    assert status == 0, result
    return result["stdout"]


def fill(shelf):
    """A box with a snapshot, a fork, one that was rolled back, one that was renamed; a promotion, an artifact."""
    (shelf.project / "f").write_text("old\n")
    shelf.ok("create", "a")
    sh(shelf, "a", "echo one > f")
    shelf.ok("snap", "a", "first")
    sh(shelf, "a", "echo two > f; echo made > g")
    shelf.ok("fork", "a", "--name", "b")
    shelf.ok("create", "gone")
    shelf.ok("fork", "gone", "--name", "kept")
    shelf.ok("rm", "gone")


def go_on(shelf):
    sh(shelf, "b", "echo three > f")
    shelf.ok("snap", "b", "second")
    sh(shelf, "b", "echo four > f")
    shelf.ok("rollback", "a", "first")
    shelf.ok("rename", "kept", "renamed")
    shelf.ok("artifact", "save", "b", "g", "--name", "art")
    shelf.ok("promote", "b", "--yes")
    assert (shelf.project / "f").read_text() == "four\n"


def tree(shelf):
    found = shelf.ok("tree", "--all")
    return ({b["name"]: (b["id"], b["on"], b["project"], b["snapshots"]) for b in found["boxes"]},
            {s["id"]: (s["name"], s["box"], s["parent"], s["automatic"]) for s in found["snapshots"]})


def work(shelf):
    """Every file of layers, promotions and artifacts, wherever it lies; manifests may be written again."""
    found = {}
    for place in ("layers", "promotions", "artifacts", "lost"):
        for here, dirs, files in os.walk(shelf.state / place):
            dirs[:] = [d for d in dirs if d != "work"]
            for name in files:
                path = os.path.join(here, name)
                if not name.endswith("manifest") and name != "lock" and os.path.isfile(path) and not os.path.islink(path):
                    with open(path, "rb") as f:
                        key = path.split("/layers/")[-1].split("/promotions/")[-1].split("/artifacts/")[-1]
                        found[key] = hashlib.sha256(f.read()).hexdigest()
    return found


def is_whole(shelf, before):
    assert tree(shelf) == before
    assert sh(shelf, "a", "cat f") == "one\n"
    assert sh(shelf, "b", "cat f g") == "four\nmade\n"
    assert [a["name"] for a in shelf.ok("artifact", "ls")["artifacts"]] == ["art"]
    shelf.ok("gc")
    assert tree(shelf) == before
    assert shelf.ok("undo")["undone"]
    assert (shelf.project / "f").read_text() == "old\n" and not (shelf.project / "g").exists()


def files(shelf):
    return [p for p in shelf.state.iterdir() if p.name.startswith("store.db") and "lost" not in p.name]


def drop(shelf, *names):
    for name in names:
        (shelf.state / name).unlink(missing_ok=True)


def empty_log(shelf):
    """What a process does when its log has become long."""
    with sqlite3.connect(shelf.state / "store.db") as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()


def deleted(shelf, _):
    drop(shelf, *(p.name for p in files(shelf)))


def only_the_file(shelf, _):
    drop(shelf, "store.db")


def truncated(shelf, _):
    os.truncate(shelf.state / "store.db", 0)
    drop(shelf, "store.db-wal", "store.db.log")


def half(shelf, _):
    empty_log(shelf)
    os.truncate(shelf.state / "store.db", os.path.getsize(shelf.state / "store.db") // 2 // 4096 * 4096)


def random_bytes(shelf, _):
    (shelf.state / "store.db").write_bytes(random.Random(147).randbytes(65536))
    drop(shelf, "store.db-wal", "store.db.log")


def log_lost(shelf, _):
    drop(shelf, "store.db-wal", "store.db-shm", "store.db.log")


def older(shelf, then):
    drop(shelf, "store.db", "store.db-wal", "store.db-shm", "store.db.log")
    for name in ("store.db", "store.db-wal"):
        shutil.copy(then / name, shelf.state / name)


def new_and_empty(shelf, then):
    log_lost(shelf, then)
    drop(shelf, "store.db")
    with sqlite3.connect(shelf.state / "store.db") as db:
        db.execute("CREATE TABLE t (x)")
    db.close()


DAMAGES = [deleted, only_the_file, truncated, half, random_bytes, log_lost, older, new_and_empty]


def prepare(shelf):
    fill(shelf)
    then = shelf.root / "then"
    then.mkdir()
    for path in files(shelf):
        shutil.copy(path, then / path.name)
    go_on(shelf)
    return then


def refusals(shelf):
    """Every command that needs the store, and what each says."""
    for words in (["ls"], ["tree"], ["run", "--box", "b", "--", "true"], ["gc"], ["undo"], ["promote", "b", "--yes"], ["create", "x"],
                  ["snap", "b"], ["fork", "b"], ["rm", "b"], ["rename", "b", "c"], ["artifact", "ls"], ["history"], ["recover"]):
        status, result = shelf.call(*words)
        yield words, status, result


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda d: d.__name__)
def test_147_a_lost_store_is_told_and_made_anew(shelf, damage):
    then = prepare(shelf)
    before, stuff, project = tree(shelf), work(shelf), promote.box.facts(shelf.project)
    damage(shelf, then)
    for words, status, result in refusals(shelf):
        assert status == 125 and REBUILD in result["error"]["text"], (words, result)
        assert result["error"]["code"] == "EUCLEAN", (words, result)
    assert work(shelf) == stuff and promote.box.facts(shelf.project) == project
    status, result = shelf.call("run", "--", "sh", "-c", "exit 7")  # needs no store
    assert status == 7 and result["exit_code"] == 7
    (told,) = [c for c in shelf.call("doctor")[1]["checks"] if c["name"] == "store"]
    assert told["status"] == "limited" and REBUILD in told["fix"]
    was_there = (shelf.state / "store.db").exists()
    rebuilt = shelf.ok("recover", "--rebuild")["rebuilt"]
    assert (rebuilt["boxes"], rebuilt["snapshots"], rebuilt["promotions"], rebuilt["artifacts"]) == (3, 3, 1, 1)
    assert bool(rebuilt["aside"]) == was_there and (not was_there or (shelf.state / rebuilt["aside"]).exists())
    (told,) = [c for c in shelf.call("doctor")[1]["checks"] if c["name"] == "store"]
    assert told["status"] == "ok", told
    is_whole(shelf, before)


def test_147_control_a_whole_store(shelf):
    """The commands of the table work where nothing is damaged; and made anew for nothing the store is as before."""
    prepare(shelf)
    before = tree(shelf)
    history = shelf.ok("history", "--limit", "100")
    assert shelf.call("ls", "--all")[0] == shelf.call("gc")[0] == shelf.call("recover")[0] == 0
    assert shelf.ok("recover", "--rebuild")["rebuilt"]["missing"] == []
    assert shelf.ok("history", "--limit", "100") == history
    is_whole(shelf, before)


def test_147_control_without_manifests_nothing_comes_back_but_all_is_kept(shelf):
    prepare(shelf)
    stuff = work(shelf)
    for manifest in shelf.state.glob("*/*/manifest"):
        manifest.unlink()
    for manifest in shelf.state.glob("artifacts/*.manifest"):
        manifest.unlink()
    deleted(shelf, None)
    rebuilt = shelf.ok("recover", "--rebuild")["rebuilt"]
    assert rebuilt["boxes"] == rebuilt["snapshots"] == 0
    assert rebuilt["promotions"] == 1, "a journal says enough of itself"
    assert len(rebuilt["missing"]) >= 5 and all("no manifest" in m for m in rebuilt["missing"])
    collected = shelf.ok("gc")
    assert collected["aside"] >= 4 and collected["layers"] == 0
    assert work(shelf).items() >= {k: v for k, v in stuff.items() if "/up/" in k}.items()


def test_a_log_that_was_lost_is_found_again(shelf):
    """Its second name; on another file it would be damage, so there it is not used."""
    prepare(shelf)
    before = tree(shelf)
    drop(shelf, "store.db-wal", "store.db-shm")
    assert tree(shelf) == before
    empty_log(shelf)
    shelf.ok("create", "later")
    drop(shelf, "store.db-wal", "store.db-shm")
    os.utime(shelf.state / "store.db")  # somebody wrote to it
    assert REBUILD in shelf.call("ls", "--all")[1]["error"]["text"]
    assert shelf.ok("recover", "--rebuild")["rebuilt"]["boxes"] == 4


def test_an_older_copy_with_all_that_belongs_to_it(shelf):
    """Its mark does not say that it is older; manifests do. Nothing is removed, nothing written over, and all comes back."""
    then = prepare(shelf)
    before, stuff = tree(shelf), work(shelf)
    drop(shelf, *(p.name for p in files(shelf)))
    for name in ("store.db", "store.db-wal", "store.db.mark"):
        shutil.copy(then / name, shelf.state / name)
    (told,) = [c for c in shelf.call("doctor")[1]["checks"] if c["name"] == "store"]
    assert told["status"] == "limited" and "no record" in told["detail"]
    assert "older than the files beside it" in shelf.call("gc")[1]["error"]["text"]
    assert work(shelf) == stuff
    text = shelf.call("snap", "a", "over")[1]["error"]["text"]
    assert "older than the files beside it" in text, "it would write over what is newer"
    assert work(shelf) == stuff
    shelf.ok("recover", "--rebuild")
    is_whole(shelf, before)


def test_layers_that_the_store_does_not_know(shelf):
    """They were brought from elsewhere, or the rows were: gc puts them aside, with what they stand on, and they come back."""
    fill(shelf)
    before, stuff = tree(shelf), work(shelf)
    with sqlite3.connect(shelf.state / "store.db", isolation_level=None) as db:
        top = db.execute("SELECT top FROM boxes WHERE name = 'b'").fetchone()[0]
        db.execute("DELETE FROM boxes WHERE name = 'b'")
        db.execute("DELETE FROM layers WHERE id = ?", (top,))
    db.close()
    (told,) = [c for c in shelf.call("doctor")[1]["checks"] if c["name"] == "store"]
    assert told["status"] == "limited" and told["detail"].startswith("1 layers") and REBUILD in told["fix"]
    done = shelf.ok("gc")
    assert done["aside"] == 1 and done["layers"] == 0
    assert work(shelf) == stuff and [p.name for p in (shelf.state / "lost").glob("*/layers/*")] == [top]
    shelf.ok("recover", "--rebuild")
    assert tree(shelf) == before and not list((shelf.state / "lost").iterdir())


def test_a_pinned_box_stays_pinned(shelf):
    """Its copy is a layer as others are: what the box sees then is still not what was changed outside."""
    (shelf.project / "f").write_text("old\n")
    shelf.ok("create", "p", "--pin")
    sh(shelf, "p", "echo more >> f")
    (shelf.project / "f").write_text("outside\n")
    before = tree(shelf)
    deleted(shelf, None)
    assert not shelf.ok("recover", "--rebuild")["rebuilt"]["missing"]
    assert tree(shelf) == before and shelf.ok("show", "p")["pinned_ms"] and sh(shelf, "p", "cat f") == "old\nmore\n"


def test_what_was_put_aside_goes_after_30_days(shelf):
    fill(shelf)
    (shelf.state / "layers/l-0123456789abcdef/project/up/x").mkdir(parents=True)
    assert shelf.ok("gc")["aside"] == 1
    (batch,) = (shelf.state / "lost").iterdir()
    for days, forgotten in ((29, 0), (31, 1)):
        os.utime(batch, (time.time() - days * 86400,) * 2)
        assert shelf.ok("gc")["forgotten"] == forgotten
    assert not list((shelf.state / "lost").iterdir())


def test_what_was_removed_does_not_come_back(shelf):
    """Neither a box whose layers others stand on, nor a promotion that was taken back."""
    prepare(shelf)
    shelf.ok("undo")
    shelf.ok("rm", "a")
    before = tree(shelf)
    deleted(shelf, None)
    assert shelf.ok("recover", "--rebuild")["rebuilt"]["promotions"] == 0
    assert tree(shelf) == before
    assert shelf.ok("gc")["aside"] == 0


def test_a_box_cannot_write_its_manifest(shelf):
    """It lies beside what the box writes to, not in it."""
    fill(shelf)
    sh(shelf, "a", "echo forged > manifest; mkdir -p ../x 2>/dev/null || true")
    for manifest in shelf.state.glob("layers/*/manifest"):
        assert "forged" not in manifest.read_text()
    status, result = shelf.call("run", "--box", "a", "--", "sh", "-c", f"ls {shelf.state}/layers/*/manifest; echo x > {shelf.state}/x")
    assert status != 0 or not (shelf.state / "x").exists()
    assert "manifest" not in result["stdout"]


@pytest.mark.parametrize("lie", ["parent=../../../etc", "parent=SELF", "id=l-0000000000000000", "top=../x"])
def test_a_manifest_that_lies(shelf, lie):
    """It is believed no more than the store would be: what it says is checked, and the rest comes back."""
    fill(shelf)
    layer = next(p for p in sorted(shelf.state.glob("layers/*/manifest")) if "name=b\t" in p.read_text())
    key, value = lie.split("=")
    lines = layer.read_text().splitlines(keepends=True)
    forged = []
    for line in lines:
        if line.startswith("boxes" if key == "top" else "layers"):
            fields = [f for f in line.rstrip("\n").split("\t") if not f.startswith(key + "=")]
            line = "\t".join([*fields, f"{key}={layer.parent.name if value == 'SELF' else value}"]) + "\n"
        forged.append(line)
    layer.write_text("".join(forged))
    deleted(shelf, None)
    rebuilt = shelf.ok("recover", "--rebuild")["rebuilt"]
    assert rebuilt["boxes"] >= 2
    assert sh(shelf, "a", "cat f") == "two\n"
    assert shelf.ok("gc")["layers"] == 0
    for box in shelf.ok("ls", "--all")["boxes"]:
        sh(shelf, box["name"], "true")


def test_torn_manifests(shelf):
    """Of a manifest that a full disk or a power cut has torn the one before it counts."""
    prepare(shelf)
    before = tree(shelf)
    for manifest in shelf.state.glob("layers/*/manifest"):
        with open(manifest, "a", encoding="utf-8") as f:
            f.write("\naisbx manifest 1\nat\t9999\nlayers\tid=")
    deleted(shelf, None)
    shelf.ok("recover", "--rebuild")
    is_whole(shelf, before)


def namespace(*mounts):
    """In a mount namespace of its own; SCRIPT runs before the command."""
    return ["unshare", "-m" if os.getuid() == 0 else "-rm", "sh", "-ec", "; ".join([*mounts, 'exec "$@"']), "-"]


def test_a_store_that_can_only_be_read(shelf):
    """Refused in words before anything is changed; what needs no store works. The control is the same without the mount."""
    prepare(shelf)
    before, stuff, project = tree(shelf), work(shelf), promote.box.facts(shelf.project)
    db = shelf.state / "store.db"
    words = namespace(f"mount --bind {db} {db}", f"mount -o remount,ro,bind {db}")

    def call(*command):
        done = subprocess.run([*words, aisbx(), *command], cwd=shelf.project, env=shelf.env, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=120, check=False)
        return done.returncode, done.stdout + done.stderr

    assert call("ls", "--all")[0] == 0
    for command in (["promote", "b", "--yes"], ["undo"], ["snap", "b"], ["fork", "b"], ["create", "x"], ["rm", "b"], ["rename", "b", "c"],
                    ["run", "--box", "b", "--", "true"], ["rollback", "a", "first"], ["gc"]):
        status, said = call(*command)
        assert status == 125 and "is read-only" in said, (command, said)
    assert call("run", "--", "sh", "-c", "exit 7")[0] == 7
    assert work(shelf) == stuff and promote.box.facts(shelf.project) == project
    is_whole(shelf, before)


FULL = """
import json, os, subprocess, sys
aisbx, state = sys.argv[1:3]
def call(*words):
    done = subprocess.run([aisbx, *words], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=120)
    return done.returncode, done.stdout + done.stderr
said = {}
call("create", "b")
call("run", "--box", "b", "--", "sh", "-c", "echo 1 > v")
run = call("run", "--detach", "--rw", os.getcwd(), "--", "sh", "-c", "echo said; until [ -e go ]; do sleep 0.02; done; exit 7")[1].strip()
fill = open(state + "/fill", "wb", 0)
size = 65536
while size:
    try:
        fill.write(bytes(size))
    except OSError:
        size //= 2
notes = open(state + "/aisbx/runs.notes", "ab", 0)
try:
    while True:
        notes.write(b"\\n")
except OSError:
    pass
said["run"] = call("run", "--", "sh", "-c", "exit 6")
said["box"] = call("run", "--box", "b", "--", "true")
said["snap"] = call("snap", "b")
open("go", "w").close()
said["wait"] = call("wait", run)
fill.close()
os.unlink(state + "/fill")
said["wait again"] = call("wait", run)
said["history"] = call("history", run, "--json")
said["ls"] = call("ls", "--all", "--json")
said["after"] = call("run", "--box", "b", "--", "cat", "v")
print(json.dumps(said))
"""


def test_a_state_directory_that_is_full(shelf):
    """No exit status is lost, of none it is said that there is no run, and when there is room again all is as before."""
    state = shelf.state.parent
    state.mkdir()
    words = namespace(f"mount -t tmpfs -o size=1500k,mode=700 none {state}")
    out = subprocess.run([*words, promote.PYTHON, "-c", FULL, aisbx(), str(state)], cwd=shelf.project, env=shelf.env, capture_output=True,
                         text=True, timeout=120, check=False)
    assert out.returncode == 0, out
    said = json.loads(out.stdout)
    assert said["run"][0] == 6 and "the history has no record of this run" in said["run"][1], said["run"]
    for refused in ("box", "snap"):
        assert said[refused][0] == 125 and "No space left" in said[refused][1], said[refused]
    assert said["wait"][0] == said["wait again"][0] == 7, said
    assert said["history"][0] == 0, said["history"]
    assert json.loads(said["history"][1])["runs"][0]["exit_code"] == 7
    assert [b["name"] for b in json.loads(said["ls"][1])["boxes"]] == ["b"]
    assert said["after"] == [0, "1\n"]


def test_a_store_that_somebody_holds_is_not_made_anew(shelf):
    """Who writes to it is waited for; who had it open before it was made anew changes nothing afterwards."""
    prepare(shelf)
    with sqlite3.connect(shelf.state / "store.db", isolation_level=None) as db:
        db.execute("BEGIN IMMEDIATE")
        db.execute("UPDATE boxes SET name = 'other' WHERE name = 'b'")
        p = shelf.start("recover", "--rebuild", "--json")
        assert not (shelf.state / "store.db.ready").exists()
        db.execute("COMMIT")
    db.close()
    assert shelf.end(p)[0] == 0
    assert {b["name"] for b in shelf.ok("ls", "--all")["boxes"]} == {"a", "b", "renamed"}, "a manifest is as new as the row it was written with"


def pages(shelf):
    empty_log(shelf)
    return os.path.getsize(shelf.state / "store.db") // 4096


def spoil(path, page, how, dice):
    with open(path, "r+b") as f:
        f.seek(page * 4096)
        if how == "zero":
            f.write(bytes(4096))
        elif how == "random":
            f.write(dice.randbytes(4096))
        elif how == "other":
            other = dice.randrange(os.path.getsize(path) // 4096)
            f.seek(other * 4096)
            body = f.read(4096)
            f.seek(page * 4096)
            f.write(body)
        else:
            for _ in range(16):
                f.seek(page * 4096 + dice.randrange(4096))
                f.write(dice.randbytes(1))


def test_147_pages_by_chance(shelf):
    """Each page zeroed, overwritten, exchanged, sprinkled: no command crashes, none removes anything, all comes back."""
    fill(shelf)
    before, stuff = tree(shelf), work(shelf)
    n = pages(shelf)
    keep = shelf.root / "keep"
    keep.mkdir()
    names = ("store.db", "store.db.mark")
    for name in names:
        shutil.copy2(shelf.state / name, keep / name)
    dice = random.Random(147)
    tries = [(page, how) for page in range(n) for how in ("zero", "random", "other", "bytes")]
    for page, how in tries if LONG else dice.sample(tries, 14):
        drop(shelf, *(p.name for p in shelf.state.iterdir() if p.name.startswith("store.db")))
        for name in names:
            shutil.copy2(keep / name, shelf.state / name)
        spoil(shelf.state / "store.db", page, how, dice)
        for words in (["gc"], ["ls"]):
            status, _ = shelf.call(*words)
            assert status in (0, 125), (page, how, words, status)
        assert work(shelf) == stuff, (page, how)
        shelf.ok("recover", "--rebuild")
        assert work(shelf) == stuff, (page, how)
        after = tree(shelf)
        assert after[0].items() >= before[0].items() and after[1].keys() >= before[1].keys(), (page, how, after, before)
