# SPDX-License-Identifier: Apache-2.0
"""Contexts of Python in a project whose .venv has ipykernel: a real kernel, in the box, runs the programs.

The packages are in $AISBX_TEST_CACHE, put there by tests/jupyter/prepare.
"""
import base64
import json
import os
import pathlib
import shutil
import subprocess

import pytest

import box

CACHE = pathlib.Path(os.environ.get("AISBX_TEST_CACHE", "/nowhere"))
PNG = b"\x89PNG\r\n\x1a\nfake"


class Notebook:
    def __init__(self, root):
        self.project = root / "project"
        self.env = {**os.environ, "XDG_STATE_HOME": str(root / "state")}
        subprocess.run(["/usr/bin/python3", "-m", "venv", "--without-pip", self.project / ".venv"], check=True)
        place = next((self.project / ".venv/lib").glob("python*/site-packages"))
        shutil.copytree(CACHE / "jupyter", place, dirs_exist_ok=True)
        assert self.aisbx("create", "b").returncode == 0

    def aisbx(self, *words):
        return subprocess.run([box.aisbx(), *words], cwd=self.project, env=self.env, stdin=subprocess.DEVNULL, timeout=120,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)

    def cell(self, code, *options, name="main"):
        done = self.aisbx("run-code", "--lang", "python", "--box", "b", "--context", name, "--json", "--policy", "none", "--code", code, *options)
        assert done.stdout, done.stderr
        return json.loads(done.stdout)

    def contexts(self):
        return [c["context"] for c in json.loads(self.aisbx("contexts", "--json", "b").stdout)["contexts"]]


@pytest.fixture(name="notebook", scope="module")
def _notebook(tmp_path_factory):
    box.need(CACHE / "jupyter", "the kernel of Jupyter")
    notebook = Notebook(tmp_path_factory.mktemp("notebook"))
    yield notebook
    assert notebook.aisbx("rm", "b").returncode == 0


def test_it_remembers_and_says_what_it_is(notebook):
    first = notebook.cell("x = 6\nprint('said')")
    assert (first["status"], first["engine"], first["stdout"], first["results"]) == ("ok", "ipykernel", "said\n", [])
    second = notebook.cell("x * 7")
    assert (second["text"], second["results"]) == ("42", [{"text": "42", "is_main_result": True}])
    other = notebook.cell("x", name="other")
    assert other["exception"]["name"] == "NameError", "contexts know nothing of each other"
    assert notebook.contexts() == ["main", "other"]
    assert json.loads(notebook.aisbx("contexts", "--json", "--end", "other", "b").stdout)["ended"] == 1
    assert notebook.contexts() == ["main"]
    shell = notebook.aisbx("run-code", "--lang", "shell", "--box", "b", "--context", "main", "--json", "--code", "true")
    assert json.loads(shell.stdout)["engine"] == "plain"


SHOWS = f"""
from IPython.display import display, HTML, clear_output
class Frame:
    def __repr__(self): return '   a\\n0  1'
    def _repr_html_(self): return '<table><td>1</td></table>'
    def _repr_latex_(self): return '$1$'
class Chart:
    def _repr_mimebundle_(self, include=None, exclude=None):
        return {{'application/vnd.plotly.v1+json': {{'data': [{{'y': [1, 2]}}], 'layout': {{}}}}, 'text/html': '<div>'}}
class Figure:
    def _repr_png_(self): return {PNG!r}
    def _repr_svg_(self): return '<svg/>'
    def _repr_json_(self): return {{'a': 1}}
    def __repr__(self): return 'figure'
"""


