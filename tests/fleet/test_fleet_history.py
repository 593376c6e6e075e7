# SPDX-License-Identifier: Apache-2.0
"""History flows from nodes to the centre: nothing is lost and nothing is there twice, whatever is killed, apart, restored or deleted."""
import contextlib
import json
import os
import random
import signal
import sqlite3
import subprocess
import time

import pytest
from history_world import AISBX, LONG, World, end, wait_for

DAY_MS = 86_400_000


@pytest.fixture
def world(tmp_path):
    w = World(tmp_path / "world" if not (tmp_path / "world").mkdir() else tmp_path)
    try:
        w.postgres.start()
        w.nats.start()
        w.nats.make_stream()
        yield w
    finally:
        w.close()


def add_event(node, kind, what, box="b-0123456789abcdef"):
    with contextlib.closing(sqlite3.connect(node.dir / "store.db", timeout=30)) as db, db:
        db.execute("INSERT INTO events (time_ms, kind, box, what) VALUES (?, ?, ?, ?)", (int(time.time() * 1000), kind, box, json.dumps(what)))


def incarnations(world, node):
    return [row[0] for row in world.postgres.sql(f"SELECT DISTINCT incarnation FROM aisbx.history WHERE node = '{node.name}'")]


def no_gaps(world):
    return world.postgres.number("SELECT count(*) FROM aisbx.gaps") == 0


def test_what_a_node_records(world, tmp_path):
    project = tmp_path / "project"
    project.mkdir()
    node = world.node("a")
    node.aisbx("run", "--", "true", cwd=project)
    node.aisbx("create", "b1", cwd=project)
    node.aisbx("run", "--box", "b1", "--", "sh", "-c", "echo hello > file", cwd=project)
    node.send()
    node.aisbx("promote", "b1", "--yes", cwd=project)
    node.aisbx("undo", cwd=project)
    node.send()
    node.send()  # there is nothing new
    world.collect()
    kinds = [row["kind"] for row in world.query("node=a", "--limit", "1000")]
    assert sorted(kinds) == sorted(["run", "run", "box.created", "promotion.applied", "promotion.undone"])
    run = world.query("kind=run command=true")[0]
    assert run["body"]["status"] == "ok" and run["body"]["result"]["usage"]["wall_ms"] > 0 and run["body"]["result"]["violations"] == []
    applied = world.query("kind=promotion.applied")[0]
    assert applied["body"]["target"] == str(project) and applied["body"]["changes"] == 1
    places = world.postgres.sql("SELECT incarnation, sequence FROM aisbx.history ORDER BY sequence")
    assert len({place[0] for place in places}) == 1 and [place[1] for place in places] == ["1", "2", "3", "4", "5"]
    assert json.loads(world.verb("figures", "promotions_undone", "--json"))["undone"] == 1
    assert json.loads(world.verb("figures", "boxes_per_hour", "--json"))["boxes"] == 2


def test_tasks_that_passed(world, tmp_path):
    """A task is a plan; of a step that was repeated the last outcome counts, and a skipped one did not pass."""
    node, project = world.node("a"), tmp_path / "project"
    project.mkdir()
    node.aisbx("create", "box", cwd=project)

    def task(*steps):
        return json.loads(node.aisbx("plan", "create", "goal", "--box", "box", *(f"--step={step}" for step in steps), "--json", cwd=project).stdout)["plan"]

    def fails(plan):
        with pytest.raises(subprocess.CalledProcessError):
            node.aisbx("plan", "step", plan, cwd=project)

    passes, at_last, skipped, begun = task("true", "true"), task("test -e there", "true"), task("true", "false"), task("true", "true")
    for plan in (passes, passes, skipped, begun):
        node.aisbx("plan", "step", plan, cwd=project)
    fails(at_last)
    fails(skipped)
    node.aisbx("run", "--box", "box", "--", "touch", "there", cwd=project)
    node.aisbx("plan", "step", at_last, "--again", cwd=project)
    node.aisbx("plan", "step", at_last, cwd=project)
    node.aisbx("plan", "step", skipped, "--skip", cwd=project)
    node.send()
    world.collect()
    row = json.loads(world.verb("figures", "tasks_passed", "--json"))
    assert (row["tasks"], row["passed"], row["share"]) == (4, 2, 0.5)


