# SPDX-License-Identifier: Apache-2.0
"""--net and the keys net and egress: what is accepted, what is refused and how it is told, and what a box keeps of it."""
import json
import os
import subprocess
import time

import pytest
from box import aisbx, wait_until


class Place:
    """A project, a home and a state of its own."""

    def __init__(self, tmp):
        self.project, self.home, self.profiles = tmp / "project", tmp / "home", tmp / "config" / "aisbx" / "profiles"
        for directory in (self.project, self.home, self.profiles):
            directory.mkdir(parents=True)
        (self.project / "aisbx.yaml").write_text("intents: {test: 'true'}\n")
        self.env = {**os.environ, "HOME": str(self.home), "XDG_CONFIG_HOME": str(tmp / "config"), "XDG_STATE_HOME": str(tmp / "state")}
        for name in ("AISBX_PROFILE", "PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_CONFIG_FILE", "NPM_CONFIG_REGISTRY", "NPM_CONFIG_USERCONFIG"):
            self.env.pop(name, None)

    def start(self, *words):
        at = words.index("--") if "--" in words else len(words)
        return subprocess.Popen([aisbx(), *words[:at], "--json", *words[at:]], cwd=self.project, env=self.env, stdin=subprocess.PIPE,
                                stdout=subprocess.PIPE)

    def do(self, *words):
        with self.start(*words) as done:
            return json.loads(done.communicate(timeout=60)[0])

    def error(self, *words):
        result = self.do(*words)
        assert result.get("status") == "error", result
        return result["error"]["text"]

    def rules(self, *words):
        """What a run in the box 'b' with these options would reach: told to whoever joins with others."""
        with self.start("run", "--box", "b", *words, "--", "cat") as first:
            try:
                def up():
                    found = self.do("ps", "--all")["runs"]
                    return found and found[0]["state"] == "running"
                wait_until(up)
                text = self.error("run", "--box", "b", "--net", "none", "--", "true")
            finally:
                first.communicate(timeout=60)
        return text


@pytest.fixture(name="place")
def fixture_place(tmp_path):
    return Place(tmp_path)


WRONG = [
    (["pyton-packages"], "did you mean 'python-packages'?"),
    (["non"], "did you mean 'none'?"),
    (["loopbck"], "allowed: none, loopback, allow, ask, python-packages, npm, crates, go, maven, debian, github"),
    (["github.com:https"], "for example: net:egress:github.com:443"),
    (["127.0.0.1:5432"], "for example: net:host:5432"),
    (["127.1:5432"], "more than one way"),
    (["169.254.169.254:80"], "credentials"),
    (["10.1.2.3/8:80"], "did you mean 10.0.0.0/8?"),
    (["net:egres:a.example:1"], "did you mean 'net:egress:'?"),
    (["https://a.example/x GTE"], "did you mean GET?"),
    (["github:owner"], "for example: github:python/cpython"),
    (["none", "npm"], "contradict each other"),
    (["none", "loopback"], "contradict each other"),
]


@pytest.mark.parametrize("values, told", WRONG, ids=lambda v: " ".join(v) if isinstance(v, list) else "")
def test_wrong_values_are_told_everywhere(place, values, told):
    options = [word for value in values for word in ("--net", value)]
    for command in (["run", *options, "--", "true"], ["create", *options, "b"], ["try", "--test", "true", *options, "--", "true", "--", "true"],
                    ["run-code", "--lang", "shell", *options, "--code", "true"], ["profile", "explain", *options],
                    ["do", "test", *options], ["guard", *options, "--", "touch", "x"]):
        result = place.do(*command)
        assert told in json.dumps(result, ensure_ascii=False).replace("\\\\", "\\"), (command, result)
    assert place.do("ls", "--all")["boxes"] == []


def test_a_rule_of_a_url_with_a_password_is_not_shown(place):
    assert "hunter2" not in place.error("run", "--net", "https://me:hunter2@a.example/x", "--", "true")


