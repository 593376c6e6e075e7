# SPDX-License-Identifier: Apache-2.0
"""run-code: a program given as text, in a box of its own; its result, its error, its files."""
import json
import os
import subprocess

import pytest

import box

PNG = b"\x89PNG\r\n\x1a\nrest"


@pytest.fixture()
def place(tmp_path):
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "private.txt").write_text("of the person")
    return tmp_path / "here"


def run_code(lang, *words, cwd, stdin="", env=None, quiet_fail=False):
    """The result of `aisbx run-code --json`, with its exit status."""
    done = subprocess.run([box.aisbx(), "run-code", "--json", "--lang", lang, *map(str, words)], cwd=cwd, input=stdin.encode(),
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60, env=env, check=False)
    assert done.stdout or quiet_fail, done.stderr
    result = json.loads(done.stdout) if done.stdout else {}
    return {**result, "aisbx_status": done.returncode}


@pytest.mark.parametrize("lang,code,out", [
    ("python", "import sys; print(sum(range(10)), sys.argv[1:])", "45 ['a', '-b']\n"),
    ("javascript", "console.log([1, 2].map(x => x * 2).join(), process.argv.slice(2).join(' '))", "2,4 a -b\n"),
    ("shell", 'x=(1 2); echo "${#x[@]} $*"', "2 a -b\n"),
])
def test_three_languages(place, lang, code, out):
    result = run_code(lang, "-", "--", "a", "-b", cwd=place, stdin=code)
    assert (result["status"], result["stdout"], result["exit_code"]) == ("ok", out, 0), result["stderr"]
    assert result["language"] == lang and result["exception"] is None and not result["files"]
    assert result["isolation"]["level"] == "full" and not result["violations"]
    limits = {k: v["value"] for k, v in result["limits"].items()}
    assert limits["memory"] == {"python": 512, "javascript": 256, "shell": 128}[lang] << 20
    assert limits["wall_time"] == {"python": 30, "javascript": 15, "shell": 10}[lang] * 1000


@pytest.mark.parametrize("lang,name,code,expected", [
    ("python", "sums.py", "def f(x):\n    return 1 / x\nf(0)\n", {"name": "ZeroDivisionError", "message": "division by zero", "line": 2}),
    ("python", "bad.py", "x = 1\nif x\n", {"name": "SyntaxError", "message": "expected ':'", "line": 2}),
    ("javascript", "sums.js", "let a = 1\n\nnotThere()\n",
     {"name": "ReferenceError", "message": "notThere is not defined", "line": 3}),
    ("shell", "do.sh", "set -e\ntrue\nno-such-program\n", {"name": None, "message": "no-such-program: command not found", "line": 3}),
])
def test_errors_are_told(place, lang, name, code, expected):
    """With the name of the file in the traceback, and the line of the program."""
    (place / name).write_text(code)
    result = run_code(lang, name, cwd=place)
    assert result["status"] == "failed" and result["aisbx_status"] == result["exit_code"] != 0
    assert result["exception"] == expected and f"/tmp/{name}" in result["stderr"]


def test_input_is_left_for_a_program_from_a_file(place):
    (place / "double.py").write_text("print(int(input()) * 2)")
    assert run_code("python", "double.py", cwd=place, stdin="21\n")["stdout"] == "42\n"
    assert run_code("python", "--code", "print(input())", cwd=place, stdin="x\n")["stdout"] == "x\n"
    assert run_code("python", cwd=place, stdin="import sys; print(repr(sys.stdin.read()))")["stdout"] == "''\n"


FILES = f"""
import os
open("chart.png", "wb").write({PNG!r})
open("plot.svg", "w").write('<?xml version="1.0"?><svg/>')
os.makedirs("data/deep"); open("data/deep/t.csv", "w").write("a,b\\n" * 100)
open("tool", "w").write("x"); os.chmod("tool", 0o4755)
os.symlink("/etc/passwd", "link"); os.mkfifo("pipe"); os.symlink("data", "dirlink")
"""


