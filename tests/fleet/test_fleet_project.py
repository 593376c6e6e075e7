# SPDX-License-Identifier: Apache-2.0
"""A job brings its project, and what it changed comes home as a box: real servers, nodes, boxes and stores."""
import contextlib
import json
import os
import pathlib
import re
import signal
import sqlite3
import stat
import subprocess

import own_fleet
import pytest
import s3

TENANT = "default"


class World(own_fleet.Fleet):
    """A fleet with a store of content, and a project with a history of its own."""

    def __init__(self, directory):
        super().__init__(directory)
        self.project, self.keys, self.store = self.dir / "project", self.dir / "home" / "keys", self.dir / "store"
        self.keys.mkdir(0o700)
        self.store.mkdir()
        key = self.keys / f"{TENANT}.key"
        key.touch(0o600)
        key.write_bytes(os.urandom(32))
        self.env.update(AISBX_FLEET_STORE=f"dir:{self.store}", AISBX_FLEET_STORE_KEY=str(key))
        self.write("a.txt", "".join(f"line {n}\n" for n in range(1, 21)))
        self.write("sub/b.txt", "below\n")
        self.write("sub/gone.txt", "to be deleted\n")
        subprocess.run(["git", "init", "-q", self.project], check=True, env=self.env)

    def write(self, name, text):
        (self.project / name).parent.mkdir(parents=True, exist_ok=True)
        (self.project / name).write_text(text)

    def read(self, name):
        return (self.project / name).read_text()

    def node(self, name="a", *options, wait=True):
        super().node(name, "--store", f"dir:{self.store}", "--keys", self.keys, *options, wait=wait)

    def job(self, *command, on="any", options=(), **more):
        return self.call("run", "--on", on, "--project", *options, "--", *command, **more)

    def script(self, text, **more):
        """A job of a shell; its result as JSON."""
        done = self.call("run", "--on", "any", "--project", "--json", "--", "sh", "-ec", text, **more)
        assert done.stdout, done.stderr
        return json.loads(done.stdout)

    def boxes(self):
        return sorted(b["name"] for b in json.loads(self.call("ls", "--json").stdout)["boxes"])

    def stored(self):
        return sum(p.stat().st_size for p in self.store.rglob("*") if p.is_file())

    def tenant(self, node):
        return self.dir / "state" / "aisbx-fleet" / "nodes" / node / "tenants" / TENANT

    def good(self, *words):
        done = self.call(*words)
        assert done.returncode == 0, done.stderr
        return done.stdout.decode()


@pytest.fixture
def world(tmp_path):
    w = World(tmp_path)
    try:
        w.hub()
        w.node("a")
        yield w
    finally:
        w.finish()


def test_the_project_comes_along(world):
    done = world.job("sh", "-c", "cat a.txt sub/b.txt; git ls-files --others | sort")
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode() == world.read("a.txt") + "below\na.txt\nsub/b.txt\nsub/gone.txt\n"
    assert not world.boxes()
    done = world.call("run", "--on", "any", "--project=sub", "--", "ls")
    assert done.stdout == b"b.txt\ngone.txt\n"


def test_it_begins_where_the_caller_is(world):
    done = subprocess.run([own_fleet.box.aisbx(), "run", "--on", "any", "--project", "--", "sh", "-c", "pwd; cat b.txt; ls .."], cwd=world.project / "sub",
                          env=world.env, capture_output=True, timeout=own_fleet.WAIT, check=True, stdin=subprocess.DEVNULL)
    assert done.stdout.decode().split("\n")[1:] == ["below", "a.txt", "sub", ""]
    assert done.stdout.decode().split("\n")[0].endswith("/sub")


def test_input_and_output_are_as_ever(world):
    data = os.urandom(1 << 20)
    done = world.call("run", "--on", "any", "--project", "--", "sh", "-c", "cat > in; cat in; echo e >&2; exit 7", input=data)
    assert done.stdout == data
    assert (done.returncode, done.stderr[:2]) == (7, b"e\n"), done.stderr
    name = world.boxes()[0]
    assert name.encode() in done.stderr
    world.good("promote", name)
    assert (world.project / "in").read_bytes() == data


