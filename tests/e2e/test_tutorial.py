# SPDX-License-Identifier: Apache-2.0
"""The story of docs/tutorial.md, run from the page itself by tools/tutorial: three fixes at once, the stages, an
approval, a fix that is stopped, and all of it back; then one that is installed from an index, by a box that reaches it alone. The page must say what aisbx says."""
import difflib
import importlib.machinery
import importlib.util
import os
import pathlib
import tempfile

import pytest

import box

ROOT = pathlib.Path(__file__).resolve().parents[2]


def load_tool():
    loader = importlib.machinery.SourceFileLoader("tutorial", str(ROOT / "tools/tutorial"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("tutorial", loader))
    loader.exec_module(module)
    return module


tutorial = load_tool()


@pytest.fixture
def home():
    """Short, as a home is: git and sockets have limits."""
    with tempfile.TemporaryDirectory(prefix="home-") as place:
        yield place


def tree(home):
    """Everything of the project and of where it is delivered; git's index aside, which `git status` itself writes, and what Python compiles."""
    found = box.facts(f"{home}/demo")
    # A directory's own time changes with each file that is renamed into it.
    return {p: f for p, f in found.items() if not p.endswith("/.git/index") and "/__pycache__/" not in p and not os.path.isdir(p)}


class Watcher:
    """Looks at the trees at the moments the story speaks of."""

    def __init__(self, home):
        self.home, self.trees, self.commands = home, {}, []

    def after(self, command, status):
        self.commands.append((command.split("\n")[0], status))
        moments = (("git log", "start"), ("aisbx try", "tried"), ("aisbx file write", "fixed"), ("aisbx pipeline run quick", "stopped"),
                   ("aisbx rm", "end"), ("PORT=", "asked"), ("aisbx promote", "installed"))
        for words, moment in moments:
            if command.startswith(words) and moment not in self.trees:
                self.trees[moment] = tree(self.home)

    def differ(self, one, other):
        return [p[len(self.home) + 6:] for p in box.changed(self.trees[one], self.trees[other])]


@pytest.mark.big
def test_the_story_is_told_as_it_goes(home):
    page = tutorial.PAGE.read_text(encoding="utf-8")
    watch = Watcher(home)
    shell = tutorial.Shell(box.aisbx(), home)
    now = tutorial.tell(page, watch.after, shell=shell)
    shell.end()
    told, said = tutorial.plain(page).splitlines(), tutorial.plain(now).splitlines()
    assert told == said, "docs/tutorial.md differs; tools/tutorial writes it:\n" + "\n".join(difflib.unified_diff(told, said, lineterm="", n=1))
    statuses = [status for command, status in watch.commands if command.startswith("aisbx pipeline run")]
    assert statuses == [3, 1]
    assert [(command, status) for command, status in watch.commands if status and not command.startswith("aisbx pipeline run")] == []
    assert watch.differ("start", "tried") == []
    assert watch.differ("start", "fixed") == ["production/dates.py", "shop/dates.py", "staging/dates.py"]
    assert watch.differ("fixed", "stopped") == ["shop/dates.py"]  # what had passed stays; staging was put back
    assert watch.differ("start", "end") == []
    installed = watch.differ("asked", "installed")
    assert "shop/vendor/USE" in installed and "shop/vendor/dateparse-2.2/dateparse.py" in installed
    assert all(path.startswith("shop/vendor/") or path == "index/pid" for path in installed)
    assert watch.trees["start"]


def test_a_page_that_tells_something_else_is_noticed(home):
    """The control: what may differ is times, sizes and names; nothing else."""
    shell = tutorial.Shell(box.aisbx(), home)
    text = "```console\n$ echo one; echo took 5 ms\none\ntook 7 ms\n$ (exit 3)\n$ echo $?\n3\n```\n"
    now = tutorial.tell(text, shell=shell)
    assert now == text.replace("7 ms", "5 ms") and tutorial.plain(now) == tutorial.plain(text)
    wrong = text.replace("\none", "\ntwo")
    assert tutorial.plain(tutorial.tell(wrong, shell=shell)) != tutorial.plain(wrong)
    shell.end()
    a, b = "box x-00112233445566aa\n", "box x-ffeeddccbbaa9988\n"
    assert tutorial.plain(a) == tutorial.plain(b) and tutorial.plain(a + a) != tutorial.plain(a + b)
    row = "   1  patch   winner    3/3  583 ms  77 ms  8.7 MiB  ~1        355.61"
    assert tutorial.plain(row) == " 1 patch winner 3/3 TIME TIME SIZE ~1 SCORE" == tutorial.plain(row.replace("355.61", " 1020"))
