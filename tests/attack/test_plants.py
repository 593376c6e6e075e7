# SPDX-License-Identifier: Apache-2.0
"""Attacks 133, 138, 144 and 161: files that the person's own tools obey unasked, by every way out of a box, under every name; and names
that look like others on a terminal. Each control shows that the same thing works once a person has said yes, or nobody looks."""
import json
import os
import pty
import re
import subprocess
import unicodedata

import pytest

import box
from promote import Shelf, assert_same, path_of, tree

HOOK = "#!/bin/sh\ntouch owned\n"
# What is planted, and a spelling of it that some file system takes for the same.
PLANTS = [".git/hooks/pre-commit", ".GIT/hooks/post-checkout", "sub/.git/config", ".vscode/tasks.json", ".VSCODE/settings.json",
          ".vs\u200bcode/tasks.json", ".vscode. /tasks.json", ".v\u017fcode/tasks.json", "eslint.config.js", "sub/conftest.py", ".envrc", "HEAD"]


@pytest.fixture(params=box.PROFILES)
def lab(request, tmp_path):
    made = Shelf(tmp_path)
    made.ok("create", "b", "--profile", request.param)
    return made


def git(*words, cwd):
    return subprocess.run(["git", "-c", "user.name=x", "-c", "user.email=x@localhost", *words], cwd=cwd, check=False, capture_output=True,
                          env={**os.environ, "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1"})


# 133: other ways out than promotion.

WRITER = """
import os
for name in {names!r}:
    os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
    with open(name, "w") as f:
        f.write({text!r})
    os.chmod(name, 0o755)
"""


def run_code(place, *words, names=PLANTS, out="."):
    done = subprocess.run([box.aisbx(), "run-code", "--json", "--lang", "python", "--policy", "none", "--out", out, *words, "--code",
                           WRITER.format(names=[*names, "report.txt"], text=HOOK)], cwd=place, capture_output=True, check=False)
    result = json.loads(done.stdout)
    assert done.returncode == 0, result
    return {f["path"]: f["error"] for f in result["files"]}


def test_133_run_code_plants_nothing(tmp_path):
    git("init", "-q", cwd=tmp_path)
    before = tree(tmp_path / ".git")
    errors = run_code(tmp_path)
    assert errors.pop("report.txt") is None and set(errors) == set(PLANTS)
    assert all("--yes" in error for error in errors.values()), errors
    assert {p.name for p in tmp_path.rglob("*") if p.is_file() and ".git" not in p.parts} == {"report.txt"}
    assert_same(before, tree(tmp_path / ".git"), "the repository")
    git("commit", "-q", "--allow-empty", "-m", "x", cwd=tmp_path)
    assert not (tmp_path / "owned").exists()
    # Control: a person said yes, and git runs it.
    (tmp_path / "report.txt").unlink()
    assert run_code(tmp_path, "--yes")[".git/hooks/pre-commit"] is None
    git("commit", "-q", "--allow-empty", "-m", "x", cwd=tmp_path)
    assert (tmp_path / "owned").exists()


def test_133_run_code_into_a_git_directory(tmp_path):
    """A name that is harmless elsewhere, in a directory that git looks into; a bare repository is one, too, and so is a link to it."""
    git("init", "-q", "one", cwd=tmp_path)
    git("init", "-q", "--bare", "two", cwd=tmp_path)
    (tmp_path / "link").symlink_to("one/.git/hooks")
    for out in ("one/.git/hooks", "two/hooks", "link"):
        assert "--yes" in run_code(tmp_path, names=["pre-commit"], out=out)["pre-commit"], out
        assert not (tmp_path / out / "pre-commit").exists()
    # Control: beside it nobody minds.
    assert run_code(tmp_path, names=["pre-commit"], out="three") == {"pre-commit": None, "report.txt": None}


@pytest.mark.parametrize("name", ["HEAD", ".vscode/tasks.json", "a/.git/config", "package.json"])
def test_133_artifacts_plant_nothing(lab, name):
    text = '{"scripts": {"postinstall": "touch owned"}}' if name == "package.json" else HOOK
    lab.py("b", WRITER.format(names=["d/" + name, "d/report.txt"], text=text))
    lab.sh("b", "ln -s ../../.git/hooks d/leaves")
    lab.ok("artifact save", "b", "d", "--name", "d")
    lab.ok("artifact save", "b", "d/report.txt", "--name", "f")
    status, result = lab.call("artifact get", "d", "--to", "out")
    assert status == 125 and "nothing was written" in result["error"]["text"] and "--yes" in result["error"]["text"], result
    status, result = lab.call("artifact get", "f", "--to", ".envrc")
    assert status == 125 and ".envrc" in result["error"]["text"], result
    assert not os.listdir(lab.project)
    # Control: said yes; and what is no trap needs no word.
    lab.ok("artifact get", "d", "--to", "out", "--yes")
    assert (lab.project / "out" / name).read_text() == text
    lab.ok("artifact get", "f", "--to", "report.txt")


