# SPDX-License-Identifier: Apache-2.0
"""The world itself: every client that other tests run in boxes works in it without one. Where these fail, the others say nothing."""
import json
import os
import pathlib
import tempfile

import box
import clients
import names
import pytest


def test_who_comes_in_is_who_was_outside(world, project):
    done = world.run("sh", "-c", "id -u; grep CapEff /proc/self/status", cwd=project, check=True)
    uid, caps = done.stdout.split("\n", 1)
    assert int(uid) == os.getuid()
    assert box.IS_ROOT or int(caps.split()[1], 16) == 0


def test_a_box_can_be_made(world, project):
    result = world.box("sh", "-c", "id -u; cat /etc/resolv.conf", cwd=project)
    assert result["exit_code"] == 0 and result["isolation"]["level"] == "full", result
    assert result["stdout"] == f"{os.getuid()}\nnameserver {names.RESOLVER}\nsearch corp.example\n"


def test_root_becomes_somebody(world):
    """An ordinary user of the machine, where root runs the tests; else whoever runs them."""
    user = "nobody" if box.IS_ROOT else None
    home = pathlib.Path(tempfile.mkdtemp(dir=world.dir))
    (home / "project").mkdir()
    if box.IS_ROOT:
        for path in (home, home / "project"):
            os.chown(path, 65534, 65534)
    done = world.run(box.aisbx(), "run", "--", "id", "-u", cwd=home / "project", user=user,
                     env=world.environment(home / "project", XDG_STATE_HOME=str(home / "state")), check=True)
    assert int(done.stdout) == (65534 if box.IS_ROOT else os.getuid())


@pytest.mark.parametrize("name", clients.usable())
def test_client(world, project, name):
    client = clients.INSTALLERS[name]
    client.prepare(world, project)
    done = world.run("sh", "-ec", client.outside or client.script, cwd=project)
    assert done.returncode == 0 and client.expect in done.stdout, done


@pytest.mark.parametrize("name, family", [(name, 6 if ":" in row[0] else 4) for name, row in {**names.HOSTS, **names.TRAPS}.items() if name != "to-multicast.example"])
def test_every_name_has_a_server(world, name, family):
    """Also those that lead where no box may go: what refuses there must be aisbx."""
    done = world.run("curl", "-sS", f"-{family}", f"https://{name}/whoami", f"http://{name}/whoami", check=True)
    assert [json.loads(line)["host"] for line in done.stdout.splitlines()] == [name, name]


def test_dns(world, project):
    found = inside(world, project, "dns example.com AAAA edns", "dns _postgresql._tcp.example.net SRV tcp", "dns txt.example.com TXT split",
                   "dns nothing.example A", f"dns {names.REBINDING} A", f"dns {names.REBINDING} A", "resolve in-hosts.example", "resolve short")
    assert [f.get("code") for f in found] == ["NOERROR", "NOERROR", "NOERROR", "NXDOMAIN", "NOERROR", "NOERROR", None, None]
    assert found[0]["answers"][0]["value"] == names.address("example.com", 6)
    assert found[1]["answers"][0]["value"] == [0, 0, 5432, "db.example.net"]
    assert found[2]["answers"][0]["value"] == "v=world"
    assert {f["answers"][0]["value"] for f in found[4:6]} == set(names.REBINDING_ADDRESSES)
    assert found[6]["addresses"] == [names.IN_HOSTS["in-hosts.example"]]
    assert found[7]["addresses"] == [names.address("short.corp.example")]
    assert ("A", "nothing.example") in world.asked()


def test_datagrams_and_proxy(world, project):
    found = inside(world, project, "quic example.com", "udp udp.example.net 7000", f"udp {names.METADATA} 7000", "connect gone.example.net 443", "connect example.com 81")
    assert [f.get("error") for f in found] == [None, None, None, "ENETUNREACH", "ECONNREFUSED"]
    proxy = f"http://{names.PROXY_USER}:{names.PROXY_PASSWORD}@{names.PROXY}:{names.PROXY_PORT}"
    assert '"sni":"example.com"' in world.run("curl", "-sS", "-x", proxy, "https://example.com/whoami", check=True).stdout
    assert world.run("curl", "-sS", "-x", proxy.replace("alice", "bob"), "https://example.com/whoami").returncode != 0
    assert {"method": "CONNECT", "target": "example.com:443", "known": True} in world.seen("proxy")


def inside(world, project, *acts):
    words = " , ".join(acts).split()
    return json.loads(world.run("/usr/bin/python3", "-B", "inside.py", *words, cwd=project, check=True).stdout)