def test_rich_results(notebook):
    notebook.cell(SHOWS)
    assert notebook.cell("Frame()")["results"] == [
        {"text": "   a\n0  1", "html": "<table><td>1</td></table>", "latex": "$1$", "is_main_result": True}]
    figure, chart, main = notebook.cell("display(Figure())\ndisplay(Chart())\nlen('abc')")["results"]
    assert base64.b64decode(figure["png"]) == PNG and (figure["svg"], figure["json"], figure["is_main_result"]) == ("<svg/>", {"a": 1}, False)
    assert chart["extra"] == {"application/vnd.plotly.v1+json": {"data": [{"y": [1, 2]}], "layout": {}}} and chart["html"] == "<div>"
    assert main == {"text": "3", "is_main_result": True}
    changed = notebook.cell("h = display(HTML('1'), display_id=True)\nh.update(HTML('2'))\ndisplay(3)\nclear_output(wait=True)\ndisplay(4)")
    assert [r["text"] for r in changed["results"]] == ["4"]
    assert [r["html"] for r in notebook.cell("h = display(HTML('1'), display_id=True)\nh.update(HTML('2'))")["results"]] == ["2"]


def test_what_a_notebook_can(notebook):
    """Top-level await, magics, commands; input is refused, for nobody is there to type."""
    assert notebook.cell("import asyncio\nawait asyncio.sleep(0.001, 5)")["text"] == "5"
    assert notebook.cell("%pwd")["text"] == repr(str(notebook.project))
    assert notebook.cell("%%writefile made.txt\nhello")["files"][0]["path"] == "made.txt"
    assert notebook.cell("!echo one; echo two >&2")["stdout"].splitlines()[0] == "one"
    assert notebook.cell("input()")["exception"]["name"] == "StdinNotImplementedError"
    both = notebook.cell("import os, sys\nprint('a', flush=True)\nos.system('echo b; echo c >&2')\nprint('d', file=sys.stderr)")
    assert both["stdout"] == "a\nb\n" and sorted(both["stderr"].splitlines()) == ["c", "d"]
    assert notebook.cell("os.environ['V']", "--env", "V=it's")["text"] == '"it\'s"'


def test_an_exception_with_its_traceback(notebook):
    wrong = notebook.cell("print('before')\ndef f():\n    raise ValueError('bad')\nf()")
    error = wrong["exception"]
    assert (wrong["status"], wrong["stdout"], error["name"], error["message"], error["line"]) == ("failed", "before\n", "ValueError", "bad", 3)
    assert "----> 3     raise ValueError('bad')" in error["traceback"] and "\x1b" not in error["traceback"]
    assert notebook.cell("1 +* 2")["exception"]["name"] == "SyntaxError"


def test_a_loop_is_interrupted_and_the_context_lives_on(notebook):
    notebook.cell("kept = 1")
    slow = notebook.cell("while True: pass", "--timeout", "1s")
    assert (slow["status"], slow["limit"]["kind"], slow["context_ended"]) == ("limit", "wall_time", False)
    after = notebook.cell("kept")
    assert (after["text"], after["context_new"]) == ("1", False)


def test_a_kernel_that_ends_is_told_and_replaced(notebook):
    gone = notebook.cell("import os\nprint('last', flush=True)\nos._exit(3)", name="brief")
    assert (gone["status"], gone["context_ended"], gone["stdout"]) == ("failed", True, "last\n")
    assert notebook.cell("1", name="brief")["context_new"] is True


def test_nothing_of_it_stays(notebook):
    """No file in project or home but the program's own; with the context the kernel ends."""
    notebook.cell("import os\nopen('/tmp/kernel', 'w').write(str(os.getpid()))", name="short")
    listed = json.loads(notebook.aisbx("exec", "--json", "b", "--", "sh", "-c", "ls -A /tmp; ls -A ~; kill -0 $(cat /tmp/kernel)").stdout)
    assert listed["exit_code"] == 0 and ".ipython" not in listed["stdout"] and "jupyter" not in listed["stdout"].lower()
    notebook.aisbx("contexts", "--end", "short", "b")
    gone = json.loads(notebook.aisbx("exec", "--json", "b", "--", "sh", "-c", "kill -0 $(cat /tmp/kernel)").stdout)
    assert gone["exit_code"] != 0
    changed = [c["path"] for c in json.loads(notebook.aisbx("diff", "--json", "b").stdout)["changes"]]
    assert not [path for path in changed if "ipython" in path or "jupyter" in path]
