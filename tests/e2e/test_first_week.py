# SPDX-License-Identifier: Apache-2.0
"""The first week of a person with aisbx: four small projects, a terminal of 80 columns, and what its screen shows after each step.

Runs as root and as an ordinary user, without a network.
"""
import os
import pathlib
import shutil

import box
from diary import ASKED, BOX, WORDS, Person, Press, Step

# Python: the first day, and a virtual environment.
PYTHON = {
    "slug.py": "def slug(text):\n    return text.lower().replace(' ', '-')\n",
    "test_slug.py": "import unittest\n\nfrom slug import slug\n\n\nclass Slug(unittest.TestCase):\n    def test_slug(self):\n"
                    "        self.assertEqual(slug('a  b'), 'a-b')\n",
    "pyproject.toml": "[project]\nname = 'slug'\nversion = '1'\n",
    ".gitignore": "__pycache__/\n",
}
PYTHON_WEEK = [
    # Monday: look around, work in a shell, bring one change back, and think better of it.
    Step("aisbx doctor", (r"^  ok +box +'aisbx run -- true' worked", r"^aisbx run will start: full walls$"), ("missing",)),
    Step("aisbx run -- python3 -m unittest -q", (r"AssertionError: 'a--b' != 'a-b'", r"^FAILED")),
    Step("aisbx run -- 'ls | head'", (r"aisbx run -- sh -c 'ls \| head'",)),
    Step("aisbx shel", (r"did you mean 'shell'\?",)),
    Step("aisbx shell", (rf"^aisbx: made box '{WORDS}', a clone of /tmp/week-\w+/shop$", rf"^\[{WORDS}\] "), ends=BOX),
    Step("touch new; sed -i s/low/upp/ slug.py", ends=BOX),
    Step("exit", (rf"^box {WORDS}: 1 created, 1 modified; next: aisbx diff, aisbx promote$",)),
    Step("aisbx diff", (rf"^aisbx: in box {WORDS}$", r"^\+ file +new$", r"^~ file +slug\.py$", r"^1 created, 1 modified$")),
    Step("aisbx promote --review", (r"^2 changes to review; \? explains", r"^\(1/2\) created file new$"), ends=ASKED),
    Step(Press("n", "Enter"), (r"^\(2/2\) modified file slug\.py$", r"^\+    return text.upper"), ends=ASKED),
    Step(Press("d", "Enter"), (r"slug\.py$",), ends=ASKED),
    Step(Press("y", "Enter"), (r"1 modified", "aisbx undo")),
    Step("git status --short", (r"^ M slug\.py$",), ("new",)),
    Step("aisbx undo", (r"^undid p-",)),
    Step("git status --short; echo clean", (r"^clean$",), ("slug.py",)),
    # Tuesday: Python is that of the environment, and what a box has at home stays there.
    Step("source ~/venv/bin/activate", ends=r"^\(venv\) shop> $"),
    Step("aisbx run -- python -c 'import sys; print(sys.prefix)'", (r"/venv$",), ends=r"^\(venv\) shop> $"),
    Step("deactivate; aisbx run -- sh -c 'echo kept > ~/note'"),
    Step("aisbx run -- sh -c 'cat ~/note'", (r"^kept$",)),
    Step("cat ~/note", (r"No such file",)),
]

