# SPDX-License-Identifier: Apache-2.0
"""History: what a run leaves in it, finding it again, many writers at once, crashes of those who import; events.

What a person sees of filters is in test_boxes.py. Every test has a state directory of its own.
"""
import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time

import pytest

from box import aisbx, need, wait_until

FILL = os.path.join(os.environ.get("AISBX_TEST_BIN", ""), "../bench/history-fill")


class Past:
    """aisbx with a state directory of its own."""

    def __init__(self, root):
        self.project = root / "project"
        self.state = root / "state" / "aisbx"
        self.project.mkdir()
        self.env = {**os.environ, "XDG_STATE_HOME": str(self.state.parent)}

    def said(self, *words, want=0):
        done = subprocess.run([aisbx(), *words], cwd=self.project, env=self.env, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == want, f"{words}: {done.returncode}, {done.stdout} {done.stderr}"
        return done.stdout

    def call(self, op, *words, want=0):
        return json.loads(self.said(op, "--json", *words, want=want))

    def run(self, *words, options=(), want=0):
        return self.call("run", *options, "--", *words, want=want)

    def runs(self, *words):
        return self.call("history", *words)["runs"]

    def events(self, *words):
        return [(e["kind"], e["box"], e["what"]) for e in self.call("history", "--events", *words)["events"]]

    def database(self):
        return sqlite3.connect(f"file:{self.state}/store.db?mode=ro", uri=True)

    def fill(self, first, runs, *under):
        """Starts a writer of RUNS runs, perhaps UNDER another program."""
        self.state.mkdir(parents=True, exist_ok=True)
        return subprocess.Popen([*under, need(FILL), self.state, str(first), str(runs), "0"],
                                env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0"})  # LeakSanitizer needs ptrace for itself


@pytest.fixture(name="past")
def fixture_past(tmp_path):
    return Past(tmp_path)


def without_output(result):
    return {k: v for k, v in result.items() if k not in ("stdout", "stderr")}


def kept_result(run):
    """Without what a replay would need, which the run itself does not tell."""
    assert run["result"]["record"]["args"]
    return {k: v for k, v in run["result"].items() if k != "record"}


# What is kept.

def test_the_whole_result_is_kept(past):
    made = [past.run("sh", "-c", "echo secret; echo much >&2"),
            past.run("sh", "-c", "unshare -U true; exit 3", want=3),
            past.run("sleep", "100", options=("--timeout", "20ms"), want=124),
            past.run("/nonexistent/program", want=127)]
    assert made[1]["violations"] and made[2]["limit"], "there must be something to keep"
    for result in made:
        (kept,) = past.runs(result["run"])
        assert kept_result(kept) == without_output(result)
        assert kept["run"] == result["run"] and kept["status"] == result["status"]
    assert "secret" not in json.dumps([kept_result(r) for r in past.runs("--full")])
    assert [r["result"]["run"] for r in past.runs("--full")] == [r["run"] for r in reversed(made)]
    assert all("result" not in r for r in past.runs())


def test_one_run_for_people(past):
    result = past.run("sh", "-c", "unshare -U true; exit 3", want=3)
    text = past.said("history", result["run"])
    assert "unshare -U true" in text and "failed" in text
    assert re.search(r"usage\.mem_peak +[0-9.]+ [KM]iB\n", text), text
    assert result["violations"][0]["rule"] in text and "seccomp" in text


def test_a_run_by_the_beginning_of_its_id(past):
    first, second = past.run("true", "1")["run"], past.run("true", "2")["run"]
    at = next(i for i, (a, b) in enumerate(zip(first, second)) if a != b)
    assert [r["command"] for r in past.runs(first[:at + 1])] == ["true 1"]
    assert "several runs" in past.call("history", "r-", want=125)["error"]["text"]
    assert past.call("history", "r-nope", want=125)["error"]["code"] == "ENOENT"
    past.call("history", first, "--limit", "3", want=125)
    past.call("history", "--events", "--match", "x", want=125)


def test_a_violation_text_cannot_draw_on_the_terminal(past):
    result = past.run("sh", "-c", "cp /usr/bin/unshare 'x\x1b[31m'; './x\x1b[31m' -U true; true")
    assert "\x1b" in result["violations"][0]["by"] and kept_result(past.runs(result["run"])[0]) == without_output(result)
    assert "\x1b" not in past.said("history", "--full")


# Events.

def test_events_of_a_box(past):
    a = past.call("create", "a")["id"]
    past.run("touch", "new", options=("--box", "a"))
    snap = past.call("snap", "a", "s1")["id"]
    past.call("rollback", "a", "s1")
    b = past.call("fork", "a@s1", "--name", "b")["boxes"][0]["id"]
    past.call("rm", "a")
    past.call("create", "brief", "--ttl", "1ms")
    wait_until(lambda: past.call("gc")["expired"], what="the box's time")
    got = past.events()
    assert got[1:] == [("box.created", got[0][1], {"name": "brief"}),
                       ("box.removed", a, {"name": "a"}),
                       ("box.forked", b, {"name": "b", "from": a}),
                       ("box.rolled-back", a, {"snapshot": snap, "name": "s1"}),
                       ("box.snapshotted", a, {"snapshot": snap, "name": "s1"}),
                       ("box.created", a, {"name": "a"})]
    assert got[0][0] == "box.expired"
    assert [k for k, *_ in past.events("--box", "b")] == ["box.forked"]
    assert [k for k, *_ in past.events("--box", a)] == [k for k, box, _ in got if box == a], "also of one that is gone"
    assert len(past.events("--limit", "2")) == 2 and past.events("--since", "0ms") == []
    listed = past.call("history", "--events")["events"]
    assert [e["seq"] for e in listed] == sorted((e["seq"] for e in listed), reverse=True)
    assert all(abs(e["time_ms"] / 1e3 - time.time()) < 120 for e in listed)
    assert "box.forked" in past.said("history", "--events")


def test_what_failed_is_no_event(past):
    past.call("create", "a")
    past.call("create", "a", want=125)
    past.call("rollback", "a", "nope", want=125)
    past.call("snap", "a", "s")
    past.call("snap", "a", "s", want=125)
    assert [k for k, *_ in past.events()] == ["box.snapshotted", "box.created"]


# Many at once, and crashes.

def ids(past):
    with past.database() as db:
        rows = [r[0] for r in db.execute("SELECT id FROM runs")]
        kept = db.execute("SELECT count(*) FROM results JOIN runs USING (seq) "
                          "WHERE json_extract(results.result, '$.run') = id").fetchone()[0]
    db.close()
    assert kept == len(rows), "each run has its own result"
    return rows


def test_32_writers_and_readers_lose_nothing(past):
    writers = [past.fill(w * 400, 400) for w in range(32)]
    readers = 0
    while any(w.poll() is None for w in writers):
        past.call("history", "--limit", "1")
        readers += 1
    assert [w.wait() for w in writers] == [0] * 32
    assert readers > 0
    past.call("history")
    got = ids(past)
    assert len(got) == len(set(got)) == 32 * 400
    assert {r["run"] for r in past.runs("--limit", "100000")} == set(got)


def test_a_writer_whose_file_is_taken_away(past):
    """Between opening the file and locking it, an importer takes it: the writer must notice, and use the next one."""
    past.call("history")
    with past.fill(1, 1, "strace", "-qq", "-o", "/dev/null", "-e", "trace=flock",
                   "-e", "inject=flock:delay_enter=1000000:when=1") as slow:
        wait_until((past.state / "runs.notes").exists, what="the file of a writer that waits")
        assert past.runs() == []
        assert slow.poll() is None and not (past.state / "runs.notes").exists()
    assert slow.returncode == 0
    assert len(past.runs()) == 1


def test_killed_importers_lose_nothing(past):
    """An import that dies, wherever it was, is repeated by the next."""
    past.fill(0, 1).wait()
    past.call("history")
    killed, first = 0, 1
    for i in range(40):
        assert past.fill(first, 100).wait() == 0
        first += 100
        with subprocess.Popen([aisbx(), "history", "--json"], env=past.env, stdout=subprocess.DEVNULL) as reader:
            time.sleep(i * 0.0003)  # somewhere else each time
            reader.send_signal(signal.SIGKILL)
        killed += reader.returncode == -signal.SIGKILL
    assert killed > 5, "hardly any was killed in time"
    past.call("history")
    got = ids(past)
    assert len(got) == len(set(got)) == first
    assert sorted(os.listdir(past.state)) == sorted(n for n in os.listdir(past.state) if n.startswith("store.db"))


def test_killed_writers_spoil_no_other(past):
    for i in range(20):
        with past.fill(i * 100000, 100000) as doomed:
            time.sleep(0.002 + i * 0.0005)
            doomed.kill()
    assert past.fill(5000000, 50).wait() == 0
    got = {r["run"] for r in past.runs("--limit", "1000000")}
    assert len(got) > 50
    assert len(ids(past)) == len(got)


def test_notes_are_imported_where_nobody_reads(past):
    assert past.fill(0, 5000).wait() == 0
    assert (past.state / "runs.notes").stat().st_size < 1.1 * 2**20
    assert len(ids(past)) > 3000
    past.call("gc")
    assert not (past.state / "runs.notes").exists()
    assert len(ids(past)) == 5000


def test_a_run_imports_what_others_left(past):
    past.run("true")
    notes = past.state / "runs.notes"
    line = notes.read_text()
    run = line.split("\t")[0].strip()
    notes.write_text("".join(line.replace(run, f"r-{i:016x}") for i in range(3000)))
    assert notes.stat().st_size > 2**20
    last = past.run("true", "last")
    assert "history_error" not in last and not notes.exists()
    assert len(past.runs("--limit", "10000")) == 3001 and past.runs()[0]["run"] == last["run"]


def test_a_line_of_the_first_version(past):
    past.call("history")
    (past.state / "runs.notes").write_text("\nr-1\t\tok\t0\t1700000000000\t1.500\tmake \\\\ old\t\t\n")
    (run,) = past.runs("r-1")
    assert run["command"] == "make \\ old" and run["result"] is None and run["wall_ms"] == 1.5


# A long history.

def test_every_filter_agrees_with_reading_everything(past):
    assert past.fill(0, 20000).wait() == 0
    everything = past.runs("--limit", "100000")
    assert len(everything) == 20000
    for text in ("pytest", "seed 1234", "--seed 7", "no such text", "~", "zz", "9", "99", "make test --seed 42"):
        want = [r["run"] for r in everything if text in r["command"]]
        assert [r["run"] for r in past.runs("--limit", "100000", f"--match={text}")] == want, text
        assert [r["run"] for r in past.runs(f"--match={text}")] == want[:20], text
        both = [r["run"] for r in everything if text in r["command"] and r["status"] == "failed"]
        assert [r["run"] for r in past.runs("--limit", "100000", "--status", "failed", f"--match={text}")] == both, text


if __name__ == "__main__":
    sys.exit(pytest.main([__file__, *sys.argv[1:]]))