def test_wrong_rules_of_a_profile_have_a_place(place):
    path = place.profiles / "mine.yaml"
    for text, at, told in (("net: allow\negress: [npm, githb]\n", "2:15", "did you mean 'github'?"),
                           ("net: allow\negress:\n  - npm\n  - 127.0.0.1:80\n", "4:5", "net:host:5432"),
                           ("egress: [npm]\n", "1:10", "add 'net: allow'"),
                           ("net: alow\n", "1:6", "did you mean 'allow'?")):
        path.write_text(text)
        for command in (["profile", "check", str(path)], ["run", "--profile", "mine", "--", "true"], ["profile", "show", "mine"]):
            error = place.error(*command)
            assert error.startswith(f"{path}:{at}: ") and told in error, error


def test_rules_are_shown_and_explained(place):
    (place.profiles / "base.yaml").write_text("net: allow\negress: [npm]\n")
    (place.profiles / "mine.yaml").write_text("extends: base\negress:\n  - db.example:5432\n")
    assert place.do("profile", "show", "mine")["profile"]["egress"] == ["npm", "db.example:5432"]
    told = place.do("profile", "explain", "mine", "--net", "pypi.org")["values"]
    rows = [(v["value"], v["from"], v["line"]) for v in told if v["key"] in ("net", "egress")]
    assert rows == [("allow", "option --net", None), ("npm", str(place.profiles / "base.yaml"), 2),
                    ("db.example:5432", str(place.profiles / "mine.yaml"), 3), ("pypi.org", "option --net", None)]
    told = {v["key"]: v["value"] for v in place.do("profile", "explain", "strict", "--net", "ask")["values"]}
    assert told["net"] == "ask" and told["egress"] == "none"


def test_a_box_keeps_its_rules_and_a_run_adds_its_own(place):
    place.do("create", "b", "--net", "npm", "--net", "10.0.0.0/8:5432")
    (place.home / ".npmrc").write_text("registry=https://npm.corp.example/\n")
    text = place.rules()
    assert "'--net allow'" in text or "--net allow" in text, text
    state = [p for p in (place.home.parent / "state" / "aisbx" / "net").iterdir()]
    assert [p.read_bytes() for p in state] == [b"npm\x0010.0.0.0/8:5432\x00"]
    place.do("fork", "b", "--name", "c")
    assert len(list((place.home.parent / "state" / "aisbx" / "net").iterdir())) == 2
    place.do("rm", "b")
    place.do("rm", "c")
    assert not list((place.home.parent / "state" / "aisbx" / "net").iterdir())


def test_who_joins_has_the_same_rules(place):
    """The description of a live run names them; who joins with others is told which one."""
    place.do("create", "b", "--net", "npm")
    (place.home / ".npmrc").write_text("registry=https://npm.corp.example:8443/\n")
    with place.start("run", "--box", "b", "--", "cat") as first:
        try:
            deadline = time.monotonic() + 30
            while place.do("exec", "b", "--", "true").get("exit_code") != 0:
                assert time.monotonic() < deadline
            assert place.do("run", "--box", "b", "--", "true")["exit_code"] == 0
            assert "net:egress:a.example:443" in place.error("run", "--box", "b", "--net", "a.example:443", "--", "true")
            (place.home / ".npmrc").write_text("")
            assert "net:egress:npm.corp.example:8443" in place.error("run", "--box", "b", "--", "true")
        finally:
            first.communicate(timeout=60)


def test_many_values_run(place):
    done = place.do("run", "--net", "python-packages", "--net", "*.example.org:443", "--net", "github:a/b:read", "--", "true")
    assert done["exit_code"] == 0, done
    done = place.do("run", *[w for i in range(500) for w in ("--net", f"{'x' * 60}{i}.example:443")], "--", "true")
    assert "network rules" in done["error"]["text"], done
