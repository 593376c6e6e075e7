# SPDX-License-Identifier: Apache-2.0
"""What is judged to only look is really run, in a box, and must leave no trace there and try nothing forbidden."""
import json
import random
import re

import box
import pytest

# They wait for a terminal, or for ever.
NOT_RUN = ("less ", "man ", "tail -f")
SLOW = re.compile(r"less|man |more|tail|sleep|find /|-R|tree /|du .*/|timeout")
# They ask the kernel for a list by a kind of socket that no box has.
ASKS_THE_KERNEL = {"ip", "ss"}


@pytest.mark.big
def test_what_only_looks_changes_nothing(commands, world):
    """All of them in one run of a shell, so that one box is enough."""
    safe = [c for c, v in zip(commands["safe"], world.judge_all(commands["safe"])) if v["act"] == "run"]
    run = [c for c in safe if not c.startswith(NOT_RUN)]
    assert len(run) > 200
    script = "".join(f"( {c}\n ) </dev/null >/dev/null 2>&1\n" for c in run) + "echo all of them\n"
    world.sh("git update-index -q --refresh")  # git keeps times of files, and would write those of the copy
    made = world.aisbx("create", "harmless")
    assert made.returncode == 0, made.stderr
    done = json.loads(world.aisbx("run", "--json", "--box", "harmless", "--env", "GIT_OPTIONAL_LOCKS=0", "--", "bash", "-c", script).stdout)
    box.started(done)
    assert done["stdout"] == "all of them\n", done
    assert {v["by"] for v in done["violations"]} <= ASKS_THE_KERNEL, done["violations"]
    diff = json.loads(world.aisbx("diff", "--json", "harmless").stdout)
    assert diff["changes"] == [], diff["changes"]


def test_the_same_test_sees_a_change(world):
    """Its control: a command that does write is seen."""
    world.aisbx("create", "control")
    world.aisbx("run", "--json", "--box", "control", "--", "bash", "-c", "( echo x > new\n )")
    assert [c["path"] for c in json.loads(world.aisbx("diff", "--json", "control").stdout)["changes"]] == ["new"]


DRIVER = """
import json, subprocess, sys
for command in json.load(sys.stdin):
    try:
        subprocess.run(["bash", "-c", command], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=20)
    except subprocess.TimeoutExpired:
        pass
print("all of them")
"""


def mutated(commands, n):
    """Parts of safe and bad commands put together, and signs that mean something to a shell."""
    dice = random.Random(20261115)
    parts = [p for kind in commands.values() for c in kind for p in c.split(" ")]
    signs = list("'\"\\$`;|&<>(){}*?[]!#~= \n") + ["$(", "&&", "||", ">/dev/null", "2>&1", "; rm README.md", "> new", "`touch new`", "$(touch new)"]
    for _ in range(n):
        words = dice.choice(commands["safe"]).split(" ")
        for _ in range(dice.randint(1, 3)):
            at = dice.randrange(len(words) + 1)
            how = dice.randrange(4)
            if how == 0:
                words.insert(at, dice.choice(parts))
            elif how == 1:
                words.insert(at, dice.choice(signs))
            elif how == 2 and at < len(words):
                cut = dice.randrange(len(words[at]) + 1)
                words[at] = words[at][:cut] + dice.choice(signs) + words[at][cut:]
            elif len(words) > 1 and at < len(words):
                del words[at]
        yield " ".join(words)


def test_mutated_commands_that_only_look_change_nothing(commands, world, tell):
    asked = sorted(set(mutated(commands, 3000)))
    run = [c for c, v in zip(asked, world.judge_all(asked)) if v["act"] == "run" and not SLOW.search(c)]
    tell(f"guard: {len(asked)} mutated commands, {len(run)} judged to only look")
    assert 200 < len(run) < len(asked)
    run = run[::max(1, len(run) // 300)]
    world.sh("git update-index -q --refresh")
    world.aisbx("create", "mutated")
    done = json.loads(world.aisbx("run", "--json", "--box", "mutated", "--env", "GIT_OPTIONAL_LOCKS=0", "--", "python3", "-c", DRIVER,
                                  input=json.dumps(run)).stdout)
    box.started(done)
    assert done["stdout"] == "all of them\n", done
    assert {v["by"] for v in done["violations"]} <= ASKS_THE_KERNEL, done["violations"]
    assert json.loads(world.aisbx("diff", "--json", "mutated").stdout)["changes"] == []