def test_files_are_listed_and_copied(place):
    denied = run_code("python", "--code", FILES, cwd=place)
    assert denied["status"] == "denied" and "--yes" in denied["error"], "setuid is what somebody has to say yes to"
    result = run_code("python", "--yes", "--out", "out/", "--code", FILES, cwd=place)
    assert [(f["path"], f["size"], f["media"], f["error"]) for f in result["files"]] == [
        ("chart.png", len(PNG), "image/png", None), ("data/deep/t.csv", 400, None, None),
        ("plot.svg", 27, "image/svg+xml", None), ("tool", 1, None, None)]
    assert result["files_not_listed"] == 3
    found = {str(p.relative_to(place / "out")) for p in (place / "out").rglob("*") if not p.is_dir()}
    assert found == {"chart.png", "data/deep/t.csv", "plot.svg", "tool"}
    assert (place / "out/chart.png").read_bytes() == PNG
    assert (place / "out/tool").stat().st_mode & 0o7000 == 0, "no setuid outside"
    listed = run_code("python", "--yes", "--code", FILES, cwd=place)
    assert [f["path"] for f in listed["files"]] == [f["path"] for f in result["files"]], "and without --out they are only listed"


def test_nothing_is_overwritten_nor_followed(place):
    """What is in the directory already stays, and a link there leads nowhere."""
    out = place / "out"
    out.mkdir()
    (out / "a").write_text("mine")
    (out / "b").symlink_to(place / "private.txt")
    (out / "d").symlink_to(place)
    code = "import os\nfor n in 'abc': open(n, 'w').write('theirs')\nos.mkdir('d'); open('d/private.txt', 'w').write('theirs')"
    result = run_code("python", "--out", out, "--code", code, cwd=place)
    errors = {f["path"]: f["error"] for f in result["files"]}
    assert errors["a"] == errors["b"] == os.strerror(17) and errors["c"] is None
    assert (out / "a").read_text() == "mine" and (place / "private.txt").read_text() == "of the person"
    assert (out / "c").read_text() == "theirs"
    assert errors["d/private.txt"], "it is told that it was not copied"


def test_a_file_that_claims_to_be_huge_is_not_copied(place):
    code = "open('huge', 'wb').truncate(1 << 40); open('small', 'w').write('x')"
    result = run_code("python", "--file-size", "0", "--out", "out", "--code", code, cwd=place)
    assert {f["path"]: f["error"] for f in result["files"]} == {"huge": "larger than the limit for copying", "small": None}
    assert os.listdir(place / "out") == ["small"]


def test_many_and_deep_files_have_an_end(place):
    code = ("import os\nfor i in range(1200): open(f'{i:04}', 'w').close()\n"
            "p = '.'\nfor i in range(60): p += '/d'; os.mkdir(p)\n")
    result = run_code("python", "--out", "out", "--code", code, cwd=place)
    assert len(result["files"]) == 1000 and result["files_not_listed"] >= 200


@pytest.mark.parametrize("code", ["import os; os.rmdir('/tmp/work')", "import os; os.rmdir('/tmp/work'); os.symlink('/etc', '/tmp/work')"])
def test_a_directory_that_was_taken_away(place, code):
    result = run_code("python", "--out", "out", "--code", code, cwd=place)
    assert result["status"] == "ok" and result["files"] == [] and result["files_not_listed"] == 1
    assert not os.listdir(place / "out")