# 138: configuration that is code.

CODE = ["eslint.config.js", "eslint.config.mjs", ".eslintrc.cjs", ".prettierrc.js", ".prettierrc.mjs", "prettier.config.cjs", "build.gradle",
        "build.gradle.kts", "settings.gradle", "sub/vite.config.ts", "jest.config.js", "postcss.config.cjs", "tailwind.config.js",
        "conftest.py", "noxfile.py", ".pylintrc", "setup.cfg", "mypy.ini", "CMakeLists.txt", "Gemfile", "mix.exs", ".formatter.exs",
        ".rubocop.yml", ".php-cs-fixer.php", "build.rs", "Package.swift", ".luacheckrc", "pom.xml", "x.csproj", "ansible.cfg"]
PROJECTS = {  # of these the content decides
    "pyproject.toml": ("[project]\nname = 'x'\ndependencies = [\n 'a>=1', # why\n]\n[tool.ruff]\nline-length = 100\n",
                       "[project]\nname = 'x'\n[build-system]\nrequires = []\nbuild-backend = 'evil'\nbackend-path = ['.']\n"),
    "Cargo.toml": ("[package]\nname = 'x'\nversion = '1.0.0'\n[dependencies]\nserde = { version = '1', features = ['derive'] }\n",
                   "[package]\nname = 'x'\nbuild = 'evil.rs'\n"),
    "package.json": ('{"name": "x", "scripts": {"test": "t"}, "dependencies": {"left-pad": "^1.3.0"}}',
                     '{"name": "x", "prettier": "./evil.js"}'),
    "tsconfig.json": ('{ // strict\n "extends": "./tsconfig.base.json", "compilerOptions": {"strict": true,}, }',
                      '{"compilerOptions": {"plugins": [{"name": "evil"}]}}'),
    "composer.json": ('{"name": "x/x", "require": {"php": "^8"}}', '{"scripts": {"post-install-cmd": "evil"}}'),
}


def test_138_configuration_that_is_code(lab):
    lab.py("b", WRITER.format(names=[*CODE, "src/main.c", "README.md", "Makefile"], text="touch owned\n"))
    found = {path_of(t).decode() for t in lab.stopped("b")["traps"]}
    assert found == set(CODE), found ^ set(CODE)
    # Control: said yes.
    lab.promoted("b", "--yes")


def test_138_the_content_decides(lab):
    for at, want in ((0, set()), (1, set(PROJECTS))):
        for name, texts in PROJECTS.items():
            lab.py("b", f"open({name!r}, 'w').write({texts[at]!r})")
        if want:
            assert {path_of(t).decode() for t in lab.stopped("b")["traps"]} == want
        else:  # control: the same files without anything that runs
            assert lab.promoted("b")["traps"] == []


def test_138_what_cannot_be_read_is_a_trap(lab):
    odd = {"pyproject.toml": "[project\n", "package.json": "{'scripts': {}}", "Cargo.toml": "x = '''\n", "tsconfig.json": "{plugins: []}"}
    for name, text in odd.items():
        lab.py("b", f"open({name!r}, 'w').write({text!r})")
    assert {path_of(t).decode() for t in lab.stopped("b")["traps"]} == set(odd)


# 161: links.

def test_161_a_link_to_the_hooks(lab):
    git("init", "-q", cwd=lab.project)
    lab.sh("b", "mkdir docs; ln -s ../.git/hooks docs/tools; ln -s docs other; ln -s other/tools/pre-commit far; ln -s docs/.. up; "
                "ln -s .vscode editor; echo x > docs/page; ln -s docs/page fine; ln -s loop2 loop; ln -s loop loop2")
    found = {path_of(t).decode(): t["kind"] for t in lab.stopped("b")["traps"]}
    assert found == dict.fromkeys(["docs/tools", "far", "editor", "loop", "loop2"], "symlink"), found
    # Control: with a yes it is there, and who writes through it plants a hook.
    lab.promoted("b", "--yes")
    (lab.project / "docs/tools/pre-commit").write_text(HOOK)
    (lab.project / "docs/tools/pre-commit").chmod(0o755)
    git("commit", "-q", "--allow-empty", "-m", "x", cwd=lab.project)
    assert (lab.project / "owned").exists()


def test_161_a_link_that_was_there(lab):
    """The person's own link gives an ordinary file the name that a tool looks for."""
    (lab.project / "tooling").mkdir()
    (lab.project / "tooling/tasks.json").write_text("{}\n")
    (lab.project / "tooling/page").write_text("x\n")
    (lab.project / ".vscode").symlink_to("tooling")
    lab.sh("b", "echo '{\"evil\": 1}' > tooling/tasks.json; mkdir other; echo x > other/tasks.json")
    assert {path_of(t): t["kind"] for t in lab.stopped("b")["traps"]} == {b"tooling/tasks.json": "symlink"}
    # Control: without the link nobody minds.
    (lab.project / ".vscode").unlink()
    assert lab.promoted("b")["traps"] == []