def test_changes_come_home(world):
    before = world.read("a.txt")
    done = world.script("sed -i 's/^line 2$/changed/' a.txt; rm sub/gone.txt; mkdir new; echo made > new/file; chmod 755 new/file; ln -s file new/link; "
                        "rm -r sub; mkdir sub; echo other > sub/b.txt; exit 3")
    assert (done["exit_status"], done["changes"]["entries"] > 3) == (3, True)
    name = done["fleet"]["box"]
    assert world.boxes() == [name]
    shown = world.good("diff", name)
    assert all(path in shown for path in ("a.txt", "new/file", "sub/gone.txt")), shown
    assert world.read("a.txt") == before
    world.good("promote", name)
    assert world.read("a.txt") == before.replace("line 2\n", "changed\n")
    assert (world.read("new/file"), os.readlink(world.project / "new/link")) == ("made\n", "file")
    assert stat.S_IMODE((world.project / "new/file").stat().st_mode) == 0o755
    assert (world.read("sub/b.txt"), (world.project / "sub/gone.txt").exists()) == ("other\n", False)
    world.good("undo")
    assert (world.read("a.txt"), world.read("sub/gone.txt"), (world.project / "new").exists()) == (before, "to be deleted\n", False)
    assert world.good("run", "--box", name, "--", "cat", "new/file") == "made\n"


def test_the_box_of_a_job_does_not_stay_on_its_node(world):
    world.script("echo x > x")
    env = {**world.env, "XDG_STATE_HOME": str(world.tenant("a") / "state")}

    def none():
        done = subprocess.run([own_fleet.box.aisbx(), "ls", "--json"], env=env, capture_output=True, check=True, cwd=world.dir)
        return not json.loads(done.stdout)["boxes"]

    own_fleet.until(none, "the job's box is gone")


def test_an_unchanged_project_costs_little(world):
    world.write("big", os.urandom(12 << 20).hex())
    world.script("true")
    trees = world.tenant("a") / "projects"
    before, first = world.stored(), {p.name: p.stat().st_ino for p in trees.iterdir()}
    assert before > 12 << 20
    assert world.script("test -s big")["exit_status"] == 0
    assert world.stored() - before < 100 << 10
    assert {p.name: p.stat().st_ino for p in trees.iterdir()} == first
    world.write("small", "new\n")
    assert world.script("cat small")["stdout"] == "new\n"
    assert world.stored() - before < 200 << 10


def test_few_trees_stay(world):
    for n in range(7):
        world.write("n", f"{n}\n")
        assert world.script("cat n")["stdout"] == f"{n}\n"
    own_fleet.until(lambda: len(list((world.tenant("a") / "projects").iterdir())) <= 4, "old trees are gone")


def test_jobs_side_by_side_share_what_comes(world):
    world.write("big", os.urandom(8 << 20).hex())
    jobs = [world.popen("run", "--on", "any", "--project", "--json", "--", "sh", "-c", f"test -s big && echo {n} > n") for n in range(4)]
    boxes = {json.loads(j.communicate(timeout=own_fleet.WAIT)[0])["fleet"]["box"] for j in jobs}
    assert sorted(boxes) == world.boxes() and len(boxes) == 4
    assert len([p for p in (world.tenant("a") / "projects").iterdir() if not p.name.startswith("old-")]) == 1


def test_edits_here_meanwhile_are_merged(world):
    job = world.good("run", "--on", "any", "--project", "--detach", "--", "sh", "-c", "sed -i 's/^line 2$/theirs/' a.txt; echo two > sub/b.txt").strip()
    world.write("a.txt", world.read("a.txt").replace("line 18\n", "mine\n"))
    world.write("other", "mine\n")
    assert world.call("fleet", "wait", job).returncode == 0
    world.good("promote", job)
    text = world.read("a.txt")
    assert "theirs\n" in text and "mine\n" in text and "line 18" not in text
    assert (world.read("sub/b.txt"), world.read("other")) == ("two\n", "mine\n")


