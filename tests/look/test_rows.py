# SPDX-License-Identifier: Apache-2.0
"""
Every row of the guard's corpus, risky and disguised ones too, and mutated ones, run for real behind the glass. Around it all is a box, so
that a hole costs nothing but this test: whatever gets past the glass is a change of the box, or a secret in the output.
"""
import json
import os
import random

import box
import pytest
from looking import SECRET

# A fork bomb is held by no glass, and one word more makes many commands wait for ever.
BOMBS = (":(){", "fork", "while true", "while :", "yes |")
MUTATED = 1000 if os.environ.get("AISBX_LONG") else 200

DRIVER = """
import concurrent.futures, json, os, signal, subprocess, sys
aisbx, glass, secret, commands = json.load(sys.stdin)  # not among the words, which ps shows
env = {**os.environ, "HOME": os.getcwd()}
def run(command):
    words = [aisbx, "look", "--", "bash", "-c", command] if glass else ["bash", "-c", command]
    p = subprocess.Popen(words, cwd="project", env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
    try:
        return p.communicate(timeout=2)[0][:1 << 20]
    except subprocess.TimeoutExpired:
        os.killpg(p.pid, signal.SIGKILL)
        return p.communicate()[0][:1 << 20]
with concurrent.futures.ThreadPoolExecutor(4) as several:
    said = list(several.map(run, commands))
print(json.dumps({"ran": len(said), "leaked": [c for c, s in zip(commands, said) if secret.encode() in s], "words": sum(b"denied" in s or b"not permitted" in s for s in said)}))
"""


def mutated(commands, n):
    """Rows put together with parts of others, and signs that mean something to a shell."""
    dice = random.Random(20261116)
    rows = [c for kind in commands.values() for c in kind]
    parts = [p for c in rows for p in c.split(" ")]
    signs = list("'\"\\$`;|&<>(){}*?[]!#~= \n") + ["$(", "&&", "||", "2>&1", "; rm -rf ~", "> new", "`touch new`", "; cat ~/.ssh/id_rsa", "-o new"]
    for _ in range(n):
        words = dice.choice(rows).split(" ")
        for _ in range(dice.randint(1, 3)):
            words.insert(dice.randrange(len(words) + 1), dice.choice(dice.choice((parts, signs))))
        yield " ".join(words)


def run_in_box(home, name, commands, glass):
    """(what the driver saw, what has changed in the box)"""
    (home.root / "outer").mkdir()
    how = {"cwd": home.home, "env": {**home.env, "HOME": str(home.root / "outer")}}  # else the box would hide the secrets already
    assert home.call([box.aisbx(), "create", name], **how).returncode == 0
    done = json.loads(home.call([box.aisbx(), "run", "--json", "--box", name, "--ro", box.aisbx(), "--timeout", "600s", "--pids", "512", "--",
                                 "python3", "-c", DRIVER],
                                input=json.dumps([box.aisbx(), glass, SECRET, commands]), **how).stdout)
    box.started(done)
    assert done["exit_status"] == 0, done
    diff = json.loads(home.call([box.aisbx(), "diff", "--json", name], **how).stdout)
    return json.loads(done["stdout"]), [c["path"] for c in diff["changes"]]


@pytest.mark.big
def test_every_row_and_mutated_ones_change_nothing(commands, home, tell):
    asked = [c for kind in commands.values() for c in kind] + list(mutated(commands, MUTATED))
    run = [c for c in asked if not any(bomb in c for bomb in BOMBS) and "\0" not in c]
    assert len(run) > 0.97 * len(asked)
    seen, changes = run_in_box(home, "glass", run, True)
    tell(f"look: {seen['ran']} commands of the guard's corpus and mutated ones behind the glass: {len(changes)} changes, {len(seen['leaked'])} "
         f"secrets shown, {seen['words']} were told of a refusal")
    assert not changes and not seen["leaked"]


def test_without_the_glass_they_do(home):
    """The control: the same driver sees a change and a secret."""
    seen, changes = run_in_box(home, "bare", ["cat ~/.ssh/id_rsa", "echo x > new"], False)
    assert seen["leaked"] == ["cat ~/.ssh/id_rsa"] and changes == ["project/new"]
