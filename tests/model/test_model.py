# SPDX-License-Identifier: Apache-2.0
"""The model of stages that is checked is the machine that runs: the same states, events and moves."""
import os
import pathlib
import re
import subprocess

MODEL = (pathlib.Path(__file__).parent / "stages.pml").read_text()
TABLE = subprocess.run([os.environ["AISBX_TEST_BIN"] + "/test-flow-stage", "--table"], capture_output=True, text=True, check=True,
                       timeout=60).stdout.splitlines()


def of_c(what):
    return [line.split()[1:] for line in TABLE if line.startswith(what + " ")]


def of_model(what):
    return re.search(rf"mtype:{what} = {{ ([A-Z, ]+) }}", MODEL)[1].split(", ")


def test_the_same_states_and_events():
    assert of_model("state") == [name for name, _ in of_c("state")]
    assert of_model("event") == [name for name, _ in of_c("event")]


def test_the_same_moves():
    names = {small: name for what in ("state", "event") for name, small in of_c(what)}
    moves = {tuple(names[word] for word in move) for move in of_c("move")}
    modelled = set(re.findall(r":: s == ([A-Z]+) && ev == ([A-Z]+) -> s = ([A-Z]+)", MODEL))
    assert len(moves) > 20
    assert modelled == moves
