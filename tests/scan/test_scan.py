# SPDX-License-Identifier: Apache-2.0
"""`aisbx scan` as people and programs use it: where programs come from, what is said about them, and how it ends."""
import json
import os
import pathlib
import pty
import re
import subprocess

import box
import jsonschema
import pytest

POLICY = """version: 1
name: mine
levels: {none: allow, low: allow, medium: warn, high: sandbox, critical: refuse}
any:
  patterns:
    - {id: t.low, match: LOWEST, severity: low, why: it is low}
    - {id: t.medium, match: MEDIUM, severity: medium, why: it is medium}
    - {id: t.high, match: HIGH, severity: high, why: it is high, advice: think again}
    - {id: t.critical, match: CRITICAL, severity: critical, why: it is critical}
"""


@pytest.fixture
def place(tmp_path):
    (tmp_path / "mine.yaml").write_text(POLICY)
    return tmp_path


def scan(*words, cwd, stdin=b"", env=None):
    done = subprocess.run([box.aisbx(), "scan", *map(str, words)], cwd=cwd, input=stdin, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=60, env=env)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def schema():
    (found,) = json.loads(subprocess.run([box.aisbx(), "schema", "--json", "scan"], stdout=subprocess.PIPE,
                                         check=True).stdout)["operations"]
    return found["result"]


def scan_json(*words, cwd, stdin=b"", env=None):
    status, out, _ = scan("--json", *words, cwd=cwd, stdin=stdin, env=env)
    result = json.loads(out)
    if "status" not in result:
        jsonschema.validate(result, schema())
    return status, result


def refused(*words, cwd, stdin=b"", env=None):
    status, result = scan_json(*words, cwd=cwd, stdin=stdin, env=env)
    assert status == 125 and result["status"] == "error", result
    return result["error"]["text"]


@pytest.mark.parametrize("word, risk, action, status", (
    ("nothing", "none", "allow", 0), ("LOWEST", "low", "allow", 0), ("MEDIUM", "medium", "warn", 0),
    ("HIGH", "high", "sandbox", 1), ("CRITICAL", "critical", "refuse", 1)))
def test_the_policy_says_what_a_risk_may_do(place, word, risk, action, status):
    (place / "a.py").write_text(f"x = 'LOWEST'\ny = '{word}'\n" if word != "nothing" else "x = 1\n")
    got, result = scan_json("--policy", "mine.yaml", "a.py", cwd=place)
    assert (got, result["risk"], result["action"], result["policy"]) == (status, risk, action, "mine")
    assert (result["language"], result["path"], result["scanned"]) == ("python", "a.py", 1)
    assert result["bytes"] == (place / "a.py").stat().st_size


def test_a_finding_says_where_and_why(place):
    (place / "a.py").write_text("# é\ny = ('é', 'HIGH')\n")
    _, result = scan_json("--policy", "mine.yaml", "a.py", cwd=place)
    (found,) = result["findings"]
    assert found["rule"] == "t.high" and found["severity"] == "high" and found["kind"] == "text"
    assert found["why"] == "it is high" and found["advice"] == "think again"
    assert (found["line"], found["end_line"], found["name"]) == (2, 2, "HIGH")
    assert found["text"] == "y = ('é', 'HIGH')" and found["text_offset"] == 0
    line = found["text"].encode()
    assert line[found["column"] - 1:found["end_column"] - 1] == b"'HIGH'"


def test_people_see_the_line_and_a_mark(place):
    (place / "a.py").write_text("\ty = ('é', 'HIGH')\n".lstrip("\t") + "if y:\n\tz = 'HIGH'\n")
    status, out, err = scan("--policy", "mine.yaml", "a.py", cwd=place)
    lines = out.splitlines()
    assert status == 1 and not err
    assert lines[0] == "a.py:1:12: high it is high [t.high]"
    assert lines[1] == "      1 | y = ('é', 'HIGH')"
    assert lines[2] == "        |           ^^^^^^"
    assert lines[3].strip() == "think again"
    assert lines[5] == "      3 | \tz = 'HIGH'"
    assert lines[6] == "        | \t    ^^^^^^"
    assert lines[-1] == "risk high: 2 findings in 1 program; the policy 'mine' says sandbox"


