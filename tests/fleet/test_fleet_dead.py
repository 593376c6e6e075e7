# SPDX-License-Identifier: Apache-2.0
"""Jobs that were given up: they can be looked at, with the reason of each attempt, sent again, and forgotten."""
import json
import re

import own_fleet
import pytest

REASON = re.compile(r"attempt \d+ on node [a-z]+: .+")


@pytest.fixture
def fleet(tmp_path):
    f = own_fleet.Fleet(tmp_path)
    try:
        f.hub()
        yield f
    finally:
        f.finish()


def sick_node(fleet, name="sick", tenants=("default",)):
    """A node that cannot start a job: where its tenants' directories should be is a file."""
    home = fleet.dir / name
    (home / "tenants").mkdir(parents=True)
    for tenant in tenants:
        (home / "tenants" / tenant).write_text("no directory")
    fleet.node(name, "--dir", home)
    return home


def heal(home):
    for place in (home / "tenants").iterdir():
        if place.is_file():
            place.unlink()


def give_up(fleet, *options, command=("echo", "hello"), attempts=2):
    """A job that was given up: its id."""
    done = fleet.call("run", "--on", "any", "--attempts", attempts, *options, "--json", "--", *command)
    result = json.loads(done.stdout)
    assert (done.returncode, result["fleet"]["phase"]) == (125, "dead"), done
    return result["fleet"]["job"], result["error"]["text"]


def letters(fleet, *options):
    done = fleet.call("fleet", "dead", "--json", *options)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def wait_letters(fleet, n, *options):
    return own_fleet.until(lambda: len(found := letters(fleet, *options)) == n and found, f"there are {n} letters")


def test_a_job_that_no_node_can_start(fleet):
    """Each attempt's reason is told to who waits, and is in the letter; after the node is well the job runs under its next name."""
    home = sick_node(fleet)
    job, text = give_up(fleet)
    assert "its attempts are used up" in text and "attempt 1 on node sick: " in text and "attempt 2 on node sick: " in text
    row, = wait_letters(fleet, 1)
    assert (row["job"], row["tenant"], row["class"], row["attempts"], row["reason"]) == (job, "default", "any", 2, "its attempts are used up")
    assert [bool(REASON.fullmatch(line)) for line in row["failed"]] == [True, True] and "tenants/default" in row["failed"][0]
    table = fleet.call("fleet", "dead").stdout.decode()
    assert job in table and "tenants/default" in table
    whole = json.loads(fleet.call("fleet", "dead", job, "--json").stdout)
    assert whole["body"]["operation"] == "run" and whole["body"]["arguments"]["command"] == ["echo", "hello"], whole
    assert b'"echo"' in fleet.call("fleet", "dead", job).stdout
    heal(home)
    done = fleet.call("fleet", "again", job)
    assert (done.returncode, done.stdout.decode()) == (0, f"{job}-2\n"), done.stderr
    waited = fleet.call("fleet", "wait", f"{job}-2")
    assert (waited.returncode, waited.stdout) == (0, b"hello\n")
    assert letters(fleet) == []
    assert fleet.call("fleet", "wait", job).returncode == 125  # and not "there are two"


def test_once_more_and_once_more(fleet):
    """Who is given up again is a letter again, under the name that tells it."""
    sick_node(fleet)
    job, _ = give_up(fleet, attempts=1)
    wait_letters(fleet, 1)
    for n in (2, 3):
        done = fleet.call("fleet", "again", job if n == 2 else f"{job}-{n - 1}")
        assert done.stdout.decode() == f"{job}-{n}\n", done.stderr
        row, = own_fleet.until(lambda n=n: (found := letters(fleet)) and found[0]["job"] == f"{job}-{n}" and found, f"letter {n}")
        assert row["attempts"] == 1


def test_a_deadline_is_not_sent_again(fleet):
    """Nobody runs it in time. Sent again it has none, or the one that is given."""
    job, text = give_up(fleet, "--deadline", "1s")
    assert "its deadline is over" in text
    row, = wait_letters(fleet, 1)
    assert (row["reason"], row["attempts"], row["failed"]) == ("its deadline is over", 0, [])
    assert fleet.call("fleet", "again", job, "--deadline", "soon").returncode == 125
    assert len(letters(fleet)) == 1
    assert fleet.call("fleet", "again", job, "--deadline", "1s").returncode == 0
    wait_letters(fleet, 1)
    assert fleet.call("fleet", "again", f"{job}-2").returncode == 0
    fleet.node("well")
    assert fleet.call("fleet", "wait", f"{job}-3").stdout == b"hello\n"