# Node: caches, commands of the project, several ideas at once.
NODE = {
    "package.json": '{"name": "cart", "version": "1.0.0", "scripts": {"test": "node --test"}}\n',
    "cart.js": "exports.total = (items) => items.reduce((sum, item) => sum + item.price, 1);\n",
    "cart.test.js": "const test = require('node:test');\nconst assert = require('node:assert');\n"
                    "test('total', () => assert.equal(require('./cart').total([{ price: 2 }]), 2));\n",
    "zero.sh": "sed -i 's/, 1)/, 0)/' cart.js\n",
    "drop.sh": "sed -i 's/, 1)/)/' cart.js\n",
    "less.sh": "sed -i 's/sum + item/sum - item/' cart.js\n",
    "docs/notes.md": "notes\n",
    ".npmrc": "update-notifier=false\n",
}
NODE_WEEK = [
    # Tuesday: the project's own command, from anywhere in it.
    Step("aisbx do test", (r"^aisbx: test by npm run test, from package.json; 0 passed, 1 failed",)),
    Step("cd docs"),
    Step("aisbx do test", (r"^aisbx: test by npm run test, from package.json; 0 passed, 1 failed",)),
    Step("aisbx run -- git status --short; cd ..", (), ("fatal",)),
    # Wednesday: three ideas; the best one wins, then by hand.
    Step("aisbx try --test 'npm test' -- 'sh zero.sh' -- 'sh drop.sh' -- 'sh less.sh'", (r"^ +1 +1 +winner +1/1", rf"^1 wins; it is in the box {WORDS}-1$", rf"^  aisbx promote {WORDS}-1 ")),
    Step("aisbx ls", (r"^NAME +PROFILE", rf"^{WORDS}-1 ")),
    Step("aisbx create base --use", (r"^base$",)),
    Step("aisbx snap before", (r"before",)),
    Step("aisbx run -- sh zero.sh", (r"^aisbx: in box base$",)),
    Step("aisbx fork base --count 2", (r"^base-2$", r"^base-3$")),
    Step("aisbx tree", (r"before", "base-2", "base-3")),
    Step("aisbx rollback base before", (r"before",)),
    Step("aisbx diff", (r"^no changes$",)),
    Step("aisbx diff base-2", (r"^~ file +cart\.js$",)),
    Step("aisbx promote base-2", (r"1 modified",)),
]

# Go: its cache, limits, runs in the background.
GO = {
    "go.mod": "module example.org/sum\n\ngo 1.19\n",
    "sum.go": "package sum\n\nfunc Sum(a, b int) int { return a + b }\n",  # imports nothing: Go's own library takes most of a minute
}
EAT = "x=bytearray(300<<20)"
GO_WEEK = [
    # Tuesday: what was compiled outside is not compiled again; -v would name it.
    Step("aisbx run -- go build -v . && echo built", (r"^built$",), (r"^example\.org/sum", "refused")),
    # Thursday: limits that speak, and work that goes on in the background.
    Step(f"aisbx run --mem 64M -- python3 -c '{EAT}'", (r"--mem",)),
    Step("aisbx run --pids 8 -- sh -c 'while sleep 9& do :; done'", (r"--pids",)),
    Step("aisbx run -d -t --name work -- bash", (r"work",)),
    Step("aisbx ps", (r"work",)),
    Step("aisbx attach work", (), ends=r"[$#>] $"),
    Step("echo $((6*7))", (r"^42$",), ends=r"[$#] $"),
    Step(Press("C-p", "C-q"), (r"^aisbx: left run work, which goes on; 'aisbx attach work' returns to it$",)),
    Step("aisbx stats", (r"^RUN .*CPU%", r"^work +running", "[KM]iB"), (r"r-[0-9a-f]{8}",)),
    Step("aisbx logs work", (r"42",), ends="shop> $"),
    Step("aisbx kill work", ()),
    Step("aisbx ps", (r"no live runs|no runs",)),
    Step("aisbx history", (r"^RUN +STATUS", r" ok +.* go build -v \.$", r" limit +.* python3")),
]