def test_a_long_line_is_shown_in_part(place):
    (place / "a.py").write_text("x = ['" + "a" * 5000 + "', 'HIGH', '" + "b" * 5000 + "']\n")
    _, out, _ = scan("--policy", "mine.yaml", "a.py", cwd=place)
    lines = out.splitlines()
    start, end = lines[2].index("^"), lines[2].rindex("^") + 1
    assert lines[1][start:end] == "'HIGH'"
    assert len(lines[1]) < 300


def test_colours_are_for_terminals(place):
    (place / "a.py").write_text("y = 'HIGH'\n")
    words = [box.aisbx(), "scan", "--policy", "mine.yaml", "a.py"]
    assert "\033" not in scan(*words[2:], cwd=place)[1]
    for no_color in ("", "1"):
        ours, theirs = pty.openpty()
        subprocess.run(words, cwd=place, stdin=subprocess.DEVNULL, stdout=theirs, timeout=60,
                       env={**os.environ, "NO_COLOR": no_color})
        os.close(theirs)
        shown = os.read(ours, 65536)
        os.close(ours)
        assert (b"\033[31mhigh" in shown) == (no_color == "") and (b"\033" in shown) == (no_color == "")


HOSTILE = "\033]0;gone\007\033[2J\u202e\u2066\x9b31m\x7f\r\x08"


def test_attack_119_hostile_programs_and_names_do_not_reach_a_terminal(place):
    """ANSI, OSC and bidi in a program, in its texts and in its name. The control: its own bytes do."""
    name = f"a{HOSTILE}.py"
    (place / name).write_text(f"y = 'HIGH{HOSTILE}' # {HOSTILE}\n")
    raw = (place / name).read_bytes()
    ours, theirs = pty.openpty()
    subprocess.run([box.aisbx(), "scan", "--facts", "--policy", "mine.yaml", name], cwd=place, stdin=subprocess.DEVNULL,
                   stdout=theirs, stderr=theirs, timeout=60, env={**os.environ, "NO_COLOR": "1"})
    os.close(theirs)
    shown = b""
    try:
        while chunk := os.read(ours, 65536):
            shown += chunk
    except OSError:  # how Linux says that a terminal has ended
        pass
    os.close(ours)
    assert b"HIGH" in shown
    text = shown.decode().replace("\r\n", "\n")
    for evil in ("\033", "\007", "\u202e", "\u2066", "\x9b", "\x7f", "\r", "\x08"):
        assert evil.encode() in raw and evil not in text, repr(evil)


def test_standard_input(place):
    status, result = scan_json("--policy", "mine.yaml", "--lang", "shell", "-", cwd=place, stdin=b"echo HIGH\n")
    assert status == 1 and result["path"] is None and result["language"] == "shell"
    status, result = scan_json("--policy", "mine.yaml", "-", cwd=place, stdin=b"#!/usr/bin/env python3\nx = 'HIGH'\n")
    assert status == 1 and result["language"] == "python"
    assert "give --lang" in refused("-", cwd=place, stdin=b"echo hello\n")


def test_what_cannot_be_scanned_is_refused_with_words(place):
    (place / "a.txt").write_text("x")
    (place / "d").mkdir()
    assert "--lang" in refused("a.txt", cwd=place)
    assert "directory" in refused("d", cwd=place)
    assert "No such file" in refused("no.py", cwd=place)
    assert "needs FILE" in refused(cwd=place)
    assert "not both" in refused("--box", "x", "a.txt", cwd=place)
    text = refused("--policy", "nowhere", "--lang", "python", "a.txt", cwd=place)
    assert "nowhere" in text and "default" in text


def test_several_files(place):
    for name, text in (("a.py", "x = 'HIGH'\n"), ("b.js", "f('LOWEST.example')\n"), ("c.sh", "echo fine\n")):
        (place / name).write_text(text)
    status, result = scan_json("--policy", "mine.yaml", "a.py", "b.js", "c.sh", cwd=place)
    assert (status, result["risk"], result["scanned"]) == (1, "high", 3)
    assert {f["path"]: (f["risk"], f["language"]) for f in result["files"]} == {
        "a.py": ("high", "python"), "b.js": ("low", "javascript")}


