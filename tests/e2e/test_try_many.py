# SPDX-License-Identifier: Apache-2.0
"""Many branches at once: each alone in its box, one winner however many finish in the same moment, the others gone.

With AISBX_LONG=1 the race is run a thousand times.
"""
import json
import os
import time
import uuid

import pytest

import box
import pace
from tries import Tries, states

MANY = 32
RACES = 1000 if os.environ.get("AISBX_LONG") else 6
RACERS = 4


@pytest.fixture(name="tries")
def fixture_tries(tmp_path):
    t = Tries(tmp_path)
    (t.project / "same").write_text("host\n")
    (t.project / "gone").write_text("host\n")
    (tmp_path / "shared").mkdir()
    yield t
    t.clear()


@pytest.mark.big
def test_every_branch_is_alone(tries):
    """All of them write, replace and remove the same paths at the same time, and each reads back its own."""
    shared = tries.root / "shared"
    script = (f"echo $N > same; rm gone; mkdir -p deep/er; echo $N > deep/er/file; ln -s $N link; echo $N >> log; touch {shared}/$N; "
              f"i=0; while [ $(ls {shared} | wc -l) -lt {MANY} ] && [ $i -lt 3000 ]; do i=$((i+1)); sleep 0.02; done; "
              "[ $(cat same deep/er/file log | sort -u) = $N ] && [ ! -e gone ] && [ $(readlink link) = $N ] && [ $(wc -l < log) = 1 ]")
    result = tries.trying(*(f"N={n}; {script}" for n in range(MANY)),
                          options=("--rw", shared, "--keep", "--mode", "all", "--test", "test $(cat same) = $(cat deep/er/file)"))
    assert set(states(result).values()) == {"passed"}, {b["name"]: (b["why"], b["stderr_tail"]) for b in result["branches"] if b["state"] != "passed"}
    assert len(os.listdir(shared)) == MANY, "all of them were there at once"
    assert {b["changes"]["created"] + b["changes"]["modified"] + b["changes"]["deleted"] for b in result["branches"]} == {7}
    names = {b["n"]: b["box"] for b in result["branches"]}
    assert [tries.read(names[n], "same") for n in (1, 17, MANY)] == ["0\n", "16\n", f"{MANY - 1}\n"]
    assert (tries.project / "same").read_text() == "host\n" and sorted(os.listdir(tries.project)) == ["gone", "same"]


@pytest.mark.big
def test_one_winner_when_all_finish_at_once(tries):
    """Tests of all branches wait at a barrier, and end together."""
    shared = tries.root / "shared"
    for race in range(RACES):
        room = shared / f"race{race}"
        room.mkdir()
        wait = f"touch {room}/$(cat who); i=0; while [ $(ls {room} | wc -l) -lt {RACERS} ] && [ $i -lt 3000 ]; do i=$((i+1)); sleep 0.01; done"
        result = tries.trying(*(f"echo {n} > who" for n in range(RACERS)), options=("--mode", "first", "--rw", shared, "--test", wait))
        assert len(os.listdir(room)) == RACERS, "all of them were there"
        won = [b for b in result["branches"] if b["state"] == "winner"]
        assert len(won) == 1 and result["winner"] == won[0]["name"] and result["state"] == "won", result
        assert {b["state"] for b in result["branches"]} <= {"winner", "passed", "stopped"} and result["branches"][0] is won[0]
        assert tries.boxes() == [result["box"]] and tries.read(result["box"], "who") == f"{won[0]['n'] - 1}\n"
        tries.call("rm", result["box"])


@pytest.mark.big
def test_losers_are_gone_within_a_second_of_the_claim(tries):
    """They ignore every signal that can be ignored, and have children of their own."""
    mark = f"mark-{uuid.uuid4().hex}"
    shared = tries.root / "shared"
    loser = f"trap '' TERM INT HUP; for i in 1 2 3; do sh -c 'trap \"\" TERM INT HUP; while :; do sleep 600; done' {mark} & done; wait; wait; sleep 600"
    winner = f"while [ ! -e {shared}/go ]; do sleep 0.02; done"
    going = tries.start("try", "--mode", "first", "--rw", shared, "--test", "true", "--", winner, *["--", loser] * (MANY - 1))
    box.wait_until(lambda: len(box.processes_with(mark)) >= 3 * (MANY - 1), 120, "all that will lose")
    (shared / "go").touch()
    for line in going.stdout:
        if json.loads(line).get("state") == "passed":
            break
    claimed = time.monotonic()
    while set(box.processes_with(mark)) - {going.pid}:  # its own words have the mark, too; looking costs: not as often as one could
        assert time.monotonic() - claimed < pace.seconds(60)
        time.sleep(0.05)
    took = time.monotonic() - claimed
    out, _ = going.communicate(timeout=120)
    print(f"{MANY - 1} branches with {3 * (MANY - 1)} processes were gone {took:.3f} s after the claim")
    assert json.loads(out.splitlines()[-1])["winner"] == "1"
    assert took < 1
