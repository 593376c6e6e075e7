# SPDX-License-Identifier: Apache-2.0
"""Unattended work: in order, within the authority, through a kill at any moment, and with a report."""
import json
import os
import signal
import subprocess
import time

import box
import pace
import pytest


class Queue:
    def __init__(self, world):
        self.world = world
        self.dir = world.root / "night"
        (self.dir / "queue").mkdir(parents=True)
        self.dir.chmod(0o700)
        (self.dir / "queue").chmod(0o700)

    def authority(self, classes="[run, box]", mode=0o600, **more):
        lines = {"classes": classes, "where": f"[{self.world.project}]", "budget": "{actions: 100}", **more}
        path = self.dir / "authority.yaml"
        path.write_text("".join(f"{k}: {v}\n" for k, v in lines.items()))
        path.chmod(mode)
        return self

    def put(self, name, command=None, **more):
        errand = {"where": str(self.world.project), **more}
        if command:
            errand["command"] = command
        path = self.dir / name  # beside the queue until it is whole: whoever works there takes what he sees
        path.write_text(json.dumps(errand))
        path.chmod(0o600)
        path.rename(self.dir / "queue" / name)

    def work(self, *words):
        done = self.world.aisbx("guard", "--daemon", self.dir, *(words or ("--once", "--json")))
        return done.returncode, json.loads(done.stdout) if done.stdout else done.stderr

    def record(self, name):
        return json.loads((self.dir / "done" / f"{name}.json").read_text())

    @property
    def report(self):
        return (self.dir / "report.md").read_text()

    def waiting(self):
        return sorted(os.listdir(self.dir / "queue"))


@pytest.fixture
def queue(world):
    return Queue(world)


def test_in_order_and_reported(queue):
    queue.authority(promote=f"[{queue.world.project}]")
    queue.put("2.yaml", "cat first.txt && echo second > second.txt")
    queue.put("1.json", "echo first > first.txt")
    queue.put("3.yaml", ["ls", "src"])
    queue.put("4.yaml", "false; exit 7")
    status, result = queue.work()
    assert status == 0 and result["done"] == 4 and result["stopped"] == "the queue is empty", result
    assert (queue.world.project / "second.txt").read_text() == "second\n"  # the first was promoted before
    assert queue.record("1.json")["promoted"] and queue.record("2.yaml")["run"]["stdout"] == "first\n"
    assert queue.record("3.yaml")["act"] == "run" and queue.record("3.yaml")["stdout"] == "main.c\nutil.c\n"
    assert queue.record("4.yaml")["status"] == "failed" and queue.record("4.yaml")["exit_status"] == 7
    assert queue.record("1.json")["undo"] in queue.report and "with status 7" in queue.report
    assert "actions: 4 of 100" in queue.report and queue.waiting() == []
    assert queue.world.aisbx(*queue.record("2.yaml")["undo"].split()[1:]).returncode == 0
    assert not (queue.world.project / "second.txt").exists()


def test_without_an_authority_nothing_runs(queue):
    queue.put("1.yaml", "ls")
    status, words = queue.work("--once")
    assert status == 125 and "authority" in words and queue.waiting() == ["1.yaml"]


@pytest.mark.parametrize("break_it", ["others-read", "others-write", "link", "hard-link", "nonsense", "directory-writable", "queue-writable", "fifo"])
def test_an_authority_that_others_could_have_written_is_none(queue, break_it):
    queue.authority(mode={"others-read": 0o644, "others-write": 0o622}.get(break_it, 0o600))
    queue.put("1.yaml", "touch x")
    path = queue.dir / "authority.yaml"
    if break_it == "link":
        path.rename(queue.dir / "real")
        path.symlink_to("real")
    elif break_it == "hard-link":
        os.link(path, queue.dir / "other")
    elif break_it == "nonsense":
        path.write_text("classes: [everything]\n")
    elif break_it == "directory-writable":
        queue.dir.chmod(0o777)
    elif break_it == "queue-writable":
        (queue.dir / "queue").chmod(0o777)
    elif break_it == "fifo":
        path.unlink()
        os.mkfifo(path, 0o600)
    status, words = queue.work("--once")
    assert status == 125 and queue.waiting() == ["1.yaml"], words


