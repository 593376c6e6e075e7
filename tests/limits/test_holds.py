# SPDX-License-Identifier: Apache-2.0
"""What the result says of limits is what holds; and tools that reserve addresses without end run behind the limit on memory."""
import os
import pathlib
import shutil
import subprocess

import box
import pytest
from eat import finished

SOURCES = pathlib.Path(__file__).parent / "wanting"


def run_below(table, shell, *words, options=()):
    """A run whose caller has a limit of its own: SHELL sets it."""
    done = subprocess.run(["sh", "-c", shell + '; exec "$@"', "sh", *box.command(*words, options=options)], cwd=table.project,
                          stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=60)
    return box.json.loads(done.stdout)


def test_files_of_the_caller(table):
    """65536 was told and 20000 held."""
    limit = run_below(table, "ulimit -n 3000", "./eat", "files")["limits"]["files"]
    assert limit == {"value": 3000, "asked": 65536, "soft": 1024, "by": "rlimit"}
    result = run_below(table, "ulimit -n 3000", "./eat", "files", options=["--files", "9000"])
    assert result["limits"]["files"] == {"value": 3000, "asked": 9000, "by": "rlimit"}
    assert "files 2997 EMFILE last 2999\n" in result["stdout"]


def test_no_option_raises_what_the_caller_has(table):
    result = run_below(table, "ulimit -n 500", "sh", "-c", "./eat files; echo Too many open files >&2; exit 1")
    assert result["limit"]["kind"] == "files" and result["limit"]["value"] == 500, result["limit"]
    refusal, = (v for v in result["violations"] if v["kind"] == "limit")
    assert refusal["allow_with"] == "" and "ulimit -H" in refusal["rule"], refusal


def test_file_size_of_the_caller(table):
    """Nobody asked for one, but there is one."""
    result = run_below(table, "ulimit -f 4096", "true")
    assert result["status"] == "ok" and result["limits"]["file_size"]["value"] in (2 << 20, 4 << 20), result["limits"]
    assert "file_size" not in finished(table.eat("nothing"))["limits"]


def test_soft_limit_of_files(table):
    """What a program has that does not ask for more is what it comes to, and an option gives it more at once."""
    words = ("python3", "-c", "all = [open('/dev/null') for _ in range(1100)]")
    result = box.started(box.run(*words, cwd=table.project))
    assert result["limit"] == {"kind": "files", "value": 1024, "used": 1024, "raise_with": "--files", "sure": False}, result["limit"]
    refusal, = (v for v in result["violations"] if v["kind"] == "limit")
    assert refusal["allow_with"] == "--files 2048"
    assert box.started(box.run(*words, cwd=table.project, options=["--files", "2048"]))["status"] == "ok"


def test_who_joins_has_the_limits_of_the_box(table):
    """Whatever its own caller has."""
    aisbx, env = box.aisbx(), {**os.environ, "XDG_STATE_HOME": str(table.project.parent / "state")}

    def call(*words):
        return box.json.loads(subprocess.run([aisbx, *words], cwd=table.project, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                             check=False, timeout=60).stdout)

    call("create", "shared", "--json")
    first = subprocess.Popen(["sh", "-c", 'ulimit -n 3000; exec "$@"', "sh", aisbx, "run", "--box", "shared", "--", "sh", "-c", "echo up; read end"],
                             cwd=table.project, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert first.stdout.readline() == b"up\n"
    limits = call("run", "--box", "shared", "--json", "--", "true")["limits"]
    refusal = call("run", "--box", "shared", "--json", "--mem", "0", "--", "true")
    first.communicate(b"\n", timeout=60)
    call("rm", "shared", "--json")
    assert limits["files"] == {"value": 3000, "asked": 65536, "soft": 1024, "by": "rlimit"}
    assert "'--mem 75%', this command has '--mem 0'" in refusal["error"]["text"], refusal


def test_words_alone_are_no_reason(table):
    """Of who succeeds, or cannot have come to the limit."""
    for words, status in ((("sh", "-c", "echo Too many open files >&2"), "ok"),
                          (("sh", "-c", "echo fork: Resource temporarily unavailable >&2; exit 1"), "failed"),
                          (("sh", "-c", "echo MemoryError >&2; exit 1"), "failed"),
                          (("sh", "-c", "echo File too large >&2; exit 1"), "failed")):
        result = box.started(box.run(*words, cwd=table.project))
        assert (result["status"], result["limit"]) == (status, None), (words, result["limit"])


def text_of(table, *words, options=()):
    done = subprocess.run([box.aisbx(), "run", *options, "--", *words], cwd=table.project, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, check=False, timeout=60)
    return [line for line in done.stderr.splitlines() if line.startswith("aisbx: ")]


def test_words_for_a_person(table):
    assert text_of(table, "./eat", "heap", "72m", options=["--mem", "64m"]) == [
        "aisbx: out of memory: 64 MiB is the limit of this run; raise it with --mem 128m"]
    assert text_of(table, "sh", "-c", "head -c 3m /dev/zero >f", options=["--file-size", "1m"]) == [
        "aisbx: 1 MiB for one file is the limit of this run; raise it with --file-size 2m"]
    assert text_of(table, "python3", "-c", "all = [open('/dev/null') for _ in range(99)]", options=["--files", "64"]) == [
        "aisbx: its output points to a limit: 64 open files in one process is the limit of this run; raise it with --files 128"]
    coped = text_of(table, "sh", "-c", "./eat forks 30; true", options=["--pids", "20"])
    assert coped in ([], ["aisbx: it wanted to have more than 20 processes at once, and went on without; raise it with --pids 40"])


@pytest.fixture(scope="module")
def sanitized(tmp_path_factory):
    """build(NAME): a program that is good, leaks or races, with the sanitizer NAME."""
    root = tmp_path_factory.mktemp("sanitized")
    shutil.copy(SOURCES / "sanitized.c", root)

    def build(name):
        if not (root / name).exists():
            subprocess.run([os.environ.get("CC", "gcc"), "-g", f"-fsanitize={name}", "-pthread", "-o", name, "sanitized.c"], cwd=root, check=True)
        return root

    return build


@pytest.mark.parametrize("profile", ["strict", "dev", "c"])
@pytest.mark.parametrize("name,wrong,words", [("address", "leak", "LeakSanitizer: detected memory leaks"),
                                              ("address", "beyond", "AddressSanitizer: heap-buffer-overflow"),
                                              ("thread", "race", "ThreadSanitizer: data race")])
def test_sanitizers(sanitized, name, wrong, words, profile):
    """They run, and find what they are for, with the limits as they are."""
    root = sanitized(name)
    env = {k: v for k, v in os.environ.items() if not k.endswith("SAN_OPTIONS")}  # those of our own builds turn things off
    good = box.started(box.run(f"./{name}", "good", cwd=root, profile=profile, env=env))
    assert good["status"] == "ok" and good["stdout"] == "good\n" and not good["violations"], (good["stderr"], good["violations"])
    bad = box.started(box.run(f"./{name}", wrong, cwd=root, profile=profile, env=env))
    assert bad["status"] == "failed" and words in bad["stderr"] and not bad["violations"], (bad["stderr"], bad["violations"])