# C: secrets in the project, what happened, the end of the week.
C = {
    "Makefile": "test: hello\n\t./hello\nhello: hello.c\n\t$(CC) -o $@ $<\n",
    "hello.c": '#include <stdio.h>\nint main(void) { puts("hello, week"); return 0; }\n',
    ".gitignore": "hello\n.env\n",
    ".env": "API_TOKEN=k7Jq2Zp9Xw4Lr8Tn3Vb6\n",
}
C_WEEK = [
    Step("aisbx run -- make test", (r"^hello, week$",)),
    Step("ls", (), (r"hello\b(?!\.c)",)),
    # Friday: what not to show anybody, what there was, and tidying up.
    Step("aisbx create fri --use", (r"\.env", r"^fri$")),
    Step("aisbx run -- cat .env", (r"API_TOKEN=",), ("k7Jq2Zp9",)),
    Step("aisbx do test", (r"^hello, week$",)),
    Step("aisbx history --grep week", (r"make",)),
    Step("aisbx config explain", ()),
    Step("source <(aisbx completion bash)"),
    Step(Press("aisbx sho", "Tab", "f", "Tab", "Enter"), (r"^aisbx show fri $|^aisbx show fri$", r"fri")),
    Step("aisbx rm --all", (r"^1 box of .*:$", r"^  fri +no changes$"), ends=r"\[y/N\] $"),
    Step(Press("y", "Enter")),
    Step("aisbx ls", (r"^aisbx: no boxes",)),
    Step("aisbx diff", (r"no current box|was removed",)),
]


def test_python():
    with Person(PYTHON, before="python3 -m venv --without-pip ~/venv") as me:
        me.play(PYTHON_WEEK)


def test_node():
    with Person(NODE) as me:
        me.play(NODE_WEEK)


def test_go():
    where = shutil.which("go") or box.need("/usr/local/go/bin/go")
    with Person(GO, path=[os.path.dirname(where)], before="go build .") as me:
        me.play(GO_WEEK)


def test_c():
    with Person(C) as me:
        me.play(C_WEEK)


# README: what its first four examples say, in its order; the fifth needs an agent.
README_PROJECT = {
    "Makefile": "test:\n\tgrep -q 2 answer && echo fine\n",
    "answer": "1\n",
    "a.patch": "--- a/answer\n+++ b/answer\n@@ -1 +1 @@\n-1\n+2\n",
    "b.patch": "--- a/answer\n+++ b/answer\n@@ -1 +1 @@\n-1\n+3\n",
}
README = {
    "aisbx run -- make test": [Step("", (r"make: \*\*\* .*Error 1",))],
    "aisbx run --net python-packages -- pip install requests": [],  # needs a network
    "aisbx shell": [Step("", (rf"^\[{WORDS}\] ",), ends=BOX), Step("echo 2 > answer; make test", (r"^fine$",), ends=BOX),
                    Step("exit", (r": 1 modified; next: aisbx diff, aisbx promote$",))],
    "aisbx diff": [Step("", (r"^~ file +answer$",))],
    "aisbx promote --review": [Step("", (r"^\(1/1\) modified file answer$",), ends=ASKED), Step(Press("y", "Enter"), ("'aisbx undo' undoes",)),
                               Step("aisbx undo", (r"^undid p-",))],
    "aisbx try --test 'make test' -- 'git apply a.patch' -- 'git apply b.patch' -- 'git revert --no-edit HEAD'": [Step("", (r"^1 wins; ",))],
    "aisbx snap good": [Step("", (r"^good$",))],
    "aisbx rollback BOX good": [Step("", ())],
    "aisbx fork BOX --count 3": [Step("", (rf"^{WORDS}-2$", rf"^{WORDS}-4$"))],
    "aisbx tree": [Step("", (r"good \(snapshot", rf"{WORDS}-4 \(box"))],
}


def test_readme():
    page = (pathlib.Path(__file__).resolve().parents[2] / "README.md").read_text(encoding="utf-8")
    examples = page.split("**1. ")[1].split("**5. ")[0]
    said = [line.strip().split("  ")[0] for line in examples.splitlines() if line.startswith("    aisbx ")]
    assert said == list(README)
    with Person(README_PROJECT) as me:
        for command in said:
            steps = [step if step.typed else step._replace(typed=command) for step in README[command]]
            if "BOX" in command:
                name = me.sh("aisbx use").stdout.strip()
                steps = [step._replace(typed=command.replace("BOX", name)) for step in steps]
            me.play(steps, wide=len(command) > 70)