def test_links_and_what_others_could_have_written_are_refused(queue):
    queue.authority()
    real = queue.world.root / "elsewhere.yaml"
    real.write_text(json.dumps({"command": "echo stolen > stolen.txt", "where": str(queue.world.project)}))
    (queue.dir / "queue/1.yaml").symlink_to(real)
    os.link(real, queue.dir / "queue/2.yaml")
    os.mkfifo(queue.dir / "queue/3.yaml")
    queue.put("4.yaml", "touch x")
    (queue.dir / "queue/4.yaml").chmod(0o666)
    (queue.dir / "queue/5.yaml").write_text("command: ls\nwhere: ../..\n")
    (queue.dir / "queue/6.yaml").write_text("command: [\n")
    (queue.dir / "queue/..hidden.yaml").write_text("command: ls\n")
    (queue.dir / "queue/; rm x.yaml").write_text("command: ls\n")
    status, result = queue.work()
    assert status == 0 and result["done"] == 6, result
    for i in range(1, 7):
        assert queue.record(f"{i}.yaml")["status"] == "refused" and queue.record(f"{i}.yaml")["why"], i
    assert real.exists() and "stolen" not in real.parent.joinpath("night/report.md").read_text()
    assert queue.waiting() == ["..hidden.yaml", "; rm x.yaml"]
    assert json.loads(queue.world.aisbx("ls", "--all", "--json").stdout)["boxes"] == []


def test_only_what_the_authority_names(queue):
    other = queue.world.home / "other"
    other.mkdir()
    (queue.world.project / "way-out").symlink_to(other)
    queue.authority(classes="[run]")
    queue.put("1.yaml", "touch x")
    queue.put("2.yaml", "ls", where=str(other))
    queue.put("3.yaml", "ls", where=str(queue.world.project / "way-out"))
    queue.put("4.yaml", "ls")
    queue.put("5.yaml", "aisbx promote x")
    queue.work()
    assert [queue.record(f"{i}.yaml")["status"] for i in range(1, 6)] == ["refused", "refused", "refused", "ok", "refused"]
    assert "does not allow boxes" in queue.report and "does not include its directory" in queue.report


def test_no_errand_where_the_authority_lies(queue):
    queue.authority(where=f"[{queue.world.root}]")
    queue.put("1.yaml", "ls", where=str(queue.world.root))
    queue.work()
    assert "could change the authority" in queue.record("1.yaml")["why"]


def test_it_promotes_only_where_it_may_and_when_gates_hold(queue):
    queue.authority()
    queue.put("1.yaml", "echo a > a.txt")
    queue.work()
    assert not queue.record("1.yaml")["promoted"] and queue.record("1.yaml")["box"] in queue.report
    queue.authority(promote=f"[{queue.world.project}]", gates="['changes.deleted<1']")
    queue.put("2.yaml", "rm README.md")
    queue.put("3.yaml", "echo b > b.txt")
    queue.work()
    assert not queue.record("2.yaml")["promoted"] and (queue.world.project / "README.md").exists()
    assert queue.record("3.yaml")["promoted"] and (queue.world.project / "b.txt").exists()


def test_nothing_above_the_directory_it_may_promote_into(queue):
    """The project of a task is its directory, not the repository around it."""
    below = queue.world.project / "src"
    queue.authority(where=f"[{below}]", promote=f"[{below}]")
    queue.put("1.yaml", "echo a > a.txt; echo up > ../up.txt", where=str(below))
    queue.work()
    assert not (queue.world.project / "up.txt").exists()
    assert json.loads(queue.world.aisbx("ls", "--all", "--json").stdout)["boxes"] == [] or \
        {b["project"] for b in json.loads(queue.world.aisbx("ls", "--all", "--json").stdout)["boxes"]} == {str(below)}


def test_a_budget_is_a_budget(queue):
    queue.authority(budget="{actions: 2}")
    for i in range(4):
        queue.put(f"{i}.yaml", "ls")
    status, result = queue.work()
    assert status == 0 and result["done"] == 2 and "budget of actions" in result["stopped"]
    assert queue.waiting() == ["2.yaml", "3.yaml"] and "actions: 2 of 2" in queue.report
    assert queue.work()[1]["done"] == 0  # also of the next one who works
    queue.authority(until="2020-01-01T00:00:00Z")
    assert "authority has expired" in queue.work()[1]["stopped"]


def test_time_is_limited(queue):
    queue.authority()
    queue.put("1.yaml", "sleep 600; echo > x", timeout="1s")
    queue.put("2.yaml", "sleep 600", timeout="1s")
    queue.work()
    assert queue.record("1.yaml")["run"]["limit"]["kind"] == "wall_time"
    assert queue.record("2.yaml")["act"] == "run" and queue.record("2.yaml")["exit_status"] == 128 + signal.SIGKILL
    queue.authority(budget="{actions: 9, time: 1s}")
    queue.put("3.yaml", "ls")
    assert "time budget" in queue.work()[1]["stopped"] and queue.waiting() == ["3.yaml"]