def test_policies_by_name(place):
    config = place / "config"
    (config / "aisbx/scan").mkdir(parents=True)
    (config / "aisbx/scan/team.yaml").write_text("version: 1\nname: ours\nany: {patterns: [{id: a, match: wxyz, severity: "
                                                 "critical, why: no}]}\n")
    (place / "a.py").write_text("x = 'wxyz'\n")
    env = {**os.environ, "XDG_CONFIG_HOME": str(config)}
    status, result = scan_json("--policy", "team", "a.py", cwd=place, env=env)
    assert (status, result["policy"], result["action"]) == (1, "ours", "ask")
    env = {**os.environ, "HOME": str(place)}
    env.pop("XDG_CONFIG_HOME", None)
    config.rename(place / ".config")
    assert scan_json("--policy", "team", "a.py", cwd=place, env=env)[1]["policy"] == "ours"


def test_the_policy_of_the_manual(place):
    """The example in docs/scan.md is one, and does what it says."""
    page = (pathlib.Path(__file__).resolve().parents[2] / "docs/scan.md").read_text()
    (place / "p.yaml").write_text(re.search(r"```yaml\n(.*?)```", page, re.S).group(1))
    (place / "a.py").write_text("import pickle\npickle.loads(b'x')\ndef (:\n")
    status, result = scan_json("--policy", "p.yaml", "a.py", cwd=place)
    assert (status, result["policy"], result["action"]) == (1, "ours", "refuse")
    assert "ours.no-pickle" in {f["rule"] for f in result["findings"]}
    assert "any.broken" not in {f["rule"] for f in result["findings"]}


def test_a_policy_with_a_mistake_is_refused_with_its_place(place):
    (place / "p.yaml").write_text("version: 1\nextends: default\npyhton: {}\n")
    (place / "a.py").write_text("x = 1\n")
    text = refused("--policy", "./p.yaml", "a.py", cwd=place)
    assert text.startswith("./p.yaml:3:1: unknown key 'pyhton'") and "did you mean 'python'?" in text


def sarif(place, *words):
    status, out, _ = scan("--sarif", "--policy", "mine.yaml", *words, cwd=place)
    log = json.loads(out)
    assert log["version"] == "2.1.0" and log["$schema"].endswith("sarif-2.1.0.json")
    (run,) = log["runs"]
    return status, run


def test_sarif(place):
    """The parts of SARIF 2.1.0 that editors and code hosts want; columns are in characters."""
    (place / "a b%.py").write_text("y = ('é', 'HIGH')\nx = 'LOWEST'\n")
    status, run = sarif(place, "a b%.py")
    assert status == 1
    driver = run["tool"]["driver"]
    rules = {rule["id"]: rule for rule in driver["rules"]}
    assert driver["name"] == "aisbx" and re.fullmatch(r"\d+\.\d+\.\d+", driver["version"]) and len(rules) == 4
    assert rules["t.high"]["shortDescription"]["text"] == "it is high"
    assert rules["t.high"]["help"]["text"] == "think again"
    assert float(rules["t.critical"]["properties"]["security-severity"]) > 9
    assert run["columnKind"] == "unicodeCodePoints"
    assert [(r["ruleId"], r["level"]) for r in run["results"]] == [("t.high", "error"), ("t.low", "note")]
    place_of = run["results"][0]["locations"][0]["physicalLocation"]
    assert place_of["artifactLocation"]["uri"] == "a%20b%25.py"
    assert place_of["region"] == {"startLine": 1, "startColumn": 11, "endLine": 1, "endColumn": 17,
                                  "snippet": {"text": "y = ('é', 'HIGH')"}}
    assert "it is high" in run["results"][0]["message"]["text"]
    for result in run["results"]:
        assert result["ruleId"] in rules
    assert sarif(place, str(place / "a b%.py"))[1]["results"][0]["locations"][0]["physicalLocation"][
        "artifactLocation"]["uri"].startswith("file:///")


def test_facts_are_for_who_writes_rules(place):
    (place / "a.py").write_text("import os as o\no.system('ls')\n")
    _, result = scan_json("--facts", "a.py", cwd=place)
    assert {"import"} <= {f["kind"] for f in result["facts"]}
    assert any(f["kind"] == "call" and f["name"] == "os.system" for f in result["facts"])
    assert "fact call" in scan("--facts", "a.py", cwd=place)[1]


def test_a_program_that_is_too_long_is_a_finding(place):
    with open(place / "a.py", "wb") as f:
        f.truncate((16 << 20) + 1)
    status, result = scan_json("a.py", cwd=place)
    assert status == 1 and [f["rule"] for f in result["findings"]] == ["any.unread"]
    assert result["findings"][0]["name"] == "size"