@pytest.mark.parametrize("here", ["same line", "deleted", "directory replaced"])
def test_edits_here_are_never_overwritten(world, here):
    job = world.good("run", "--on", "any", "--project", "--detach", "--", "sh", "-c", "sed -i 's/^line 2$/theirs/' a.txt; echo two >> sub/b.txt").strip()
    if here == "same line":
        world.write("a.txt", world.read("a.txt").replace("line 2\n", "mine\n"))
    elif here == "deleted":
        (world.project / "a.txt").unlink()
    else:
        (world.project / "sub").rename(world.project / "aside")
        world.write("sub/b.txt", "mine\n")
    assert world.call("fleet", "wait", job).returncode == 0
    before = {p: p.read_text() for p in world.project.rglob("*.txt")}
    done = world.call("promote", job)
    assert done.returncode != 0 and b"conflict" in done.stdout + done.stderr, done
    assert {p: p.read_text() for p in world.project.rglob("*.txt")} == before


def test_changes_come_home_once(world):
    job = world.good("run", "--on", "any", "--project", "--detach", "--", "sh", "-c", "echo x > x").strip()
    waits = [world.popen("fleet", "wait", job) for _ in range(3)]
    assert [w.wait(own_fleet.WAIT) for w in waits] == [0, 0, 0]
    assert world.boxes() == [job]
    world.good("promote", job)
    world.good("rm", job)
    assert world.call("fleet", "wait", job).returncode == 0
    assert not world.boxes()


def test_a_client_that_dies_brings_them_later(world):
    client = world.popen("run", "--on", "any", "--project", "--json", "--", "sh", "-c", "echo x > x; sleep 3")
    own_fleet.until(lambda: world.ask("jobs") and any((world.tenant("a") / "projects").glob("[0-9a-f]*")), "the job runs")
    client.send_signal(signal.SIGKILL)
    client.wait(own_fleet.WAIT)
    job = world.ask("jobs")[0]["id"]
    assert world.call("fleet", "wait", job).returncode == 0
    assert world.boxes() == [job]


def test_another_node_takes_over(world):
    done = world.popen("run", "--on", "any", "--project", "--json", "--", "sh", "-c", "sleep 5; echo x > x")
    own_fleet.until(lambda: own_fleet.processes_with("sleep\0005"), "the job runs")
    world.node("b")
    world.end("a", signal.SIGKILL)
    said = json.loads(done.communicate(timeout=3 * own_fleet.WAIT)[0])
    assert (said["fleet"]["node"], said["fleet"]["attempt"], said["exit_status"]) == ("b", 2, 0)
    assert world.boxes() == [said["fleet"]["box"]]
    world.good("promote", said["fleet"]["box"])
    assert world.read("x") == "x\n"


def damage(world):
    """Turns bits of all packs; what turns them back."""
    packs = [p for p in world.store.rglob("*") if p.is_file() and p.parent.name == "packs"]
    saved = {p: p.read_bytes() for p in packs}
    assert packs
    for p, data in saved.items():
        p.chmod(0o600)
        p.write_bytes(bytes(b ^ 1 for b in data[:64]) + data[64:])

    def heal():
        for p, data in saved.items():
            p.write_bytes(data)
    return heal


def test_a_damaged_project_does_not_begin(world):
    world.good("run", "--on", "any", "--project", "--", "true")
    world.end("a", signal.SIGTERM)
    heal = damage(world)
    world.node("b")
    done = world.job("true", on="node=b", options=("--attempts", "1"))
    assert done.returncode == 125 and b"given up" in done.stderr, done
    assert "damaged" in world.log("b"), world.log("b")
    heal()
    assert world.job("cat", "sub/b.txt", on="node=b").stdout == b"below\n"


def test_damaged_changes_are_refused(world):
    job = world.good("run", "--on", "any", "--project", "--detach", "--", "sh", "-c", "echo x > x").strip()
    own_fleet.until(lambda: world.nodes()[0]["jobs"] == 0 and world.stored(), "it has ended")
    heal = damage(world)
    done = world.call("fleet", "wait", job)
    assert done.returncode == 125 and b"tries again" in done.stderr, done
    assert not world.boxes()
    heal()
    assert world.call("fleet", "wait", job).returncode == 0
    assert world.boxes() == [job]


