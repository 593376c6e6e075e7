# SPDX-License-Identifier: Apache-2.0
"""Completion: what the program offers at each place, and the Tab key in each shell on a real screen."""
import os
import pathlib
import subprocess

import pytest

import box
from screen import Screen

SHELLS = {
    "bash": (("/bin/bash", "--noprofile", "--norc"), 'eval "$(aisbx completion bash)"'),
    "zsh": (("/usr/bin/zsh", "-f"), 'autoload -U compinit; compinit -D; eval "$(aisbx completion zsh)"'),
    "fish": (("/usr/bin/fish", "--no-config", "-C", "function fish_prompt; echo '> '; end"), "aisbx completion fish | source"),
}


def offered(*words, cwd="/"):
    """What kind of thing may stand in the place of the last of WORDS, and what is offered."""
    done = subprocess.run([box.aisbx(), "__complete", *words], cwd=cwd, timeout=60, capture_output=True, text=True, check=True)
    kind, *lines = done.stdout.splitlines()
    assert done.stderr == ""
    return kind, [line.split("\t")[0] for line in lines]


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    place = tmp_path_factory.mktemp("project")
    (place / "notes.txt").write_text("x\n")
    (place / "sub").mkdir()
    subprocess.run([box.aisbx(), "create", "alpha-box"], cwd=place, check=True, timeout=60, capture_output=True)
    subprocess.run([box.aisbx(), "snap", "alpha-box", "before"], cwd=place, check=True, timeout=60, capture_output=True)
    subprocess.run([box.aisbx(), "template", "save", "alpha-box", "alpha-template"], cwd=place, check=True, timeout=60, capture_output=True)
    (place / "sub" / "etc").mkdir()
    subprocess.run(["tar", "-cf", "alpha-image.tar", "-C", "sub", "."], cwd=place, check=True, timeout=60)
    subprocess.run([box.aisbx(), "image", "import", "alpha-image.tar"], cwd=place, check=True, timeout=60, capture_output=True)
    return place


@pytest.mark.parametrize("words, kind, some", [
    (["dif"], "words", ["diff"]),
    ([""], "words", ["run", "profile", "help"]),
    (["profile", "e"], "words", ["explain"]),
    (["help", "prom"], "words", ["promote"]),
    (["run", "--prof"], "words", ["--profile"]),
    (["run", "--profile", "s"], "words", ["strict", "shell"]),
    (["run", "--profile=stri"], "words", ["--profile=strict"]),
    (["run", "-p", "stri"], "words", ["strict"]),
    (["diff", "alp"], "words", ["alpha-box"]),
    (["run", "-b", "alp"], "words", ["alpha-box"]),
    (["run", "-qb", "alp"], "words", ["alpha-box"]),
    (["rm", "other", "alp"], "words", ["alpha-box"]),
    (["diff", "alpha-box@b"], "words", ["alpha-box@before"]),
    (["run-code", "--lang", "py"], "words", ["python"]),
    (["completion", "f"], "words", ["fish"]),
    (["run", "--jso"], "words", ["--json"]),
    (["run", "--project", ""], "directories", []),
    (["run", "--ro", ""], "files", []),
    (["run", "ma"], "command", ["2"]),
    (["run", "-q", "--", "make", "te"], "command", ["4"]),
    (["do", ""], "words", ["test"]),
    (["image", "p"], "words", ["pull", "pack", "push"]),
    (["image", "show", "alp"], "words", ["alpha-image"]),
    (["run", "--image", "alp"], "words", ["alpha-image"]),
    (["run", "--image=alp"], "words", ["--image=alpha-image"]),
    (["create", "--from", ""], "words", ["host", "alpha-image", "alpha-template", "alpha-box"]),
    (["create", "--from", "alpha-box@b"], "words", ["alpha-box@before"]),
    (["template", "rm", "alp"], "words", ["alpha-template"]),
    (["image", "import", ""], "files", []),
    (["image", "save", "alpha-image", ""], "files", []),
    (["init", "--rootfs", ""], "files", []),
])
def test_each_place_has_its_own(project, words, kind, some):
    found = offered(*words, cwd=project)
    assert found[0] == kind
    assert set(some) <= set(found[1]), found
    if kind == "words":
        assert all(c.startswith(words[-1]) for c in found[1])


@pytest.mark.parametrize("words", [["nothing", "here", ""], ["run", "--nothing", ""], ["diff", "no-box@"], ["diff", "@"], ["--", ""], ["", ""], ["run", "-", "", ""],
                                   ["profile", "nothing", "x"], ["run", "--", ""], ["a" * 5000, "b"], ["diff", "\x1b[2J\n"]])
def test_nonsense_is_met_with_silence(words):
    """No message and no failure: whoever presses a key wants no text in the line."""
    assert offered(*words)[0] in ("words", "command", "files")


def test_names_from_a_box_cannot_draw_on_the_screen(project):
    done = subprocess.run([box.aisbx(), "__complete", "run", "--profile", ""], cwd=project, timeout=60, capture_output=True, check=True)
    assert b"\x1b" not in done.stdout


def at_prompt(lines):
    """A key completes nothing in what is typed before the prompt is there."""
    assert lines[-1].strip() == ">"


@pytest.mark.parametrize("shell", SHELLS)
def test_tab_in_the_shell(project, shell, tmp_path):
    words, setup = SHELLS[shell]
    home = tmp_path / "home"
    home.mkdir()
    screen = Screen(project, 80, 24, {"PATH": f"{os.path.dirname(box.aisbx())}:{os.environ['PATH']}", "HOME": str(home), "PROMPT": "> "}, words)
    try:
        screen.type(f"{setup}; echo re''ady")
        screen.wait("\nready\n")
        screen.until(at_prompt)
        for typed, wanted in (("aisbx profile exp", "aisbx profile explain"), ("aisbx diff alph", "aisbx diff alpha-box"),
                              ("aisbx diff alpha-box@be", "aisbx diff alpha-box@before"), ("aisbx run --project su", "aisbx run --project sub"),
                              ("aisbx run --ro not", "aisbx run --ro notes.txt"), ("aisbx run --profile stri", "aisbx run --profile strict")):
            screen.keys("-l", typed)
            screen.keys("Tab")
            screen.wait(wanted)
            screen.keys("C-c")
            screen.until(at_prompt)
    finally:
        screen.end()


def test_installed_scripts_are_those_that_the_program_prints():
    folder = pathlib.Path(__file__).resolve().parents[2] / "completions"
    for shell in SHELLS:
        done = subprocess.run([box.aisbx(), "completion", shell], capture_output=True, check=True, timeout=60)
        assert done.stdout == (folder / f"aisbx.{shell}").read_bytes()