def test_killed_collectors_and_a_restarted_server(world):
    """10,000 rows of two nodes, while collectors are killed at random and the server goes away and comes back."""
    nodes, chance, before = [world.node("a"), world.node("b")], random.Random(20), time.monotonic()
    outboxes, collector, killed = [node.outbox() for node in nodes], world.collector(), 0
    world.started += outboxes
    for i in range(20):
        for node in nodes:
            node.add_runs(250)
        time.sleep(chance.uniform(0, 0.3))  # wherever it is then
        end(collector, signal.SIGKILL)
        killed += 1
        if i in (6, 13):
            world.nats.stop(signal.SIGKILL if i == 6 else signal.SIGTERM)
            world.nats.start()
        collector = world.collector()
    for node in nodes:
        wait_for(lambda n=node: world.has_all(n))
    assert no_gaps(world)
    assert world.postgres.number("SELECT count(*) FROM aisbx.history") == 10_000
    print(f"10,000 rows, {killed} collectors killed, 2 restarts of the server: {time.monotonic() - before:.1f} s")
    for outbox in outboxes:
        end(outbox)


def test_three_days_offline(world):
    node, now = world.node("a"), int(time.time() * 1000)
    node.add_runs(50, now - 4 * DAY_MS)
    node.send()
    world.collect()
    world.nats.stop()
    outbox = node.outbox()
    world.started.append(outbox)
    for day in (3, 2, 1):
        node.add_runs(1000, now - day * DAY_MS, step_ms=80_000)
    wait_for(lambda: outbox.stderr.readline())  # it has tried, and goes on trying
    world.nats.start()
    collector = world.collector()
    wait_for(lambda: world.has_all(node))
    end(outbox)
    end(collector)
    assert len(incarnations(world, node)) == 1 and no_gaps(world)
    old = world.postgres.number("SELECT count(*) FROM aisbx.history WHERE at < now() - interval '2 days'")
    assert old > 1000


def test_a_disk_that_was_put_back(world, tmp_path):
    """The older state had rows that were not sent yet, were sent later, and are sent again: they are there once. So are those that only the
    lost disk had, and the new ones, which have the numbers of lost ones."""
    node = world.node("a")
    node.add_runs(300)
    node.send()
    node.add_runs(40)
    node.aisbx("history")  # imports them: the copy has them in its store, not yet sent
    node.save(tmp_path / "copy")
    node.add_runs(200)
    node.send()
    world.collect()
    assert world.has_all(node)
    node.restore(tmp_path / "copy")
    node.add_runs(500)
    node.send()
    node.send()
    world.collect()
    assert world.has_all(node) and no_gaps(world)
    assert len(incarnations(world, node)) == 2
    assert world.postgres.number("SELECT count(*) FROM aisbx.repeated") == 40


def test_a_store_alone_that_was_put_back(world, tmp_path):
    """The node's file of what was sent is newer than its store."""
    node = world.node("a")
    node.add_runs(100)
    node.send()
    node.save(tmp_path / "copy")
    node.add_runs(100)
    node.send()
    said = (node.dir / "fleet/outbox.json").read_bytes()
    node.restore(tmp_path / "copy")
    (node.dir / "fleet/outbox.json").write_bytes(said)
    node.add_runs(300)
    node.send()
    world.collect()
    assert world.has_all(node) and no_gaps(world)


def test_a_node_that_forgot_what_it_sent(world):
    """The stream's last message says it."""
    node = world.node("a")
    node.add_runs(100)
    node.send()
    (node.dir / "fleet/outbox.json").unlink()
    node.add_runs(100)
    node.send()
    world.collect()
    assert world.has_all(node) and no_gaps(world) and len(incarnations(world, node)) == 1
    assert world.postgres.number("SELECT count(*) FROM aisbx.repeated") == 0