def test_secrets_stay(world):
    world.write(".env", "API_TOKEN=ghp_0123456789abcdefghijklmnopqrstuvwxyzAB\n")
    world.write("private", "not for others\n")
    done = world.job("sh", "-c", "ls -A; echo mine > .env", options=())
    assert b".env stays on this machine" in done.stderr
    assert b".env" not in done.stdout and b"private" in done.stdout
    name = world.boxes()[0]
    assert world.call("promote", name).returncode != 0
    assert world.read(".env").startswith("API_TOKEN")
    done = world.call("run", "--on", "any", "--project", "--hide", "private", "--", "cat", "private")
    assert done.returncode != 0 and not done.stdout
    for words in (("--secret", "A=env:HOME"), ("--box", "x"), ("--image", "/etc")):
        done = world.call("run", "--on", "any", "--project", *words, "--", "true")
        assert done.returncode == 125, words
    assert b"needs --hub-keys" in world.call("run", "--on", "any", "--secret", "A=env:HOME", "--", "true").stderr
    assert b"home directory" in world.call("run", "--on", "any", f"--project={world.dir}", "--", "true").stderr


def test_a_node_without_a_store_says_so(world):
    world.end("a")
    own_fleet.Fleet.node(world, "c")
    done = world.job("true", on="node=c", options=("--attempts", "1"))
    assert done.returncode == 125
    assert "--store" in world.log("c")


def push(world, directory):
    """What a node could send that is not one of ours: any tree, by the tenant's key."""
    words = ["push", "--from", directory, "--to", f"dir:{world.store}", "--tenant", TENANT, "--key", world.keys / f"{TENANT}.key",
             "--cache", world.dir / "cache"]
    done = subprocess.run([pathlib.Path(own_fleet.box.aisbx()).parent / "aisbx-content", *words], capture_output=True, check=True, env=world.env)
    return json.loads(done.stdout)["ok"]["id"]


def forge(world, tree, *options):
    """A job that has ended, and whose result names TREE as what it changed."""
    job = world.good("run", "--on", "any", *(options or ("--project",)), "--detach", "--", "sh", "-c", "echo x > x").strip()
    assert world.call("fleet", "wait", job, env={"AISBX_FLEET_STORE": "dir:/nonsuch"}).returncode == 125
    with contextlib.closing(sqlite3.connect(world.dir / "state/aisbx-fleet/jobs/jobs.db")) as db, db:
        record = db.execute("SELECT record FROM jobs WHERE id = ?", (job,)).fetchone()[0]
        mine = re.search(r"tree\W+([0-9a-f]{64})", record).group(1)
        db.execute("UPDATE jobs SET record = ? WHERE id = ?", (record.replace(mine, tree), job))
    return job


@pytest.mark.parametrize("what", ["pipe", "mark", "missing"])
def test_hostile_changes_are_refused(world, what):
    layer = world.dir / "layer"
    (layer / "sub").mkdir(parents=True)
    (layer / "a.txt").write_text("theirs\n")
    if what == "pipe":
        os.mkfifo(layer / "sub/pipe")
    elif what == "mark":
        (layer / "sub/b.txt").touch()
        os.setxattr(layer / "sub/b.txt", "user.overlay.whiteout", b"y")
    job = forge(world, push(world, layer) if what != "missing" else "0" * 64)
    before = world.read("a.txt")
    done = world.call("fleet", "wait", job)
    assert done.returncode == 125 and b"is not here" in done.stderr, done
    assert not world.boxes() and world.read("a.txt") == before
    assert not [p for p in (world.dir / "state/aisbx/layers").iterdir() if (p / "project").exists()]


def test_rights_do_not_come_home(world):
    layer = world.dir / "layer"
    layer.mkdir()
    (layer / "tool").write_text("#!/bin/sh\n")
    (layer / "tool").chmod(0o6755)
    job = forge(world, push(world, layer))
    assert world.call("fleet", "wait", job).returncode == 0
    world.good("promote", job)
    st = (world.project / "tool").stat()
    assert (stat.S_IMODE(st.st_mode), st.st_uid) == (0o755, os.geteuid())


