# SPDX-License-Identifier: Apache-2.0
"""That aisbx works at all on another distribution: run, boxes, promotion and the protocol for models, each once. See run."""
import pytest

import box
import mcp_raw
import promote


@pytest.fixture(name="shelf")
def make_shelf(tmp_path):
    shelf = promote.Shelf(tmp_path)
    (shelf.project / "kept.txt").write_text("old\n")
    return shelf


def test_run_behind_all_walls(tmp_path):
    with box.Watch(tmp_path):
        result = box.started(box.run("sh", "-c", "echo hello >out.txt; cat out.txt", cwd=tmp_path))
    assert result["aisbx_status"] == 0 and result["stdout"] == "hello\n", result
    isolation = result["isolation"]
    assert isolation["level"] == "full" and isolation["missing"] == [] and len(isolation["walls"]) == 13, isolation


def test_doctor(shelf):
    assert shelf.ok("doctor")


def test_box_remembers_and_goes_back(shelf):
    shelf.ok("create", "b")
    shelf.sh("b", "echo 1 >new.txt")
    shelf.ok("snap", "b", "first")
    shelf.sh("b", "echo 2 >new.txt; echo changed >kept.txt")
    assert {row["path"].rsplit("/", 1)[-1] for row in shelf.ok("diff", "b")["changes"]} == {"new.txt", "kept.txt"}
    shelf.ok("rollback", "b", "first")
    assert shelf.sh("b", "cat new.txt kept.txt") == "1\nold\n"
    assert (shelf.project / "kept.txt").read_text() == "old\n" and not (shelf.project / "new.txt").exists()


def test_promote_and_undo(shelf):
    before = promote.tree(shelf.project, dir_times=False)
    shelf.ok("create", "b")
    shelf.sh("b", "echo new >kept.txt; mkdir -p deep; echo 1 >deep/file")
    promotion = shelf.promoted("b")["promotion"]
    assert (shelf.project / "kept.txt").read_text() == "new\n" and (shelf.project / "deep/file").read_text() == "1\n"
    shelf.undo(promotion)
    promote.assert_same(before, promote.tree(shelf.project, dir_times=False), "undo")


def test_mcp_over_stdio(shelf):
    with mcp_raw.Stdio(shelf.project, shelf.state.parent) as face:
        names = {tool["name"] for tool in face.ask("tools/list")["result"]["tools"]}
        assert "sandbox_run" in names, names
        failed, text = face.tool("sandbox_run", command=["cat", "kept.txt"])
        assert not failed and "old" in text, text