def test_a_stream_that_was_deleted(world):
    """Half of what it had was collected."""
    node, other = world.node("a"), world.node("b")
    node.add_runs(300)
    node.send()
    world.collect()
    node.add_runs(300)
    other.add_runs(100)
    node.send()
    other.send()
    world.nats.delete_stream()
    world.nats.make_stream()
    node.add_runs(10)
    node.send()
    other.send()
    world.collect()
    assert world.has_all(node) and world.has_all(other) and no_gaps(world)


def test_a_stream_that_lost_its_end(world):
    """As after a server's disk was put back: the centre has what the stream has no more, and new rows are older than those."""
    node, now = world.node("a"), int(time.time() * 1000)
    node.add_runs(300, now - DAY_MS)
    node.send()
    kept = world.nats.last()
    add_event(node, "box.created", {"name": "x"})
    node.add_runs(300, now - DAY_MS // 2)
    node.send()
    world.collect()
    for sequence in range(kept + 1, world.nats.last() + 1):
        world.nats.api("STREAM.MSG.DELETE.AISBX_HISTORY", {"seq": sequence})
    node.add_runs(50, now - 2 * DAY_MS)
    node.send()
    world.collect()
    assert world.has_all(node) and no_gaps(world)
    assert world.postgres.number("SELECT count(*) FROM aisbx.history WHERE kind = 'box.created'") == 1


def test_messages_that_became_too_old(world):
    """A stream that keeps messages for a while, and lost none: nothing is sent again."""
    node = world.node("a")
    node.add_runs(300)
    node.send()
    world.collect()
    world.nats.api("STREAM.PURGE.AISBX_HISTORY", {})
    node.add_runs(5)
    node.send()
    world.collect()
    assert world.has_all(node) and no_gaps(world) and len(incarnations(world, node)) == 1
    assert world.nats.messages() == 1 and world.postgres.number("SELECT count(*) FROM aisbx.repeated") == 0


def test_two_machines_of_one_name(world, tmp_path):
    """A disk that was copied: both send, and each row is there once."""
    node = world.node("a")
    node.add_runs(100)
    node.send()
    node.save(tmp_path / "copy")
    twin = world.node("twin")
    twin.restore(tmp_path / "copy")
    twin.name = "a"
    for _ in range(4):
        node.add_runs(30)
        node.send()
        twin.add_runs(30)
        twin.send()
    world.collect()
    node.ids += twin.ids
    assert world.has_all(node) and no_gaps(world)


def test_a_database_that_goes_away(world):
    node = world.node("a")
    collector = world.collector()
    node.add_runs(100)
    node.send()
    wait_for(lambda: world.postgres.sql("SELECT to_regclass('aisbx.history')")[0][0] and world.has_all(node))
    world.postgres.stop()
    node.add_runs(100)
    node.send()
    wait_for(lambda: "trying again" in collector.stderr.readline())
    world.postgres.start()
    wait_for(lambda: world.has_all(node))


HOSTILE = [b"", b"{", b"[]", b"\xff\xfe", b'{"v":1}', b'{"v":99,"node":"x"}', b"[" * 5000, json.dumps({"v": 1, "node": "y", "incarnation": "0" * 32, "first": 1,
           "at": {}, "rows": [{"kind": "run", "time": 1, "tenant": "", "box": "", "run": "", "digest": "1" * 32, "body": {}}]}).encode()]


def test_strangers_messages(world):
    """They are kept apart, and hold nobody back. The last one is well made, but says that it is of another node."""
    for text in HOSTILE:
        world.nats.ask("aisbx.history.x", text)
    good = json.loads(HOSTILE[-1])
    good["node"], good["rows"][0]["body"] = "x", {"status": "'; DROP TABLE aisbx.history; --", "text": "\ud83d\ude00", "big": 2**62}
    world.nats.ask("aisbx.history.x", json.dumps(good).encode())
    # Of the store of one tenant, but with a row of another; and of a tenant that cannot be one.
    for subject, tenant in (("aisbx.history.x.acme", "other"), ("aisbx.history.x.acme", ""), ("aisbx.history.x.a.b", "a.b"), ("aisbx.history.xx", "")):
        world.nats.ask(subject, json.dumps({**good, "rows": [{**good["rows"][0], "tenant": tenant, "digest": "3" * 32}]}).encode())
    world.nats.ask("aisbx.history.x.acme", json.dumps({**good, "incarnation": "1" * 32, "rows": [{**good["rows"][0], "tenant": "acme", "digest": "4" * 32}]}).encode())
    node = world.node("a")
    node.add_runs(20)
    node.send()
    world.collect()
    assert world.has_all(node)
    assert len(world.query("node=x tenant=acme")) == 1 and world.query("tenant=other") == []
    assert world.postgres.number("SELECT count(*) FROM aisbx.refused") == len(HOSTILE) + 4
    assert {row["body"]["big"] for row in world.query("node=x")} == {2**62}


def test_a_place_that_two_rows_claim(world):
    """No sound node does this; still both are kept."""
    message = json.loads(HOSTILE[-1])
    message["node"] = "x"
    world.nats.ask("aisbx.history.x", json.dumps(message).encode())
    message["rows"][0]["digest"] = "2" * 32
    world.nats.ask("aisbx.history.x", json.dumps(message).encode())
    world.collect()
    assert world.postgres.number("SELECT count(*) FROM aisbx.history") == 2


def test_both_sides_changed_a_tree(world):
    nodes = [world.node("a"), world.node("b"), world.node("c")]
    for i, node in enumerate(nodes):
        node.add_runs(1)
        node.send()
        what = {"promotion": f"p-000000000000000{i}", "project": "shop", "base": "tree-1" if i < 2 else "tree-2"}
        add_event(node, "promotion.applied", what)
        add_event(node, "promotion.applied", {**what, "promotion": f"p-100000000000000{i}", "base": f"later-{i}"})
        node.send()
        world.collect()
    found = [json.loads(line) for line in world.verb("conflicts", "--json").splitlines()]
    assert len(found) == 1 and found[0]["base"] == "tree-1" and [side["node"] for side in found[0]["sides"]] == ["a", "b"]
    assert len(world.query("kind=promotion.applied")) == 6
    number = str(found[0]["id"])
    assert "no open conflict" in world.verb("resolve", "999", status=1)
    world.verb("resolve", number, "--note", "took the one of a")
    assert world.verb("conflicts", "--json") == ""
    assert "no open conflict" in world.verb("resolve", number, status=1)
    assert json.loads(world.verb("conflicts", "--all", "--json"))["note"] == "took the one of a"
    # Another side: it is open again, until all sides but one node's are undone.
    add_event(nodes[2], "promotion.applied", {"promotion": "p-2000000000000002", "project": "shop", "base": "tree-1"})
    nodes[2].send()
    world.collect()
    assert "shop" in world.verb("conflicts")
    for node, promotion in ((nodes[0], "p-0000000000000000"), (nodes[2], "p-2000000000000002")):
        add_event(node, "promotion.undone", {"promotion": promotion})
        node.send()
        world.collect()
    assert json.loads(world.verb("conflicts", "--all", "--json"))["resolved_by"] == "rule"


def git(*words, cwd):
    subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main", *words], cwd=cwd, check=True, capture_output=True)


def promote(node, project, script):
    """What SCRIPT changes in a box of the project's."""
    node.aisbx("create", "box", cwd=project)
    node.aisbx("run", "--box", "box", "--", "sh", "-c", script, cwd=project)
    node.aisbx("promote", "box", "--yes", cwd=project)
    node.aisbx("rm", "box", cwd=project)
    node.send()


def test_promotions_of_two_machines_to_clones_of_one_repository(world, tmp_path):
    """The same file from the same content to two others is a conflict; different files, and the same change twice, are none."""
    first = tmp_path / "first"
    first.mkdir()
    (first / "old/deep").mkdir(parents=True)
    for name in ("price", "stock", "title", "old/deep/file", "old/file"):
        (first / name).write_text("1\n")
    git("init", "-q", cwd=first)
    git("add", ".", cwd=first)
    git("commit", "-qm", "first", cwd=first)
    git("remote", "add", "origin", "https://ann:secret@Example.com/org/shop.git", cwd=first)
    git("clone", "-q", first, tmp_path / "second", cwd=tmp_path)
    git("remote", "set-url", "origin", "git@example.com:org/shop", cwd=tmp_path / "second")
    git("worktree", "add", "-q", tmp_path / "third", cwd=first)
    nodes = [(world.node(name), tmp_path / place) for name, place in (("a", "first"), ("b", "second"), ("c", "third"))]

    def conflicts():
        world.collect()
        return sorted((c["project"], c["base"].split()[0], [side["node"] for side in c["sides"]]) for c in map(json.loads, world.verb("conflicts", "--json").splitlines()))

    promote(*nodes[0], "echo 2 > price; echo 2 > new; mkdir dir; echo 3 > dir/file")
    promote(*nodes[1], "echo 2 > stock; echo 2 > new")  # another file, and the same one
    assert conflicts() == []
    applied = world.query("kind=promotion.applied node=a")[0]["body"]
    assert applied["project"] == "example.com/org/shop" and "secret" not in str(applied)
    assert sorted(applied["changed"]) == ["dir/file", "new", "price"] and applied["changed"]["new"][0] == "new"
    was, now = applied["changed"]["price"]
    assert len(was) == len(now) == 30 and was != now
    promote(*nodes[2], "echo 3 > price; rm title; echo 4 > dir-file")
    assert conflicts() == [("example.com/org/shop", "price", ["a", "c"])]
    promote(*nodes[1], "echo 3 > title")  # what was removed there
    assert conflicts() == [("example.com/org/shop", "price", ["a", "c"]), ("example.com/org/shop", "title", ["b", "c"])]
    promote(*nodes[0], "echo 5 > price")  # on top of its own
    assert len(conflicts()) == 2
    nodes[2][0].aisbx("undo", cwd=nodes[2][1])
    nodes[2][0].send()
    assert conflicts() == []
    promote(*nodes[1], "rm -r old")
    world.collect()
    assert sorted(world.query("kind=promotion.applied node=b")[0]["body"]["changed"].items()) == [("old/deep/file", [was, "gone"]), ("old/file", [was, "gone"])]
    promote(*nodes[2], "rm -r old; ln -s x old; mkdir title.d; echo 1 > title.d/a")
    assert conflicts() == []  # both removed it
    promote(*nodes[0], "echo 4 > old/deep/file")
    assert conflicts() == [("example.com/org/shop", "old/deep/file", ["a", "b", "c"])]
    for node, project in nodes[:2]:
        node.aisbx("undo", cwd=project)
        node.send()
    assert conflicts() == []
    assert {json.loads(line)["resolved_by"] for line in world.verb("conflicts", "--all", "--json").splitlines()} == {"rule"}


@pytest.mark.big
def test_what_cannot_be_compared(world, tmp_path):
    """Of many and of big files the rest is counted, and the event arrives; one that was undone before it was sent says nothing."""
    node, project = world.node("a"), tmp_path / "project"
    project.mkdir()
    (project / "big").write_bytes(bytes(40 << 20))
    node.aisbx("create", "box", cwd=project)
    node.aisbx("run", "--box", "box", "--", "sh", "-c", "echo 1 > big; for i in $(seq 3000); do echo $i > f$i; done; : > $(printf 'odd\\377')", cwd=project)
    node.aisbx("promote", "box", "--yes", cwd=project)
    node.send()
    world.collect()
    body = world.query("kind=promotion.applied")[0]["body"]
    assert "project" not in body and body["target"] == str(project) and "big" not in body["changed"]
    assert len(body["changed"]) > 500 and len(body["changed"]) + body["not_compared"] == 3002
    node.aisbx("undo", cwd=project)
    node.aisbx("promote", "box", "--yes", cwd=project)
    node.aisbx("undo", cwd=project)
    node.send()
    world.collect()
    assert ["changed" in row["body"] for row in world.query("kind=promotion.applied")] == [False, True]


def test_the_same_from_aisbx_fleet(world, tmp_path):
    """By --centre, AISBX_CENTRE and fleet.json."""
    node, other = world.node("a"), world.node("b")
    for n in (node, other):
        n.add_runs(2)
        n.send()
        add_event(n, "promotion.applied", {"promotion": f"p-000000000000000{n.name}", "project": "shop", "base": "tree-1"})
        n.send()
    world.collect()
    (tmp_path / "config/aisbx").mkdir(parents=True)
    kept = {k: v for k, v in os.environ.items() if k not in ("AISBX_POSTGRES", "AISBX_CENTRE")}

    def fleet(*words, **env):
        return subprocess.run([AISBX, "fleet", *words], capture_output=True, text=True, timeout=LONG, env={**kept, "XDG_CONFIG_HOME": str(tmp_path / "config"), **env})

    asked = ["history", "--where", "node=a kind=run", "--json"]
    assert len(fleet(*asked, "--centre", world.postgres.dsn).stdout.splitlines()) == 2
    assert len(fleet(*asked, AISBX_CENTRE=world.postgres.dsn).stdout.splitlines()) == 2
    (tmp_path / "config/aisbx/fleet.json").write_text(json.dumps({"centre": world.postgres.dsn}))
    assert len(fleet(*asked).stdout.splitlines()) == 2
    assert len(fleet("history", "--limit", "1").stdout.splitlines()) == 2
    assert "boxes_per_hour" in fleet("figures").stdout
    found, = [json.loads(line) for line in fleet("conflicts", "--json").stdout.splitlines()]
    assert fleet("resolve", str(found["id"]), "--note", "took the one of a").returncode == 0
    assert fleet("conflicts", "--json").stdout == "" and "took the one of a" in fleet("conflicts", "--all", "--json").stdout
    for wrong in (["resolve"], ["resolve", "x"], ["history", "word"], ["history", "--where", "nodes=a"], ["figures", "a", "b"], ["history", "--centre", "host=/nonsuch"]):
        assert fleet(*wrong).returncode != 0, wrong


def test_questions(world):
    node, other = world.node("a"), world.node("b")
    node.add_runs(5)
    node.add_runs(3, int(time.time() * 1000) - 3 * DAY_MS, status="failed")
    other.add_runs(4)
    node.send()
    other.send()
    world.collect()
    assert len(world.query("node=a kind=run")) == 8
    assert len(world.query("node=a status=failed")) == 3
    assert len(world.query("status=failed since=1d")) == 0
    assert len(world.query("node!=a")) == 4
    assert len(world.query("exit>=0 exit<1")) == 12
    assert len(world.query('command~"cho 1"')) == 3
    assert len(world.query("", "--limit", "7")) == 7
    table = world.verb("query", "--where", "node=b")
    assert table.splitlines()[0].split()[:3] == ["at", "node", "tenant"] and len(table.splitlines()) == 5
    for bad in ("nodes=a", "node", "node=a; DROP TABLE x", "exit=x", 'node="a', "since~1d", "status<1", "since=yesterdayish"):
        assert world.verb("query", "--where", bad, status=1)
    assert world.query("node=\"a' OR 'a'='a\"") == []
    for name in world.verb("figures").split():
        world.verb("figures", name)
    assert "no figures" in world.verb("figures", "pg_user", status=1)
