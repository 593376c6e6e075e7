# SPDX-License-Identifier: Apache-2.0
"""The compiler of seccomp rules stops the build at what its reader might understand otherwise, and says where."""
import os
import pathlib
import subprocess

import pytest

RULES = pathlib.Path(__file__).resolve().parents[2] / "policies" / "seccomp"
PLAIN = "allow read # plain\nrefuse mount # no\nallow clone arg0&0x7e020000==0 # children\nrefuse clone # no namespace\n"


def compile_rules(place, default, preset=None):
    compiler = pathlib.Path(os.environ["AISBX_TEST_BIN"]).parent / "tools" / "seccomp-compile"
    (place / "default.rules").write_text(default)
    words = [compiler, place / "out.h", place / "default.rules"]
    if preset is not None:
        (place / "small.rules").write_text(preset)
        words.append(place / "small.rules")
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60)
    return done.returncode, [s for s in done.stderr.splitlines() if "warning: no rule" not in s]


@pytest.mark.parametrize("default, preset, message", [
    ("allow read\n", None, "default.rules:1: 'read' has no reason beside it"),
    ("allow read # a\nallow read # b\n", None, "default.rules:2: 'read' was settled in line 1"),
    ("permit read # a\n", None, "default.rules:1: 'permit' is not allow, refuse, tell, own, watch, absent or unsupported"),
    ("allow raed # a\n", None, "default.rules:1: 'raed' is not a system call of x86_64"),
    ("allow clone arg0==1 # a\n", None, "default.rules:1: 'clone' has no line without a condition"),
    ("allow read # 'a\"\n", None, "default.rules:1: a reason may hold neither quotes nor backslashes"),
    (PLAIN, "allow read\n", "small.rules:1: 'read' has no reason beside it"),
    (PLAIN, "allow mount # a\n", "small.rules:1: default.rules does not allow 'mount', and a preset can only be smaller"),
    (PLAIN, "allow write # a\n", "small.rules:1: default.rules does not allow 'write', and a preset can only be smaller"),
    (PLAIN, "allow read # a\n\nspare read # b\n", "small.rules:3: 'read' was chosen before"),
    (PLAIN, "allow read # a\ninclude small\n", "small.rules:1: 'read' was chosen before"),
    (PLAIN, "include small\n", "small.rules:1: files include each other more than 4 deep"),
    (PLAIN, "include other\n", "other.rules:0: No such file or directory"),
    (PLAIN, "refuse read # a\n", "small.rules:1: 'refuse' is not include, allow, spare or absent"),
    (PLAIN, "allow clone arg0==1 # a\n", "small.rules:1: not a word and one name; conditions stand in default.rules only"),
    (PLAIN, "allow # a\n", "small.rules:1: not a word and one name; conditions stand in default.rules only"),
])
def test_mistakes(tmp_path, default, preset, message):
    status, said = compile_rules(tmp_path, default, preset)
    assert status == 1 and said == [f"{tmp_path}/{message}"]
    assert not (tmp_path / "out.h").exists()


def test_presets_and_what_they_choose(tmp_path):
    status, said = compile_rules(tmp_path, PLAIN + "allow write # plain\nallow pipe # plain\n",
                                 "allow clone # children\nspare read # a\nabsent pipe # another way\n")
    assert status == 0 and said == []
    lines = (tmp_path / "out.h").read_text().splitlines()
    # number, name, verdict, exceptions, bits of the presets that have it, bits of those that answer ENOSYS
    for rule in ('{ 0, "read", SYSCALL_ALLOW, false, 0x3, 0x0, "plain" },', '{ 1, "write", SYSCALL_ALLOW, false, 0x1, 0x0, "plain" },',
                 '{ 22, "pipe", SYSCALL_ALLOW, false, 0x1, 0x2, "plain" },',
                 '{ 56, "clone", SYSCALL_REFUSE, true, 0x3, 0x0, "no namespace" },',
                 '{ 165, "mount", SYSCALL_REFUSE, false, 0x1, 0x0, "no" },'):
        assert "\t" + rule in lines, (rule, lines[-12:])


def test_the_same_rules_give_the_same_bytes(tmp_path):
    """Wherever the tree lies and whenever it is built."""
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        assert compile_rules(tmp_path / name, (RULES / "default.rules").read_text())[0] == 0
    assert (tmp_path / "one" / "out.h").read_bytes() == (tmp_path / "two" / "out.h").read_bytes()
