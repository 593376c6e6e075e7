# SPDX-License-Identifier: Apache-2.0
"""The board of `aisbx try` on a real screen: tmux is the terminal, and says what a person would see."""
import shlex
import subprocess

import pytest

import box
from screen import Screen

HOSTILE = "\033[2J\033[H\033]0;gone\007\u202e日本"


@pytest.fixture
def place(tmp_path):
    project, go = tmp_path / "project", tmp_path / "go"
    project.mkdir()
    go.mkdir()
    return project, go


@pytest.fixture
def screen(place, request):
    made = Screen(place[0], 100, 24, getattr(request, "param", {}))
    yield made
    made.end()


def script(place, branches, *options):
    """A file that tries BRANCHES, each a text for a shell; they wait for a file in GO first."""
    project, go = place
    words = [box.aisbx(), "try", "--rw", str(go), "--test", "test -e made", *options]
    for b in branches:
        words += ["--", f"while ! test -e {go}/go; do sleep 0.05; done; {b}"]
    (project / "try.sh").write_text(" ".join(map(shlex.quote, words)) + "\n", encoding="utf-8")
    return "sh try.sh"


def row(lines, name):
    found = [i for i, line in enumerate(lines) if f" {name} " in line]
    assert len(found) == 1, (name, lines)
    return found[0]


def names(*given):
    return [w for name in given for w in ("--name", name)]


def test_a_row_per_branch_drawn_in_place_and_then_the_comparison(place, screen):
    screen.type("echo before; " + script(place, ["touch made", f"false '{HOSTILE}'"], *names("good", "bad")))

    def board(lines):
        top = lines.index("before")
        assert lines[top + 1] == "2 branches: 2 running"
        assert lines[top + 2].split() == ["BRANCH", "STATE", "TIME", "CPU", "MEMORY", "TESTS", "CHANGES", "COMMAND"]
        assert row(lines, "good") == top + 3 and row(lines, "bad") == top + 4
        assert lines[top + 3].startswith("›  good") and len(lines) == top + 5
        assert lines[top + 4].endswith("…")
        return top, lines[top + 3].split()[3]

    top, first = screen.until(board)

    def goes_on(lines):
        assert lines[top + 3].split()[3] != first, "the time stands still"

    screen.until(goes_on)
    (place[1] / "go").touch()
    screen.wait("RANK", "good wins")

    def comparison(lines):
        assert lines.index("before") == top and lines[top + 1].split()[:3] == ["RANK", "BRANCH", "STATE"]
        assert lines[top + 2].split()[:3] == ["1", "good", "winner"] and lines[top + 3].split()[:3] == ["-", "bad", "failed"]

    screen.until(comparison)
    assert "branches:" not in screen.text("-S", "-")


def test_the_window_may_be_small_and_change(place, screen):
    screen.resize(60, 10)
    screen.type("clear; " + script(place, ["touch made"] * 12, *names(*(f"b{i:02d}" for i in range(12)))))

    def small(lines):
        assert len(lines) == 9 and all(len(line) <= 60 for line in lines)
        assert lines[1].split()[:2] == ["BRANCH", "STATE"] and lines[-1].startswith("… 6 more: ")

    def large(lines):
        assert row(lines, "b00") < row(lines, "b11") and not any("more:" in line for line in lines)
        assert len([line for line in lines if "12 branches" in line]) == 1

    screen.until(small)
    screen.resize(100, 30)
    screen.until(large)
    screen.resize(24, 30)
    box.wait_until(lambda: any(line.rstrip() == "   BRANCH    STATE" for line in screen.lines()), 60, "fewer columns")
    (place[1] / "go").touch()
    screen.resize(100, 40)
    screen.wait("wins")


@pytest.mark.parametrize("screen", [{"TERM": "dumb"}, {"NO_COLOR": "1"}], indirect=True, ids=["dumb", "no-colour"])
def test_terminals_without_colour(place, screen, request):
    dumb = "dumb" in request.node.name
    screen.type("export TERM=dumb" if dumb else "true")
    screen.type(script(place, ["touch made"], *names("good")))
    screen.wait("good: running" if dumb else "1 branch: 1 running")
    assert "\033[" not in screen.text("-e")
    (place[1] / "go").touch()
    screen.wait("good wins")
    assert "\033[" not in screen.text("-e")
    assert ("aisbx: good: running" in screen.text("-S", "-")) == dumb


def test_lines_where_there_is_no_terminal(place):
    (place[1] / "go").touch()
    words = ["sh", "-c", script(place, ["touch made", "false"], *names("good", "bad"))]
    done = subprocess.run(words, cwd=place[0], timeout=120, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "\033" not in done.stdout + done.stderr
    said = done.stderr.splitlines()
    assert said.index("aisbx: good: running") < next(i for i, line in enumerate(said) if line.startswith("aisbx: good: passed after "))
    assert any(line.startswith("aisbx: bad: failed after ") for line in said)
    assert "good wins" in done.stdout and done.stdout.startswith("RANK")