def test_119_hostile_names_cannot_draw_on_the_terminal(place):
    code = "open('\\x1b[2J\\u202e\\n', 'w').close(); import os; open(os.fsdecode(b'\\xff\\x1b'), 'w').close()"
    result = run_code("python", "--code", code, cwd=place)
    assert {f["path"] for f in result["files"]} == {"\x1b[2J\u202e\n", None}
    assert [f["path_hex"] for f in result["files"] if f["path"] is None] == ["ff1b"]
    shown = subprocess.run([box.aisbx(), "run-code", "--lang", "python", "--code", code], cwd=place, timeout=60, check=True,
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert shown.stderr.count(b"aisbx: left ") == 2 and len(shown.stderr.splitlines()) == 2
    assert b"\x1b" not in shown.stderr and "\u202e".encode() not in shown.stderr


def test_the_program_is_on_no_disk(place, tmp_path):
    """Not while it runs, nor after: neither where aisbx keeps things nor where it was called from. What it prints is kept, so it prints itself backwards."""
    marker = "mark" + os.urandom(12).hex()
    kept = {name: str(tmp_path / name) for name in ("XDG_STATE_HOME", "XDG_RUNTIME_DIR", "TMPDIR", "HOME")}
    for path in kept.values():
        os.mkdir(path, 0o700)
    env = {**os.environ, **kept}
    child = subprocess.Popen([box.aisbx(), "run-code", "--lang", "python"], cwd=place, env=env, stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE)
    child.stdin.write(f"# {marker}\nimport time\nprint(open(__file__).read()[29:1:-1], flush=True)\ntime.sleep(60)\n".encode())
    child.stdin.close()
    assert child.stdout.readline().decode().strip() == marker[::-1], "it can be read inside"

    def traces():
        found = subprocess.run(["grep", "-rlsaF", "--devices=skip", marker, str(tmp_path), "/dev/shm"], timeout=60,
                               stdout=subprocess.PIPE, check=False).stdout
        return found.decode().split()
    during = traces()
    child.terminate()
    child.wait(60)
    child.stdout.close()
    assert not during and not traces()
    (tmp_path / "control").write_text(marker)
    assert traces() == [str(tmp_path / "control")], "this search finds what is there"


def test_where_it_was_called_from_is_not_shown(place):
    code = f"import os; print(os.path.exists({str(place / 'private.txt')!r}), os.getcwd(), os.listdir('.'))"
    assert run_code("python", "--code", code, cwd=place)["stdout"] == "False /tmp/work []\n"
    shown = run_code("python", "--ro", f"{place}:/data", "--code", "print(open('/data/private.txt').read())", cwd=place)
    assert shown["stdout"] == "of the person\n"


def test_115_secrets_do_not_leave(place):
    """Not by output, exception, or the name of a file; a file that holds one is not copied out."""
    secret = "hunter2-" + os.urandom(8).hex()
    code = ("import base64, os\ns = open('/run/secrets/KEY').read()\nprint(s)\nopen('clean', 'w').write('x' * 100000)\n"
            "open('raw', 'w').write('a' * 70000 + s + 'b' * 70000)\nopen('coded', 'wb').write(base64.b64encode(s.encode() * 3))\n"
            "open(s, 'w').close()\nos.mkdir(s + '-dir'); open(s + '-dir/f', 'w').close()\nraise ValueError(s)\n")
    result = run_code("python", "--secret", "KEY=env:MY_KEY", "--out", "out", "--code", code, cwd=place,
                      env={**os.environ, "MY_KEY": secret})
    assert secret not in json.dumps(result) and result["exception"]["message"] == "[secret KEY]" and result["stdout"] == "[secret KEY]\n"
    errors = {f["path"]: f["error"] for f in result["files"]}
    assert {name for name, error in errors.items() if error} == {"raw", "coded", "[secret KEY]", "[secret KEY]-dir/f"}
    assert errors["raw"] == "its name or content contains a secret that was given to the box"
    assert os.listdir(place / "out") == ["clean"] and (place / "out/clean").read_text() == "x" * 100000


def test_limits_and_violations(place):
    result = run_code("python", "--timeout", "300ms", "--code", "import time; time.sleep(60)", cwd=place)
    assert result["status"] == "limit" and result["aisbx_status"] == 124 and result["limit"]["kind"] == "wall_time"
    result = run_code("python", "--code", "import socket; socket.create_connection(('192.0.2.1', 80))", cwd=place)
    assert [v["what"] for v in result["violations"]] == ["connect 192.0.2.1:80"]
    assert result["exception"]["name"] == "OSError"


POLICY = """
version: 1
name: of-this-test
levels: { none: allow, low: allow, medium: warn, high: ask, critical: refuse }
any:
  patterns:
    - { id: t.low, match: 'word-low', severity: low, why: a low word }
    - { id: t.medium, match: 'word-medium', severity: medium, why: a medium word }
    - { id: t.high, match: 'word-high', severity: high, why: a high word }
    - { id: t.critical, match: 'word-critical', severity: critical, why: a critical word }
"""


@pytest.mark.parametrize("risk,yes,runs", [("none", False, True), ("low", False, True), ("medium", False, True), ("high", False, False),
                                           ("high", True, True), ("critical", False, False), ("critical", True, False)])
def test_the_scan_comes_first(place, risk, yes, runs):
    """What the policy says is done: allow, warn, ask (--yes is the answer), refuse. Nothing of a denied program ran."""
    (place / "policy.yaml").write_text(POLICY)
    words = ["--policy", "./policy.yaml", *(["--yes"] if yes else []), "--code", f"print('word-{risk}')\nopen('f', 'w')"]
    result = run_code("python", *words, cwd=place)
    assert result["scan"]["risk"] == risk and result["scan"]["language"] == "python"
    if runs:
        assert (result["status"], result["stdout"], len(result["files"])) == ("ok", f"word-{risk}\n", 1)
    else:
        assert result["status"] == "denied" and result["aisbx_status"] == 125 and "stdout" not in result and not result["files"]
        assert f"a {risk} word" in result["error"] and ("--yes" in result["error"]) == (risk == "high")
        assert [f["line"] for f in result["scan"]["findings"]] == [1]
    shown = subprocess.run([box.aisbx(), "run-code", "--lang", "python", *words], cwd=place, timeout=60, check=False,
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert (shown.stdout == f"word-{risk}\n".encode()) == runs
    assert (f"line 1: {risk}: a {risk} word".encode() in shown.stderr) == (risk in ("medium", "high", "critical"))


def test_the_policy_of_the_profile_and_none(place):
    (place / "policy.yaml").write_text(POLICY)
    (place / "profile.yaml").write_text("name: mine\nextends: python\nscan: none\n")
    code = ["--code", "print('word-critical')"]
    assert run_code("python", *code, cwd=place)["scan"]["risk"] == "none", "by the policy that is built in"
    assert run_code("python", "--policy", "none", *code, cwd=place)["scan"] is None
    assert run_code("python", "--profile", "./profile.yaml", *code, cwd=place)["scan"] is None
    assert run_code("python", "--profile", "./profile.yaml", "--policy", "./policy.yaml", *code, cwd=place)["status"] == "denied"


def test_119_findings_cannot_draw_on_the_terminal(place):
    (place / "policy.yaml").write_text(POLICY)
    words = ["--policy", "./policy.yaml", "--code", "x = 'word-high \x1b[2J\u202e'"]
    shown = subprocess.run([box.aisbx(), "run-code", "--lang", "python", *words], cwd=place, timeout=60, check=False,
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert b"a high word" in shown.stderr and b"\x1b" not in shown.stderr and "\u202e".encode() not in shown.stderr


def test_without_the_interpreter(place, tmp_path):
    """Told with its name and what to do."""
    (tmp_path / "bin").mkdir()
    result = run_code("javascript", "--code", "1", cwd=place, env={**os.environ, "PATH": str(tmp_path / "bin")})
    assert result["status"] == "error" and result["aisbx_status"] == 127
    assert "'node'" in result["error"] and "PATH" in result["error"]


@pytest.mark.parametrize("words,text", [
    (["python", "no-such-file"], "no-such-file"),
    (["python", "--code", "1", "x.py"], "not both"),
    (["cobol", "--code", "1"], "python, javascript, shell"),
    (["python", "/dev/zero"], "4 MiB"),
    (["python", "--out", "/proc/nothing", "--code", "1"], "--out"),
])
def test_mistakes(place, words, text):
    (place / "x.py").write_text("1")
    done = subprocess.run([box.aisbx(), "run-code", "--lang", *words], cwd=place, stdin=subprocess.DEVNULL, timeout=60,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 125 and text in done.stderr.decode() and not done.stdout


@pytest.mark.big
def test_a_large_program(place):
    code = "x = 0\n" + "x += 1\n" * 200000 + "print(x)\n"
    assert len(code) > 1 << 20
    assert run_code("python", cwd=place, stdin=code)["stdout"] == "200000\n"