def test_forgetting(fleet):
    home = sick_node(fleet, tenants=("default", "acme"))
    jobs = [give_up(fleet, attempts=1)[0] for _ in range(3)]
    other, _ = give_up(fleet, "--tenant", "acme", attempts=1)
    wait_letters(fleet, 3)
    assert [row["job"] for row in letters(fleet, "--tenant", "acme")] == [other]
    assert len(letters(fleet, "--all-tenants")) == 4
    done = fleet.call("fleet", "forget", jobs[0], jobs[1])
    assert (done.returncode, done.stdout.decode()) == (0, f"{jobs[0]} forgotten\n{jobs[1]} forgotten\n")
    assert [row["job"] for row in letters(fleet)] == [jobs[2]]
    for words in (["forget"], ["forget", jobs[2], "--all"], ["forget", jobs[0]], ["forget", other], ["again", jobs[0]], ["again"], ["dead", "x.y"],
                  ["dead", "a", "b"]):
        assert fleet.call("fleet", *words).returncode == 125, words
    assert fleet.call("fleet", "forget", "--all").returncode == 0
    assert letters(fleet) == [] and [row["job"] for row in letters(fleet, "--all-tenants")] == [other]
    # An admin sends it again in the name of its tenant, whose record it has.
    heal(home)
    done = fleet.call("fleet", "again", "--all-tenants", other)
    assert done.stdout.decode() == f"{other}-2\n", done.stderr
    own_fleet.until(lambda: letters(fleet, "--all-tenants") == [], "its letter is gone")


def test_a_letter_outlives_hubs_and_servers(fleet):
    """And what earlier attempts failed of is known to the hub that comes after."""
    sick_node(fleet)
    p = fleet.popen("run", "--on", "any", "--attempts", "4", "--json", "--", "true")
    own_fleet.until(lambda: "could not be started" in fleet.log("sick"), "the first attempt has failed")
    own_fleet.until(lambda: fleet.log("sick").count("could not be started") >= 2, "and the second")
    fleet.hub("second", wait=False)
    fleet.end("h", how=9)
    out, _ = p.communicate(timeout=2 * own_fleet.WAIT)
    job = json.loads(out)["fleet"]["job"]
    row, = wait_letters(fleet, 1)
    assert row["job"] == job and row["attempts"] == 4
    assert [int(line.split()[1]) for line in row["failed"]] == [1, 2, 3, 4]
    fleet.end("nats")
    fleet.server()
    own_fleet.until(lambda: fleet.ask("status"), "the hub is back")
    own_fleet.until(lambda: json.loads(fleet.call("fleet", "dead", "--json").stdout or "[]") == [row], "the letter is there")


def test_a_job_that_may_begin_once_is_followed(fleet):
    """Its submitter must be there: so `again` waits for its end. An admin cannot."""
    home = sick_node(fleet)
    done = fleet.call("run", "--on", "any", "--once", "--json", "--", "echo", "hello")
    job = json.loads(done.stdout)["fleet"]["job"]
    row, = wait_letters(fleet, 1)
    assert row["effect"] == "once"
    refused = fleet.call("fleet", "again", job, "--all-tenants")
    assert refused.returncode == 125 and b"an admin cannot" in refused.stderr
    heal(home)
    done = fleet.call("fleet", "again", job)
    assert (done.returncode, done.stdout) == (0, b"hello\n"), done.stderr
    assert letters(fleet) == []


def test_input_is_not_kept(fleet):
    home = sick_node(fleet)
    done = fleet.call("run", "--on", "any", "--attempts", "1", "--json", "--", "sh", "-c", "cat; echo end", input=b"typed\n")
    job = json.loads(done.stdout)["fleet"]["job"]
    wait_letters(fleet, 1)
    heal(home)
    assert fleet.call("fleet", "again", job).returncode == 0
    assert fleet.call("fleet", "wait", f"{job}-2").stdout == b"end\n"


def test_many_letters(fleet):
    """More than one answer of the hub holds."""
    sick_node(fleet)
    running = [fleet.popen("run", "--on", "any", "--detach", "--deadline", "1ms", "--", "true") for _ in range(70)]
    ids = {p.communicate(timeout=4 * own_fleet.WAIT)[0].decode().strip() for p in running}
    assert len(ids) == 70
    own_fleet.until(lambda: {row["job"] for row in letters(fleet)} == ids, "all letters are there", 2 * own_fleet.WAIT)
    assert fleet.call("fleet", "forget", "--all", "--quiet").stdout == b""
    assert letters(fleet) == []