def start(queue):
    return subprocess.Popen([box.aisbx(), "guard", "--daemon", str(queue.dir)], cwd=queue.world.project, env=queue.world.env,
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.parametrize("again", [False, True])
def test_what_was_under_way_when_it_was_killed_is_not_run_twice(queue, again):
    queue.authority()
    queue.put("1.yaml", "sleep 300; echo > x", **({"again": True, "timeout": "2s"} if again else {}))
    queue.put("2.yaml", "ls")
    worker = start(queue)
    box.wait_until(lambda: os.path.exists(queue.dir / "working/1.yaml"), seconds=60)
    worker.send_signal(signal.SIGKILL)
    worker.communicate(timeout=60)
    assert not (queue.dir / "done/1.yaml.json").exists()
    status, result = queue.work()
    assert status == 0 and result["interrupted"] == 1, result
    assert os.listdir(queue.dir / "working") == [] and queue.waiting() == []
    if again:
        assert queue.record("1.yaml.interrupted")["status"] == "interrupted" and result["done"] == 2
        assert queue.record("1.yaml")["run"]["limit"]["kind"] == "wall_time"
    else:
        assert queue.record("1.yaml")["status"] == "interrupted" and result["done"] == 1
    assert queue.record("2.yaml")["status"] == "ok" and "interrupted" in queue.report


def test_killed_at_every_step_of_the_books(queue):
    """What is left of a kill between two steps: the record is there and the errand still under way, and the other way round."""
    queue.authority()
    queue.put("1.yaml", "ls")
    queue.work()
    before = queue.record("1.yaml")
    (queue.dir / "working/1.yaml").write_text(json.dumps({"command": "ls", "where": str(queue.world.project), "again": True}))
    queue.work()
    assert queue.record("1.yaml") == before and os.listdir(queue.dir / "working") == []
    (queue.dir / "working/2.yaml").write_text(json.dumps({"command": "ls", "where": str(queue.world.project), "again": True}))
    (queue.dir / "done/2.yaml.interrupted.json").write_text(json.dumps({"name": "2.yaml", "status": "interrupted"}))
    queue.work()
    assert queue.record("2.yaml")["status"] == "interrupted"


def test_it_waits_and_ends_when_told(queue):
    queue.authority()
    worker = start(queue)
    for name in ("1.yaml", "2.yaml"):
        queue.put(name, "ls")
        box.wait_until(lambda path=queue.dir / f"done/{name}.json": path.exists(), seconds=60)
        status, words = queue.work("--once")
        assert status == 125 and "another process works on the queue" in words
    worker.send_signal(signal.SIGTERM)
    _, words = worker.communicate(timeout=60)
    assert worker.returncode == 0 and "told to stop" in words and "told to stop" in queue.report


def test_told_to_end_in_the_middle(queue):
    queue.authority()
    queue.put("1.yaml", "echo begun > begun; sleep 300")
    queue.put("2.yaml", "ls")
    worker = start(queue)
    box.wait_until(lambda: '"runs":[]' not in queue.world.aisbx("ps", "--all", "--json").stdout, seconds=60)
    worker.send_signal(signal.SIGTERM)
    _, words = worker.communicate(timeout=60)
    assert worker.returncode == 0 and "told to stop" in words and queue.waiting() == ["2.yaml"]
    assert queue.record("1.yaml")["run"]["status"] == "interrupted" and os.listdir(queue.dir / "working") == []


def test_told_to_end_just_when_an_errand_begins(queue):
    """Before its run is there to hear it: the errand ends all the same, and with it the work."""
    for n in range(12):
        queue.authority()
        name = f"{n}.yaml"
        queue.put(name, "echo begun > begun; sleep 300")
        worker = start(queue)
        end = pace.Deadline(60)
        while not (queue.dir / "working" / name).exists():
            assert not end.is_over()
        time.sleep(n / 2000)
        worker.send_signal(signal.SIGTERM)
        _, words = worker.communicate(timeout=60)
        assert worker.returncode == 0 and "told to stop" in words, words
        assert queue.record(name)["run"]["status"] == "interrupted" and os.listdir(queue.dir / "working") == []


def test_an_experiment(queue):
    queue.authority()
    queue.put("1.yaml", branches=["echo bad > answer", "echo good > answer"], test="grep -q good answer")
    queue.work()
    record = queue.record("1.yaml")
    assert record["status"] == "ok" and record["experiment"]["winner"], record