# 144: names on a terminal.

UNSEEN = ["\u200b", "\u2028", "\u00ad", "\U000e0041", "\u202e", "\ufeff", "\u00a0", "\u3164", "\u2060", "\ufe0f"]


def on_a_terminal(lab, *words):
    master, slave = pty.openpty()
    with subprocess.Popen([box.aisbx(), *words], cwd=lab.project, env=lab.env, stdin=subprocess.DEVNULL, stdout=slave, stderr=slave) as process:
        os.close(slave)
        shown = b""
        try:
            while chunk := os.read(master, 65536):
                shown += chunk
        except OSError:  # EIO: the other end is closed
            pass
        os.close(master)
        process.wait(60)
    return shown.decode()


def test_144_characters_that_nobody_sees(lab):
    names = [f"na{c}me{i}" for i, c in enumerate(UNSEEN)]
    hidden = re.compile("[" + "".join(UNSEEN) + "]")
    lab.py("b", f"import os\nfor n in {names!r}:\n    open(n, 'w').close()\n    os.makedirs(n + '.d/.vscode'); open(n + '.d/.vscode/x', 'w').close()")
    commands = [("diff", "b"), ("diff", "--stat", "b"), ("promote", "b", "--dry-run"), ("promote", "b"), ("file", "ls", "b"),
                ("promote", "b", "--yes")]
    shown = {words: on_a_terminal(lab, *words) for words in commands}
    for name in names:
        (lab.project / name).write_text("mine\n")
    shown["undo"] = on_a_terminal(lab, "undo")
    for words, text in shown.items():
        assert not hidden.search(text), (words, text)
        assert "\\u200b" in text and "\\U000e0041" in text and "\\u2028" in text, (words, text)
    # Control: the names are really such, and whoever reads the result as data gets them as they are.
    status, result = lab.call("diff", "b")
    assert status == 0 and sorted(os.listdir(lab.project))[:1] and any(hidden.search(n) for n in os.listdir(lab.project)), result


# Default_Ignorable_Code_Point of Unicode's DerivedCoreProperties.txt, which Python does not tell; it is promised not to shrink.
IGNORABLE = [(0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F), (0x200B, 0x200F),
             (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8),
             (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF)]


def unseen_by_class():
    """Every character that a name can hold and that is a control, of layout too, a separator of lines, or ignored by who draws it."""
    found = {chr(c) for c in range(1, 0x110000) if unicodedata.category(chr(c)) in ("Cc", "Cf", "Zl", "Zp")}
    found |= {chr(c) for first, last in IGNORABLE for c in range(first, last + 1)}
    return sorted(found - {"/"})


def test_144_by_class(lab):
    """Not four examples: all of them, in names of files, targets of links, errors and what a tool says."""
    chars = unseen_by_class()
    assert len(chars) > 4000 and {*UNSEEN, "\x1b", "\x9b"} - {"\u00a0"} <= set(chars)
    names = ["".join(chars[i:i + 50]) for i in range(0, len(chars), 50)]
    lab.py("b", "import os, sys, unicodedata\n"
                f"chars = eval({ascii(repr(chars))})\n"
                "for i in range(0, len(chars), 50):\n    open('n' + ''.join(chars[i:i + 50]), 'w').close()\n")
    hidden = re.compile("[" + "".join(re.escape(c) for c in chars if c not in "\r\n\x1b") + "]")
    for words in (("diff", "b"), ("promote", "b", "--dry-run"), ("file", "ls", "b"), ("file", "read", "b", "no" + names[40])):
        shown = on_a_terminal(lab, *words)
        shown = re.sub(r"\x1b\[[0-9;]*m", "", shown)  # colours are ours
        assert not hidden.search(shown) and "\x1b" not in shown, (words, ascii(hidden.search(shown)), ascii(shown[:2000]))
        assert "\\U000e0" in shown, words
    # Control: whoever reads data gets them all.
    _, result = lab.call("diff", "b")
    assert set("".join(c["path"] for c in result["changes"])) >= set(chars)


def test_144_marks_do_not_pile_up(lab):
    """Of each character that is drawn over the one before: some are a language's, hundreds hide the lines around them."""
    marks = [chr(c) for c in range(0x110000) if unicodedata.category(chr(c)) in ("Mn", "Me")]
    lab.py("b", f"marks = eval({ascii(repr(marks))})\nopen('a' + chr(0x301) * 60, 'w').close()\n"
                "for i in range(0, len(marks), 50):\n    open('m' + ''.join(marks[i:i + 50]), 'w').close()\n")
    shown = on_a_terminal(lab, "diff", "b")
    pile = re.compile("[" + "".join(marks) + "]{5,}")
    assert not pile.search(shown), ascii(pile.search(shown))
    assert "a" + "\u0301" * 4 + "\\u0301" in shown, "four are shown as they are"
    # Control: the names have them.
    assert pile.search("".join(c["path"] for c in lab.call("diff", "b")[1]["changes"]))
