# SPDX-License-Identifier: Apache-2.0
"""Policies in Rego as gates, judged by the real opa in a box: what they say counts, what they try does not get out."""
import http.server
import json
import os
import pathlib
import shutil
import subprocess
import threading

import pytest

import box

HERE = pathlib.Path(__file__).resolve().parent
STANDARD = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

POLICY = """package aisbx

default allow := false

allow if {
	input["changes.deleted"] < 2
	input.traps == 0
}

broken if input.nothing

deny contains msg if {
	input.changes > 0
	msg := "something changed"
}
"""


@pytest.fixture(name="opa", scope="session")
def fixture_opa():
    cache = pathlib.Path(os.environ.get("AISBX_TEST_CACHE") or pathlib.Path.home() / ".cache" / "aisbx-tests")
    if not list(cache.glob("opa-*/opa")):
        subprocess.run([HERE.parent / "rego" / "prepare", cache], check=True, timeout=900)
    return next(cache.glob("opa-*/opa"))


@pytest.fixture(name="place")
def fixture_place(tmp_path):
    project = tmp_path / "project"
    (project / "policy").mkdir(parents=True)
    (project / "policy/gate.rego").write_text(POLICY)
    for name in ("a", "b", "c"):
        (project / name).write_text(name)
    (tmp_path / "home").mkdir()
    return project


def call(*words, cwd, more=()):
    """Exit status and result of `aisbx ... --json`, with opa on the PATH."""
    home = cwd.parent / "home"
    env = {"PATH": f"relative:{STANDARD}:{home}/bin", "HOME": str(home), "LC_ALL": "C.UTF-8", "TMPDIR": str(cwd.parent),
           "XDG_STATE_HOME": os.environ["XDG_STATE_HOME"], **dict(more)}
    done = subprocess.run([box.aisbx(), *map(str, words), "--json"], cwd=cwd, env=env, stdin=subprocess.DEVNULL, capture_output=True,
                          timeout=120, check=False)
    assert done.stdout, done.stderr
    assert not list(cwd.parent.glob("aisbx-rego-*")), "nothing is left"
    return done.returncode, json.loads(done.stdout)


def link_opa(place, opa):
    directory = place.parent / "home" / "bin"
    directory.mkdir()
    (directory / "opa").symlink_to(opa)