def test_owners_stay_as_they_are(world):
    if not own_fleet.box.IS_ROOT:  # an ordinary user has one
        return
    os.chown(world.project / "a.txt", 1234, 2345)
    os.chown(world.project / "sub", 1234, 2345)
    done = world.script("echo more >> a.txt; echo new > sub/new")
    world.good("promote", done["fleet"]["box"])
    assert [(world.project / name).stat().st_uid for name in ("a.txt", "sub", "sub/new")] == [1234, 1234, 0]
    assert (world.project / "a.txt").stat().st_gid == 2345


BRANCHES = ("sed -i 's/line 2$/one/' a.txt; touch x y z", "sed -i 's/line 2$/two/' a.txt; touch x", "exit 1")


def attempt(world, *options, **more):
    """`try` with three branches, of which the second is best and the third fails."""
    words = [w for b in BRANCHES for w in ("--", b)]
    return world.call("try", "--on", "any", "--test", "grep -Eq 'one|two' a.txt", "--score", "changes.created", *options, *words,
                      timeout=3 * own_fleet.WAIT, **more)


@pytest.fixture
def pair(world):
    """Two nodes of which each takes one job at a time."""
    world.end("a", signal.SIGTERM)
    world.node("b", "--slots", "1")
    world.node("c", "--slots", "1")
    return world


def test_try_spreads_its_branches(pair):
    before = pair.read("a.txt")
    done = attempt(pair, "--json")
    said = json.loads(done.stdout)
    assert (done.returncode, said["state"], said["winner"]) == (0, "won", "2"), done
    assert [(b["name"], b["state"], b["rank"]) for b in said["branches"]] == [("2", "winner", 1), ("1", "passed", 2), ("3", "failed", None)]
    assert {j["node"] for j in said["fleet"]["jobs"]} == {"b", "c"}
    assert pair.boxes() == [said["box"]]
    assert pair.read("a.txt") == before
    pair.good("promote", said["box"])
    assert pair.read("a.txt") == before.replace("line 2\n", "two\n")
    pair.good("undo")
    assert pair.read("a.txt") == before


def test_the_winner_is_promoted(pair):
    done = attempt(pair, "--promote", "--name", "x", "--name", "y", "--name", "z")
    assert done.returncode == 0, done
    assert b"y wins" in done.stdout and b"x: passed on " in done.stderr, done
    assert "two\n" in pair.read("a.txt") and (pair.project / "x").exists() and not (pair.project / "y").exists()


def test_the_first_that_passes_ends_the_others(pair):
    done = pair.call("try", "--on", "any", "--mode", "first", "--json", "--test", "true", "--", "sleep 300", "--", "echo x > x", timeout=3 * own_fleet.WAIT)
    said = json.loads(done.stdout)
    assert (done.returncode, said["winner"]) == (0, "2")
    assert {b["name"]: (b["state"], b["why"]) for b in said["branches"]}["1"] == ("stopped", "another was first")
    own_fleet.until(lambda: not own_fleet.processes_with("sleep\000300"), "the other was ended")
    assert pair.boxes() == [said["box"]]


def test_try_without_a_winner(pair):
    done = pair.call("try", "--on", "any", "--json", "--test", "false", "--", "echo x > x", "--", "exit 3", timeout=3 * own_fleet.WAIT)
    said = json.loads(done.stdout)
    assert (done.returncode, said["state"], said["box"], pair.boxes()) == (1, "none", None, [])
    for words in (("--detach",), ("--or-here",), ("--budget-runs", "2"), ("--name", "a", "--name", "b")):
        assert pair.call("try", "--on", "any", *words, "--test", "true", "--", "true").returncode == 125, words


def test_through_s3(tmp_path):
    server = s3.S3(tmp_path / "s3").start()
    w = World(tmp_path)
    w.env.update(server.environment, AISBX_FLEET_STORE=f"s3://{s3.BUCKET}/trees")
    try:
        w.hub()
        own_fleet.Fleet.node(w, "a", "--store", f"s3://{s3.BUCKET}/trees", "--keys", w.keys)
        done = w.script("echo more >> a.txt; env | grep -c AWS_ || true")
        assert (done["exit_status"], done["stdout"]) == (0, "0\n")
        w.good("promote", done["fleet"]["box"])
        assert w.read("a.txt").endswith("more\n")
    finally:
        w.finish()
        server.kill()