def test_trojan_source(place):
    (place / "a.py").write_text("a = 1 # \u202e } if x {\n")
    status, result = scan_json("a.py", cwd=place)
    assert status == 1 and result["findings"][0]["rule"] == "any.direction"
    assert (result["findings"][0]["line"], result["findings"][0]["column"]) == (1, 9)


def test_a_scan_that_finds_nothing_lowers_no_wall(place):
    """The same walls whether or not a program was scanned, and whatever came out: `run` asks no scan."""
    (place / "a.sh").write_text("cat /etc/hostname\n")
    before = box.started(box.run("sh", "a.sh", cwd=place))["isolation"]
    status, result = scan_json("a.sh", cwd=place)
    assert (status, result["risk"]) == (0, "none")
    assert box.started(box.run("sh", "a.sh", cwd=place))["isolation"]["walls"] == before["walls"]
    assert before["missing"] == []


def made_box(place, *words):
    project = place / "project"
    project.mkdir()
    (project / "old.py").write_text("x = 'HIGH'\n")
    subprocess.run([box.aisbx(), "create", "--project", str(project), "b"], check=True, stdout=subprocess.DEVNULL)
    script = "; ".join(words)
    subprocess.run([box.aisbx(), "run", "--box", "b", "--", "sh", "-c", script], cwd=project, check=True)


def test_a_box(place, monkeypatch):
    """What it changed, in languages that can be read; not what was there before. It goes into the history."""
    monkeypatch.setenv("XDG_STATE_HOME", str(place / "state"))
    made_box(place, "mkdir sub", "echo \"x = 'MEDIUM'\" > sub/new.py", "printf '#!/bin/sh\\necho CRITICAL\\n' > tool",
             "echo HIGH > notes.txt", "ln -s /etc/passwd link.py", "mkfifo fifo.py")
    status, result = scan_json("--policy", "mine.yaml", "--box", "b", cwd=place)
    assert (status, result["risk"], result["action"]) == (1, "critical", "refuse")
    assert (result["scanned"], result["skipped"]) == (2, 1)
    assert {f["path"]: f["risk"] for f in result["files"]} == {"sub/new.py": "medium", "tool": "critical"}
    events = json.loads(subprocess.run([box.aisbx(), "history", "--events", "--json"], stdout=subprocess.PIPE,
                                       check=True).stdout)["events"]
    (event,) = [e for e in events if e["kind"] == "box.scanned"]
    assert event["what"] == {"snapshot": "", "files": 2, "risk": "critical", "action": "refuse"}


def test_without_its_helper(place):
    """A copy of aisbx beside which no helper lies says what is missing."""
    (place / "a.py").write_text("x = 1\n")
    copy = place / "aisbx"
    copy.write_bytes(open(box.aisbx(), "rb").read())
    copy.chmod(0o755)
    done = subprocess.run([copy, "scan", "--json", "a.py"], cwd=place, stdout=subprocess.PIPE, timeout=60)
    assert done.returncode == 125 and "aisbx-scan" in json.loads(done.stdout)["error"]["text"]


def fake_helper(place, program):
    """aisbx beside another program instead of its helper."""
    copy, helper = place / "aisbx", place / "aisbx-scan"
    copy.write_bytes(open(box.aisbx(), "rb").read())
    helper.write_bytes(open(box.need(program), "rb").read())
    copy.chmod(0o755)
    helper.chmod(0o755)
    (place / "a.py").write_text("x = 1\n")
    done = subprocess.run([copy, "scan", "--json", "a.py"], cwd=place, stdout=subprocess.PIPE, timeout=60)
    return done.returncode, json.loads(done.stdout)


@pytest.mark.parametrize("program", ("/bin/true", "/bin/cat", "/usr/bin/yes"))
def test_a_helper_that_was_taken_over_is_a_finding(place, program):
    """It says nothing, or what it was asked, or something without an end: that is not 'nothing was found'."""
    status, result = fake_helper(place, program)
    assert status == 1 and [f["rule"] for f in result["findings"]] == ["any.unread"], result


def test_a_helper_that_cannot_work_is_an_error(place):
    status, result = fake_helper(place, "/bin/false")
    assert status == 125 and "aisbx-scan ended with status 1" in result["error"]["text"]
