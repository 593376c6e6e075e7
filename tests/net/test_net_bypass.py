# SPDX-License-Identifier: Apache-2.0
"""Twelve clients, each with its own way to look up names and to connect: a refused host stays out of reach by name and by address, and they are
told at once; an allowed one is reached. No proxy variable is set for any of them.
"""
import json
import pathlib
import shutil
import subprocess

import names
import pace
import pytest
import registries
from inbox import inside, violations

HERE = pathlib.Path(__file__).resolve().parent
EVIL = names.address("evil.example")
NET = ("example.com:443", "example.com:80", "github.com:443", "github.com:22", "proxy.golang.org:443", "registry.npmjs.org:443", "pypi.org:443", "files.pythonhosted.org:443")
AT_ONCE = 3
WHOAMI = '"host":"example.com"'

NODE = "node -e 'const u = process.argv[1]; require(u.split(\":\")[0]).get(u, {{rejectUnauthorized: false}}, r => r.pipe(process.stdout)).on(\"error\", e => {{console.error(e); process.exit(1)}})' {}"
SSH = "ssh -o BatchMode=yes -o StrictHostKeyChecking=no git@{} echo works"
GO = "cd m && HOME=$PWD/$$ GOPROXY={} GOFLAGS=-modcacherw go mod download && echo works"
# Command, what it is given by name, by address, and of an allowed host; what it prints then. Patience of their own is turned off: what is
# measured is what they wait for.
CLIENTS = {
    "curl": ("curl -skS {}", ["https://evil.example/whoami", "http://evil.example/whoami"], [f"https://{EVIL}/whoami", f"http://{EVIL}/whoami", f"http://{EVIL}:8080/whoami"],
             ["https://example.com/whoami", "http://example.com/whoami"], WHOAMI),
    "wget": ("wget -qO- --no-check-certificate --tries=1 {}", ["https://evil.example/whoami", "http://evil.example/whoami"], [f"https://{EVIL}/whoami", f"http://{EVIL}/whoami"],
             ["https://example.com/whoami", "http://example.com/whoami"], WHOAMI),
    "git": ("git -c http.sslVerify=false ls-remote {}", ["https://evil.example/acme/hello.git"], [f"https://{EVIL}/acme/hello.git", f"git://{EVIL}/acme/hello.git"],
            ["https://github.com/acme/hello.git"], "refs/heads/main"),
    "ssh": (SSH, ["evil.example"], [EVIL], ["github.com"], "works"),
    "pip": ("/usr/bin/python3 -m pip download -q --disable-pip-version-check --retries 0 --no-cache-dir -d got --trusted-host {0} --index-url https://{0}/simple tinywheel && ls got",
            ["evil.example"], [EVIL], ["pypi.org"], "tinywheel-1.2"),
    "npm": ("npm view --no-update-notifier --fetch-retries=0 --strict-ssl=false --registry=https://{}/ tiny-module version", ["evil.example"], [EVIL], ["registry.npmjs.org"], "1.2.0"),
    "python": ("/usr/bin/python3 -c 'import socket, sys; s = socket.create_connection((sys.argv[1], 80)); s.sendall(f\"GET /whoami HTTP/1.0\\r\\nHost: {{sys.argv[1]}}\\r\\n\\r\\n\".encode()); "
               "d = s.recv(4096).decode(); print(d); sys.exit(not d)' {}", ["evil.example"], [EVIL, f"::ffff:{EVIL}"], ["example.com"], WHOAMI),
    "node": (NODE, ["https://evil.example/whoami"], [f"https://{EVIL}/whoami", f"http://{EVIL}/whoami"], ["https://example.com/whoami", "http://example.com/whoami"], WHOAMI),
    "java": ("java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto Probe {}", ["http://evil.example/whoami"], [f"http://{EVIL}/whoami"], ["https://example.com/whoami"], WHOAMI),
    "go": (GO, ["https://evil.example"], [f"https://{EVIL}"], ["https://proxy.golang.org"], "works"),
    "busybox": ("busybox wget -qO- {}", ["http://evil.example/whoami"], [f"http://{EVIL}/whoami"], ["http://example.com/whoami"], WHOAMI),
    "static C": ("./raw {} 80", ["evil.example"], [EVIL], ["example.com"], WHOAMI),
}
# That of evil has none of the packages; it is enough that it is asked.
NEEDS = {"git": "git", "ssh": "ssh", "pip": "pypi", "npm": "npm", "go": "go"}


@pytest.fixture(name="programs", scope="module")
def fixture_programs(tmp_path_factory):
    """Those that have to be compiled."""
    there = tmp_path_factory.mktemp("programs")
    compilers = [subprocess.Popen(["musl-gcc", "-static", "-O1", "-Wall", "-Werror", "-o", there / "raw", HERE / "raw.c"]),
                 subprocess.Popen(["javac", "-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC", "-d", there, HERE / "Probe.java"])]
    assert [p.wait() for p in compilers] == [0, 0]
    return there


def prepare(world, project, programs, client):
    if client in NEEDS:
        world.need(NEEDS[client])
    if client in ("static C", "java"):
        shutil.copy(programs / ("raw" if client == "static C" else "Probe.class"), project)
    if client == "go":
        (project / "m").mkdir()
        (project / "m/go.mod").write_text("module a\n\ngo 1.18\n\nrequire example.com/tiny v1.2.0\n")
        (project / "m/go.sum").write_text(registries.go_sum())
    command, by_name, by_address, allowed, expect = CLIENTS[client]
    scripts = {f"{kind} {to}": command.format(to) for kind, group in (("name", by_name), ("address", by_address), ("allowed", allowed)) for to in group}
    (project / "commands.json").write_text(json.dumps(scripts))
    return expect


@pytest.mark.parametrize("client", CLIENTS)
def test_client(world, project, programs, client):
    expect = prepare(world, project, programs, client)
    with world.watch() as seen:
        (found, ), result = inside(world, project, "commands commands.json", net=NET)
    del found["seconds"]
    bound = pace.seconds(AT_ONCE)
    for what, done in found.items():
        if what.startswith("allowed"):
            assert done["status"] == 0 and expect in done["out"], (what, done)
        else:
            assert done["status"] != 0 and expect not in done["out"] and '"host"' not in done["out"], (what, done)
            assert done["seconds"] < bound, f"{what}: refused, but only after {done['seconds']} s: {done}"
    seen.nothing_bad()
    told = violations(result)
    assert any("evil.example" in what for what in told) and any(EVIL in what for what in told), told
    assert all(v["allow_with"].startswith("net:egress:") for v in told.values()), told


@pytest.mark.parametrize("client", CLIENTS)
def test_control(world, project, programs, client):
    """Outside of a box the same commands reach the refused host as well: it is there, and answers."""
    prepare(world, project, programs, client)
    wanted = json.loads((project / "commands.json").read_text())
    (project / "commands.json").write_text(json.dumps({k: v for k, v in wanted.items() if not k.startswith("allowed")}))
    with world.watch() as seen:
        world.run("/usr/bin/python3", "-B", "inside.py", "commands", "commands.json", cwd=project, check=True)
    assert len({row["address"] for row in seen.reached(names.EVIL)}) >= 1, "the refused host was not even tried"
