# SPDX-License-Identifier: Apache-2.0
"""What a person sees: words and not JSON, tables that fit the window, colours and bars only on terminals, round numbers."""
import json
import os
import re
import signal

import pytest

import box
import promote
import pty_run

LONG_NAME = "a-box-with-quite-a-long-name-for-people"
WIDE = "日本語のファイル.txt"


@pytest.fixture(name="shelf", scope="module")
def made(tmp_path_factory):
    shelf = promote.Shelf(tmp_path_factory.mktemp("output"))
    (shelf.project / "a.txt").write_text("one\n")
    shelf.ok("create", LONG_NAME)
    shelf.sh(LONG_NAME, f"echo two > a.txt; echo x > '{WIDE}'; printf x > \"$(printf 'esc\\033[31m\\nline')\"; : {'long ' * 60}")
    shelf.ok("snap", LONG_NAME, "before")
    assert shelf.end(shelf.start("artifact", "save", "--json", LONG_NAME, "a.txt"))[0] == 0
    return shelf


def seen(shelf, *words, width=80, want=0):
    with pty_run.Terminal(words, shelf.project, shelf.env, width) as t:
        status, lines = t.end()
        assert status == want, lines
        return lines, t.seen


TABLES = {"ls": "NAME", "history": "RUN", "artifact ls": "ID", "profile ls": "PROFILE", f"file ls {LONG_NAME} .": "PATH"}


@pytest.mark.parametrize("width", [80, 40])
@pytest.mark.parametrize("words", TABLES)
def test_tables_fit_the_window(shelf, words, width):
    lines, raw = seen(shelf, *words.split(), width=width)
    assert TABLES[words] in lines[0] and lines[0].split()[0].isupper(), lines
    assert len(lines) > 1 and all(pty_run.width_of(line) <= width for line in lines), lines
    assert b"\x1b[31m\n" not in raw and b"\x1b[2J" not in raw


def test_a_table_in_a_pipe_is_whole(shelf):
    """Nothing is cut where nobody's window is."""
    with shelf.start("history") as p:
        out = p.communicate(timeout=60)[0].decode()
    assert "long " * 59 in out and "…" not in out and "\x1b" not in out
    cut = seen(shelf, "history")[0]
    assert any(line.endswith("…") for line in cut)


WORDS = {"show " + LONG_NAME: ["project     ", "profile     dev", "made        20", "SNAPSHOT", "before"],
         "gc": ["nothing to remove"],
         f"file stat {LONG_NAME} a.txt": ["type        file", "size        4 B", "mode        0644", "changed     20"]}


@pytest.mark.parametrize("words", WORDS)
def test_words_and_not_json(shelf, words):
    with shelf.start(*words.split()) as p:
        out = p.communicate(timeout=60)[0].decode()
    assert all(w in out for w in WORDS[words]) and "{" not in out and '"' not in out, out
    json.loads(shelf.start(*words.split(), "--json").communicate(timeout=60)[0])


def test_an_artifact_in_words(shelf):
    name = shelf.end(shelf.start("artifact", "ls", "--json"))[1]["artifacts"][0]["id"]
    lines, _ = seen(shelf, "artifact", "show", name)
    assert lines[0] == f"a.txt  {name}" and any(line.startswith("from box    " + LONG_NAME) for line in lines)


def test_numbers_are_round(shelf):
    with shelf.start("run", "--json", "--", "true") as p:
        text = p.communicate(timeout=60)[0].decode()
    reals = re.findall(r"[:,\[](-?[0-9]+\.[0-9]+(?:e[-+]?[0-9]+)?)", text)
    assert reals and all(len(r.partition(".")[2]) <= 6 for r in reals), reals


def test_colours_only_on_terminals(shelf):
    assert b"\x1b[3" in seen(shelf, "diff", LONG_NAME)[1]
    for no in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        with pty_run.Terminal(["diff", LONG_NAME], shelf.project, {**shelf.env, **no}) as t:
            assert t.end()[0] == 0 and b"a.txt" in t.seen and b"\x1b" not in t.seen, t.seen
    with shelf.start("diff", LONG_NAME) as p:
        assert b"\x1b" not in p.communicate(timeout=60)[0]


def test_stats_are_drawn_in_place(shelf):
    run = shelf.ok("run", "--detach", "--", "sleep", "600")["run"]
    try:
        with pty_run.Terminal(["stats", "--follow", "--interval", "50ms", run], shelf.project, shelf.env) as t:
            for _ in range(3):
                t.wait("\x1b[2A")  # over the last measurement
            os.killpg(t.process.pid, signal.SIGINT)
            t.end()
            assert t.seen.count(b"\x1b[?25l") == t.seen.count(b"\x1b[?25h")  # a hidden cursor would be shown again
            assert t.seen.endswith(b"\r\n"), t.seen[-200:]
            assert all(pty_run.width_of(re.sub(r"\x1b\[[0-9]*[AJ]|\r", "", line)) <= 80 for line in t.lines()), t.lines()
        with shelf.start("stats", "--follow", "--interval", "50ms", run) as p:
            lines = [p.stdout.readline() for _ in range(4)]
            p.send_signal(signal.SIGINT)
        assert b"".join(lines).count(b"RUN") == 2 and b"\x1b" not in b"".join(lines)
    finally:
        shelf.ok("kill", run)


def test_long_work_has_a_bar(shelf):
    """Only on a terminal, only if it takes half a second; the line is gone at the end."""
    shelf.ok("create", "many")
    shelf.py("many", """
        import os
        for i in range(40):
            os.makedirs(f"m/{i}")
            for k in range(250):
                open(f"m/{i}/{k}", "w").close()
        """)
    with pty_run.Terminal(["promote", "many"], shelf.project, shelf.env) as t:
        status, _ = t.end()
        assert status == 0
    bars = re.findall(rb"\r\x1b\[K((?:comparing|promoting) [^\r\n]*)", t.seen)
    assert all(pty_run.width_of(b.decode()) < 80 for b in bars)
    if bars:  # a fast machine needs none
        assert b"/s" in bars[-1], bars[-1]
        assert b"\r\x1b[K" in t.seen[t.seen.rindex(bars[-1]):]
    with shelf.start("undo") as p:
        assert b"\x1b" not in b"".join(p.communicate(timeout=120))