def make_box(place, script):
    name = call("create", cwd=place)[1]["name"]
    done = subprocess.run([box.aisbx(), "run", "--box", name, "--", "sh", "-c", script], cwd=place, stdin=subprocess.DEVNULL, capture_output=True,
                          timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return name


def judge(place, name, rule="allow", **more):
    return call("gate", "check", name, "--rego", "policy/gate.rego", "--query", f"data.aisbx.{rule}", cwd=place, **more)


def test_a_policy_decides(place, opa):
    link_opa(place, opa)
    (place / "aisbx.yaml").write_text("gates: {ready: [{rego: policy/gate.rego, query: data.aisbx.allow}]}\n")
    name = make_box(place, "rm a")
    status, result = call("gate", "check", name, "ready", cwd=place)
    assert (status, result["passed"]) == (0, True), result
    assert result["checks"][0]["kind"] == "rego" and result["checks"][0]["why"] == "data.aisbx.allow is true"
    name = make_box(place, "rm a b c")
    status, result = call("gate", "check", name, "ready", cwd=place)
    assert (status, result["passed"], result["checks"][0]["why"]) == (1, False, "data.aisbx.allow is false")
    assert result["facts"]["changes.deleted"] == 3
    # Neither what a box makes of the policy nor of the gates counts.
    name = make_box(place, "rm a b c; printf 'package aisbx\\nallow := true\\n' > policy/gate.rego; echo > aisbx.yaml")
    status, result = call("gate", "check", name, "ready", cwd=place)
    assert (status, result["passed"]) == (1, False)


def test_only_true_passes(place, opa):
    link_opa(place, opa)
    name = make_box(place, "echo x > a")
    for rule, why in (("deny", 'data.aisbx.deny is ["something changed"], but must be true'), ("nothing", "is not defined"), ("broken", "is not defined")):
        status, result = judge(place, name, rule)
        assert (status, result["passed"]) == (1, False) and why in result["checks"][0]["why"], result


def test_what_cannot_be_judged_is_no_pass(place, opa):
    link_opa(place, opa)
    name = make_box(place, "echo x > a")
    policy = place / "policy/gate.rego"
    for text, words in (("package aisbx\nallow if {", "error in the policy, line 2"), ("package aisbx\nallow := nosuch(1)\n", "rego_type_error"),
                        ("package aisbx\nallow := true { }", "error in the policy, line 2"), ("x" * (1 << 20) + "yy", "at most 1048576 are allowed"),
                        ("package aisbx\nallow := true if false\nallow := 1 if true\nallow := 2 if true\n", "rego")):
        policy.write_text(text)
        status, result = judge(place, name)
        assert status not in (0, 1) and words in result["error"]["text"], (text[:40], result)
    for file, query, words in (("../x.rego", "data.x", "not in the project"), ("/etc/passwd", "data.x", "not in the project"),
                               ("policy/gate.rego", "--help", "not the name of a rule"), ("policy/gate.rego", "data.x; true", "not the name of a rule")):
        status, result = call("gate", "check", name, f"--rego={file}", f"--query={query}", cwd=place)
        assert status not in (0, 1) and words in result["error"]["text"], result
    policy.unlink()
    assert "No such file" in judge(place, name)[1]["error"]["text"]
    os.mkfifo(policy)
    assert "regular file" in judge(place, name)[1]["error"]["text"]


def test_without_opa_it_says_what_to_do(place, opa):
    name = make_box(place, "echo x > a")
    (place / "relative").mkdir()
    (place / "relative" / "opa").symlink_to(opa)
    status, result = judge(place, name)  # a directory of the PATH that is the project's does not count
    assert status not in (0, 1) and "which is not on the PATH; install it" in result["error"]["text"]


def test_opa_wherever_it_is(place, opa):
    """In a home that no box shows, behind a link, and in a directory whose name must be written otherwise."""
    name = make_box(place, "echo x > a")
    directory = place.parent / "home" / "of:go"
    directory.mkdir()
    shutil.copy(opa, directory / "opa")
    link_opa(place, directory / "opa")
    with box.Watch(place, place.parent / "home"):
        assert judge(place, name)[0] == 0


def test_a_policy_gets_nowhere(place, opa):
    """It is asked in a box: no network, nothing of the person's, and what it takes is limited."""
    link_opa(place, opa)
    name = make_box(place, "echo x > a")
    policy, asked = place / "policy/gate.rego", []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):  # pylint: disable=invalid-name
            asked.append(self.path)
            self.send_response(200)
            self.end_headers()

        def log_message(self, *args):  # pylint: disable=arguments-differ
            pass

    server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    request = f'{{"method": "get", "url": "http://127.0.0.1:{server.server_port}/secret", "raise_error": false}}'
    text = f"package aisbx\nallow if http.send({request}).status_code == 200\n"
    policy.write_text(text)
    try:
        assert judge(place, name)[1]["passed"] is False and not asked
        outside = subprocess.run([opa, "eval", "-d", policy, "-f", "raw", "data.aisbx.allow"], capture_output=True, timeout=60, check=True)
        assert outside.stdout.strip() == b"true" and asked, "without a box it would have got there"
    finally:
        server.shutdown()
        server.server_close()
    policy.write_text("package aisbx\nallow := object.get(opa.runtime().env, \"AISBX_CANARY\", \"none\")\n")
    assert '"none"' in judge(place, name, more={"AISBX_CANARY": "canary"})[1]["checks"][0]["why"]
    policy.write_text('package aisbx\ns := sprintf("%01000d", [0])\nm := replace(s, "0", s)\nallow := count(replace(m, "0", s)) > 0\n')
    status, result = judge(place, name)
    text = result["error"]["text"]  # stopped from outside, or, where no control group does that, dead for want of memory
    assert status not in (0, 1) and ("exceeded its limits" in text or "opa ended with status" in text) and "\n" not in text, result
