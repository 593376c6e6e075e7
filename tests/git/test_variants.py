# SPDX-License-Identifier: Apache-2.0
"""Nothing that a box plants in anything git takes for its own runs on the host, by whichever door it is promoted.

Every variant of lib/git_variants.py is planted in a box: in one box all that go together, those that break the repository in
others. Then everything is done on the host that a person does. The controls plant the same on the host itself.
"""
import json
import shutil

import mcp_raw
import pytest

import git_home
import git_plant
import git_variants
from promote import PYTHON, Shelf

TOGETHER = [v for v in git_variants.variants() if not v.apart]
APART = sorted({v.apart for v in git_variants.variants() if v.apart})
# An honest day's work, in every repository: so commits travel as well.
HONEST = git_home.IN_BOX + """
    for tree in sub/deep sub . wt; do (cd $tree; echo box >>honest; git add honest; git commit -qm honest); done
    git add sub; git commit -qm sub; """


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    made = git_variants.Stage(tmp_path_factory.mktemp("base"))
    made.make()
    git_variants.prepare(made)
    return made


class Door(Shelf):
    """A project with everything in it that payloads need, and a box in which CHOSEN are planted."""

    def __init__(self, top, base, chosen):
        super().__init__(top)
        self.project.rmdir()
        self.stage = git_variants.Stage(top)
        base.copy_to(self.stage)
        self.stage.payloads(chosen)
        shutil.copy(git_plant.__file__, self.project / "payload/plant.py")
        (self.project / "payload/steps").write_text(json.dumps(self.stage.steps(chosen)))
        (self.project / "aisbx.yaml").write_text("stages:\n  - {name: dev, gates: [not secrets], to: {directory: .}}\n")
        self.chosen = chosen
        self.before = git_home.inside(self.project)

    def script(self):
        return HONEST + f"exec {PYTHON} payload/plant.py payload/steps"

    def box(self):
        self.ok("create", "b")
        self.sh("b", self.script())

    def subjects(self):
        said = self.stage.shell("for t in . sub sub/deep wt; do git -C $t log -1 --format=%s; done", self.project)
        return said.split()

    def check(self, **where):
        """Nothing came, and nothing runs."""
        after = git_home.inside(self.project)
        differ = sorted(p for p in after.keys() | self.before.keys() if after.get(p) != self.before.get(p))
        assert not differ, f"changed in git directories: {differ}"
        assert not self.stage.arrived()
        self.stage.live(self.chosen, **where)
        fired = self.stage.fired()
        assert not fired, f"these ran on the host: {sorted(fired)}"


def test_there_are_many():
    assert len(git_variants.variants()) > 350


def test_by_the_command_line(tmp_path, base):
    door = Door(tmp_path, base, TOGETHER)
    door.box()
    door.promoted("b", "--yes")
    assert door.subjects() == ["sub", "honest", "honest", "honest"]
    door.check()


def test_by_mcp(tmp_path, base):
    door = Door(tmp_path, base, TOGETHER)
    with mcp_raw.Stdio(door.project, door.state.parent) as server:
        for tool, words in (("sandbox_create", {"name": "b"}), ("sandbox_run", {"box": "b", "command": ["sh", "-ec", door.script()]}),
                            ("sandbox_promote", {"box": "b"})):
            failed, said = server.tool(tool, **words)
            assert not failed, (tool, said)
    assert door.subjects() == ["sub", "honest", "honest", "honest"], said
    door.check(trees=["", "sub"])


def test_by_a_stage(tmp_path, base):
    door = Door(tmp_path, base, TOGETHER)
    door.box()
    with door.start("pipeline", "run", "b", "--yes", "--json") as p:
        said = p.communicate(timeout=120)
    assert p.returncode == 0, said
    assert (door.project / "honest").read_text() == "box\n"
    door.check(trees=["", "sub"])


@pytest.mark.parametrize("word", APART)
def test_what_breaks_a_repository(tmp_path, base, word):
    """It is refused in words, or it is promoted without what was planted."""
    door = Door(tmp_path, base, [v for v in git_variants.variants() if v.apart == word])
    door.box()
    status, result = door.promote("b", "--yes")
    assert status == 0 or (status == 125 and result["error"]["text"]) or result["conflicts"], result
    door.check()


CONTROLS = [v for v in git_variants.variants() if v.trigger and not v.name.startswith(("V.sub-config", "V.deep-config", "V.sub-hook", "V.deep-hook"))]
CONTROLS += [v for i, v in enumerate(git_variants.variants()) if v.trigger and v not in CONTROLS and i % 10 == 0]


@pytest.mark.big
def test_controls(tmp_path, base):
    """The same on the host itself does run."""
    assert len(CONTROLS) > 100
    silent = []
    for i, v in enumerate(CONTROLS):
        stage = git_variants.Stage(tmp_path / str(i))
        base.copy_to(stage)
        stage.plant(v)
        said = stage.shell(v.trigger, stage.project / v.tree, check=False)
        if v.name not in stage.fired():
            silent.append(f"{v.name}: {said[-300:]}")
        shutil.rmtree(stage.top)
    assert not silent, "\n".join(silent)
