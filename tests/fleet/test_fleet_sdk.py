# SPDX-License-Identifier: Apache-2.0
"""The SDKs over a fleet: the cases of tests/sdk that need nothing of this machine, and what is particular about nodes."""
import asyncio
import json
import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/sdk"), str(ROOT / "sdk/python")]
import aisbx
import box
import case_runner
import own_fleet
from test_typescript import cache, find_node

# What is of this machine: its project, its files, terminals and ports, its scanner of programs, descriptors and secrets of this process.
NOT_OVER_A_FLEET = ('"project"', "$project", "${project}", "host.", "promote", "undo", "stale", "get_host", "watch_dir", '"tty"', '"secrets"', '"policy"',
                    "sbx.pause", ".pty.", "commands.connect", "code_context", ".close_stdin", "disconnect", '"timeout": 0.3')  # of commands that are over before a busy node has begun them
CASES = [case for case in case_runner.CASES if not any(word in json.dumps(case) for word in NOT_OVER_A_FLEET)]
KINDS = {"sync": aisbx.Sandbox, "async": aisbx.AsyncSandbox}
SCALE = float(os.environ.get("TIMEOUT_MULTIPLIER", "1"))


@pytest.fixture(name="fleet", scope="module")
def fixture_fleet(tmp_path_factory):
    f = own_fleet.Fleet(tmp_path_factory.mktemp("fleet"))
    with pytest.MonkeyPatch.context() as patch:
        for name in ("HOME", "XDG_STATE_HOME", "AISBX_NATS"):
            patch.setenv(name, f.env[name])
        patch.setenv("AISBX", box.aisbx())
        try:
            f.hub()
            f.node("a", "--labels", "zone=a", "--slots", "8")
            f.node("b", "--labels", "zone=b")
            yield f
        finally:
            for client in list(aisbx.client._fleets.values()):
                client.close()
            f.finish()


def test_there_are_enough_cases():
    assert len(CASES) >= 40


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_case(case, kind, fleet, tmp_path):
    runner = case_runner.Runner(KINDS[kind], tmp_path, {"fleet": "zone=a"})
    asyncio.run(asyncio.wait_for(runner.run(case), 120 * SCALE))


def test_cases_in_typescript(fleet, tmp_path):
    assert fleet
    sdk = subprocess.run([ROOT / "tests/sdk/prepare-typescript", cache()], stdout=subprocess.PIPE, text=True, check=True, timeout=300 * SCALE)
    (tmp_path / "cases.json").write_text(json.dumps({"cases": CASES}), encoding="utf-8")
    done = subprocess.run([find_node(), ROOT / "tests/sdk/run-typescript.mjs", sdk.stdout.strip(), tmp_path / "cases.json", tmp_path / "projects"],
                          capture_output=True, text=True, env={**os.environ, "AISBX_TEST_FLEET": "zone=a"}, check=False, timeout=400 * SCALE)
    assert done.returncode == 0, done.stderr
    said = {one["name"]: one["error"] for one in map(json.loads, done.stdout.splitlines())}
    assert {name: error for name, error in said.items() if error} == {}
    assert len(said) == len(CASES)


def test_a_sandbox_knows_its_node(fleet):
    assert fleet
    with aisbx.Sandbox.create(fleet="zone=b") as sandbox:
        assert sandbox.node == "b" and sandbox.get_info().node == "b"
        assert sandbox.address == f"node=b/{sandbox.sandbox_id}"
        sandbox.files.write("f", "there")
        for client in (aisbx.Client(fleet="zone=a"), aisbx.Client(fleet="any")):
            with client:
                for name in (sandbox.name, sandbox.sandbox_id, sandbox.address):
                    assert aisbx.Sandbox.connect(name, client=client).files.read("f") == "there"
        assert [fork.node for fork in sandbox.fork(2)] == ["b", "b"]
        assert {"b"} <= {info.node for info in aisbx.Sandbox.list(fleet="any")}


def test_it_is_found_without_the_memory_of_this_machine(fleet, monkeypatch, tmp_path):
    assert fleet
    with aisbx.Sandbox.create(fleet="zone=b") as sandbox:
        sandbox.files.write("f", "there")
        monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
        with aisbx.Client(fleet="zone=a") as elsewhere:
            with pytest.raises(aisbx.SandboxNotFound):
                aisbx.Sandbox.connect(sandbox.sandbox_id, client=elsewhere)
            same = aisbx.Sandbox.connect(sandbox.address, client=elsewhere)
            assert (same.node, same.files.read("f")) == ("b", "there")


@pytest.mark.parametrize("what", [
    lambda s: s.promote(), lambda s: s.get_host(80), lambda s: s.files.watch_dir(), lambda s: s.run_code("1", policy="default"),
    lambda s: aisbx.Sandbox.create(fleet="any", secrets={"A": "env:HOME"}), lambda s: aisbx.Sandbox.create(fleet="any", project="/"),
    lambda s: aisbx.Sandbox.list(client=aisbx.Client(fleet="any", owner="me")),
], ids=["promote", "port", "watch", "scan", "secret", "project", "owner"])
def test_what_is_of_this_machine_is_unsupported(fleet, what):
    assert fleet
    with aisbx.Sandbox.create(fleet="zone=a") as sandbox, pytest.raises(aisbx.Unsupported):
        what(sandbox)


def test_combinations_that_make_no_sense():
    for wrong in ({"fleet_or_local": True}, {"fleet": "any", "socket": "/s"}):
        with pytest.raises(aisbx.UsageError):
            aisbx.Client(**wrong)
    with aisbx.Client() as client, pytest.raises(aisbx.UsageError):
        aisbx.Sandbox.create(fleet="any", client=client)
    with pytest.raises(aisbx.UsageError):
        aisbx.Sandbox.list(fleet_or_local=True)


def test_no_nats_is_told_and_or_local_is_local(monkeypatch, tmp_path):
    monkeypatch.setenv("AISBX", box.aisbx())
    monkeypatch.setenv("AISBX_NATS", f"nats://127.0.0.1:{own_fleet.free_port()}")
    with aisbx.Client(fleet="any") as client, pytest.raises(aisbx.ServerGone, match="reach|connect"):
        aisbx.Sandbox.list(client=client)
    with aisbx.Client(fleet="any", fleet_or_local=True) as client:
        with aisbx.Sandbox.create(project=str(tmp_path), client=client) as sandbox:
            assert sandbox.node is None
            assert sandbox.commands.run("pwd").stdout.strip() == str(tmp_path)


def test_a_large_file_goes_in_pieces(fleet):
    assert fleet
    data = os.urandom(1 << 20)
    with aisbx.Sandbox.create(fleet="zone=a") as sandbox:
        sandbox.files.write("big", data)
        assert sandbox.files.read("big", format="bytes") == data
