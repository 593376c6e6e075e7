# SPDX-License-Identifier: Apache-2.0
"""Rules of egress as people use them: names in all spellings, ports, ranges, budgets, a proxy of the company, live changes, questions, what is
told and recorded, and ports in."""
import contextlib
import json
import pathlib
import shutil
import subprocess
import time

import box
import names
import pace
import pytest
import registries
from inbox import NO_NAME, NO_WAY, PYTHON, inside, refused, rows, violations, whoami, words
from terminal import Terminal

GOOD = names.address("example.com")
EVIL = names.address("evil.example")
WEB = ("example.com:443", "example.com:80")


def https(name, port=443):
    return f"https {name} {port} {name} {name}"


# Names.

def test_every_spelling_of_a_name(world, project):
    found, result = inside(world, project, *(f"dns {name} A {how}" for name in ("example.com", "EXAMPLE.COM", "eXample.com") for how in ("", "tcp", "edns", "split", "edns tcp")),
                           "resolve example.com.", "resolve Example.Com", https("example.com"), net=("Example.COM.:443",))
    for act in found[:15]:
        assert act["code"] == "NOERROR" and [a["value"] for a in act["answers"]] == [GOOD] and act["id"] == 0x4242, act
        assert act["answers"][0]["name"].lower() == "example.com"
    assert [act["edns"] for act in found[:5]] == [False, False, True, False, True]
    assert found[15]["addresses"] == found[16]["addresses"] == [GOOD] and "whoami" in found[17]
    assert not violations(result)
    assert result["net"]["hosts"] == ["example.com"]


def test_records_of_other_types_are_empty(world, project):
    """AAAA where there is an address of four bytes, and HTTPS and SVCB, which would hide names: there, but empty. So nobody asks another server."""
    with world.watch() as seen:
        found, _ = inside(world, project, *(f"dns example.com {kind}" for kind in ("HTTPS", "SVCB", "TXT", "MX", "SRV", "ANY")), "dns example.com AAAA", "dns only6.example.com AAAA",
                          "dns only6.example.com A", net=(*WEB, "only6.example.com:443"))
    for act in found[:6]:
        assert act["code"] == "NOERROR" and not [a for a in act["answers"] if a["type"] not in (1, 28)], act
    assert found[6]["code"] == "NOERROR" and {a["value"] for a in found[6]["answers"]} <= {names.address("example.com", 6)}
    assert [a["value"] for a in found[7]["answers"]] == [names.address("only6.example.com", 6)]
    assert found[8]["code"] == "NOERROR" and not found[8]["answers"]
    assert {kind for kind, name in world.asked()[seen.asked_before:] if name.endswith("example.com")} <= {"A", "AAAA"}


def test_records_by_a_rule_that_asks_for_them(world, project):
    acts = ["dns txt.example.com TXT", "dns _postgresql._tcp.example.net SRV", "dns alias.example.com CNAME"]
    net = ["txt.example.com:443 records", "*.example.net:5432 records", "alias.example.com:443 records"]
    found, _ = inside(world, project, *acts, net=net)
    assert found[0]["answers"][0]["value"] == "v=world"
    assert found[1]["answers"][0]["value"] == [0, 0, 5432, "db.example.net"]
    assert found[2]["answers"][0]["value"] == "example.com"
    with world.watch() as seen:  # control
        found, _ = inside(world, project, *acts, net=[rule.replace(" records", "") for rule in net])
    assert not [act for act in found if act["answers"]] and not {"TXT", "SRV", "CNAME"} & {kind for kind, _ in world.asked()[seen.asked_before:]}


def test_search_suffixes(world, project):
    """The box has the host's search list: "short" is short.corp.example where a rule has that; suffixes of other names stay inside."""
    with world.watch() as seen:
        found, result = inside(world, project, "resolve short", "resolve short.corp.example", "resolve other", "resolve example.com", net=("short.corp.example:443", "example.com:443"))
    assert found[0]["addresses"] == found[1]["addresses"] == [names.address("short.corp.example")]
    refused(found[2:3], NO_NAME)
    assert found[3]["addresses"] == [GOOD]
    assert not [name for name in seen.asked() if name.startswith("other") or name == "short" or name.startswith("example.com.")], seen.asked()
    assert any("other" in what for what in violations(result))


@pytest.mark.parametrize("resolver", [names.HOST_RESOLVER, "127.0.0.1", "1.1.1.1\nnameserver 8.8.8.8", "::1"])
def test_whatever_resolver_the_host_has(world, project, resolver):
    """A local one is asked in the box, too, though its loopback is its own. (The world's DNS answers at every address it has.)"""
    if resolver.startswith("1.1.1.1"):  # only an answer of the first one's neighbour
        resolver = f"{names.RESOLVER}\nnameserver 8.8.8.8"
    with world.file("resolv.conf", f"nameserver {resolver}\n"):
        found, _ = inside(world, project, "resolve example.com", "resolve evil.example", https("example.com"), net=WEB)
    assert found[0]["addresses"] == [GOOD] and whoami(found[2])["host"] == "example.com"
    refused(found[1:2], NO_NAME)


def test_names_of_the_hosts_file(world, project):
    """The host's resolver decides, which also reads its file; so does the box's, as it has the same."""
    found, _ = inside(world, project, "dns in-hosts.example A", https("in-hosts.example"), net=("in-hosts.example:443",))
    assert found[0]["answers"][0]["value"] == names.IN_HOSTS["in-hosts.example"]
    assert whoami(found[1])["address"] == names.IN_HOSTS["in-hosts.example"]


def test_a_name_nobody_has(world, project):
    found, result = inside(world, project, "resolve nothing.example", https("gone.example.net"), net=("nothing.example:443", "gone.example.net:443"))
    refused(found[:1], NO_NAME)
    refused(found[1:], NO_WAY)
    assert rows(result, name="nothing.example", verdict="broken", reason="no-address")
    assert rows(result, name="gone.example.net", act="tcp", verdict="broken", reason="unreached")
    assert not violations(result), "nobody refused it"


def test_an_alias_is_the_name_that_was_asked_for(world, project):
    found, result = inside(world, project, https("alias.example.com"), "resolve example.com", net=("alias.example.com:443",))
    assert whoami(found[0]) | {"host": "alias.example.com", "sni": "alias.example.com"} == whoami(found[0])
    refused(found[1:], NO_NAME)
    assert result["net"]["hosts"] == ["alias.example.com"]


# Rules.

def test_wildcard(world, project):
    found, _ = inside(world, project, https("api.example.org"), https("deep.api.example.org"), https("example.org"), https("example.com"),
                      "hello api.example.org 443 deep.api.example.org", f"hello {names.address('api.example.org')} 443 example.org", net=("*.example.org:443",))
    assert [whoami(act)["host"] for act in found[:2]] == ["api.example.org", "deep.api.example.org"]
    refused(found[2:4], NO_NAME)
    assert not [act for act in found[4:] if act.get("back") == "handshake"], found


def test_a_rule_without_a_port_is_443(world, project):
    found, _ = inside(world, project, https("example.com"), "http example.com 80 example.com", https("example.com", 8443), net=("example.com",))
    assert whoami(found[0])["port"] == 443
    refused(found[1:])


def test_every_port_of_a_host(world, project):
    ports = [https("example.com"), "http example.com 80 example.com", "http example.com 8080 example.com:8080", https("example.com", 8443), "connect example.com 7000"]
    found, result = inside(world, project, *ports, "http example.com 81 example.com:81", f"http {EVIL} 8080 evil.example", "udp example.com 7000", net=("example.com:*",))
    assert [whoami(act)["port"] for act in found[:4]] == [443, 80, 8080, 8443] and "error" not in found[4], found
    refused(found[5:])
    assert {row["port"] for row in rows(result, act="tcp", verdict="allowed", name="example.com")} == {80, 443, 7000, 8080, 8443}


def test_udp(world, project):
    found, result = inside(world, project, "udp udp.example.net 7000 one", "udp udp.example.net 7000 two", "udp udp.example.net 443", "connect udp.example.net 7000",
                           net=("udp.example.net:7000/udp",))
    assert [act.get("answer") for act in found[:2]] == ["one", "two"], found
    refused(found[2:])
    row, = rows(result, act="udp", verdict="allowed")
    assert row["name"] == "udp.example.net" and row["sent"] == 6 and row["received"] == 6


def test_udp_to_another_address_of_an_allowed_port(world, project):
    with world.watch() as seen:
        found, result = inside(world, project, f"udp {EVIL} 7000", net=("udp.example.net:7000/udp",))
    seen.nothing_bad()
    refused(found, NO_WAY)
    assert rows(result, act="udp", verdict="refused")


def test_udp_that_is_refused_is_told(world, project):
    """As it is with TCP: in the record, and with advice that is a rule for UDP."""
    _, result = inside(world, project, "quic example.com", f"udp {EVIL} 7000", net=WEB)
    assert rows(result, act="udp", verdict="refused"), result["net"]
    assert f"net:egress:{EVIL}/32:7000/udp" in {v["allow_with"] for v in violations(result).values()}, result["violations"]


@pytest.mark.parametrize("first", ["\\x00\\x01", "x", "0", "hello\\r\\n", "SSH-"])
def test_protocols_without_names(world, project, first):
    """Where neither TLS nor HTTP is spoken, each byte goes on when it comes."""
    found, _ = inside(world, project, f"talk udp.example.net 7000 {first}", net=("udp.example.net:7000",))
    assert found[0].get("answer") == first.encode().decode("unicode_escape") and found[0]["seconds"] < 3, found


def test_servers_that_speak_first(world, project):
    """Mail, MySQL and others: the client says nothing until it is greeted."""
    world.need("ssh")
    found, _ = inside(world, project, "talk github.com 22 -", "talk github.com 22 -", net=("github.com:22",))
    assert [act.get("answer", "")[:4] for act in found] == ["SSH-", "SSH-"], found


def test_half_closed(world, project):
    """What is sent until the client has said all comes back whole, after its end."""
    found, _ = inside(world, project, f"raw udp.example.net 7000 \\x00{'a' * 3000} {'b' * 3000}", net=("udp.example.net:7000",))
    assert len(found[0]["answer"]) == 6001, found


def test_two_names_at_one_address(world, project):
    """SNI and Host tell them apart; one that is not allowed stays out."""
    found, _ = inside(world, project, https("example.com"), "hello example.com 443 www.example.com", "hello www.example.com 443 www.example.com", net=WEB)
    assert "whoami" in found[0] and not [act for act in found[1:] if act.get("back") == "handshake"]
    found, result = inside(world, project, https("example.com"), https("www.example.com"), net=(*WEB, "www.example.com:443"))
    assert [whoami(act)["host"] for act in found] == ["example.com", "www.example.com"]
    assert sorted(result["net"]["hosts"]) == ["example.com", "www.example.com"]


def test_two_names_at_one_address_that_say_nothing(world, project):
    """Echo names no host: each name gets an address of its own in the box, and each is counted by itself."""
    found, result = inside(world, project, "connect example.com 7000", "connect www.example.com 7000", "resolve example.com", "resolve www.example.com",
                           net=("example.com:7000", "www.example.com:7000"))
    assert not [act for act in found if "error" in act], found
    assert found[2]["addresses"] != found[3]["addresses"]
    assert sorted(result["net"]["hosts"]) == ["example.com", "www.example.com"]


def test_a_private_range_is_said_aloud(world, project):
    done = world.run(*world.box_words("true", net="10.0.0.0/8:5432", json_output=False), cwd=project, check=True)
    assert "10.0.0.0/8" in done.stderr and "private" in done.stderr, done.stderr
    quiet = world.run(*world.box_words("true", net="example.com:443", json_output=False), cwd=project, check=True)
    assert quiet.stderr == ""


def test_budget_of_bytes(world, project):
    get = "curl -sS -o got http://example.com/big; echo $?; stat -c %s got"
    result = world.box("sh", "-c", get, net="example.com:80 bytes=1m", cwd=project)
    status, size = map(int, result["stdout"].split())
    assert status != 0 and size <= 1 << 20, result
    assert size > 0, "the budget is of use"
    assert rows(result, reason="over-budget"), result["net"]
    assert any("bytes" in v["rule"] for v in violations(result).values())
    result = world.box("sh", "-c", get, net="example.com:80 bytes=64m", cwd=project)
    assert result["stdout"].split() == ["0", str(registries.BIG)], result
    assert rows(result, act="tcp", verdict="allowed")[0]["received"] >= registries.BIG


def test_budget_of_all_connections(world, project):
    """Three quarters of it, twice."""
    result = world.box("sh", "-c", "for i in 1 2; do curl -sS -r 0-786431 -o got$i http://example.com/big; echo $?; done", net="example.com:80 bytes=1m", cwd=project)
    first, second = map(int, result["stdout"].split())
    assert first == 0 and second != 0, result


def test_budget_of_rate(world, project):
    """Two megabytes at one per second take at least the second that no burst saves."""
    began = time.monotonic()
    result = world.box("curl", "-sS", "-o", "got", "-r", f"0-{(2 << 20) - 1}", "http://example.com/big", net="example.com:80 rate=1m", cwd=project)
    assert result["exit_code"] == 0 and time.monotonic() - began > 0.9, result


# Rules about requests.

@pytest.mark.parametrize("version", ["--http1.1", "--http2"])
def test_method_and_path(world, project, version):
    curl = f"curl -sS {version} -w '\\n%{{http_code}}\\n' https://api.example.org"
    script = f"{curl}/whoami; {curl}/ca.crt -o kept; {curl}/whoami -X POST -d x -o kept; {curl}/whoami/../ca.crt --path-as-is -o kept; {curl}/whoami -H 'Host: evil.example' -o kept"
    with world.watch() as seen:
        result = world.box("sh", "-c", script, net="https://api.example.org/who* GET", cwd=project)
    first, code, *others = result["stdout"].split()
    assert json.loads(first)["host"] == "api.example.org" and code == "200", result
    assert len(others) == 4 and not [other for other in others if other.startswith("2")], others
    assert [(row["method"], row["path"]) for row in seen.web] == [("GET", "/whoami")], seen.web
    assert rows(result, verdict="refused", reason="wrong-method"), result["net"]


def test_one_repository_that_is_only_read(world, project):
    world.need("git")
    script = ("git clone -q https://github.com/acme/hello.git && cat hello/README; git ls-remote https://github.com/acme/other.git || echo not-$((6 * 7))\n"
              "cd hello && git -c user.name=a -c user.email=a@example.com commit -q --allow-empty -m x && git push -q origin HEAD:pushed || echo not-$((6 * 8))")
    result = world.box("sh", "-c", script, net="github:acme/hello:read", cwd=project)
    assert result["stdout"] == "hello from git\nnot-42\nnot-48\n", result
    assert "pushed" not in world.run("git", "ls-remote", "https://github.com/acme/hello.git", cwd=project, check=True).stdout
    result = world.box("sh", "-c", script, net="github:acme/hello", cwd=project)  # control
    assert result["stdout"] == "hello from git\nnot-42\n", result
    assert "pushed" in world.run("git", "ls-remote", "https://github.com/acme/hello.git", cwd=project, check=True).stdout


# Through the proxy of a company.

PROXY = f"http://{names.PROXY_USER}:{names.PROXY_PASSWORD}@{names.PROXY}:{names.PROXY_PORT}"


@pytest.mark.parametrize("spelling", [str.upper, str.lower])
def test_upstream_proxy(world, project, spelling):
    """By the person's own variables. The box sees neither the proxy nor its password, and reaches the same hosts as without."""
    variables = {spelling("https_proxy"): PROXY, spelling("http_proxy"): PROXY, spelling("no_proxy"): "localhost,.example.org,10.0.0.0/8"}
    env = world.environment(project, **variables)
    with world.watch() as seen:
        result = world.box("sh", "-c", "env; curl -sS https://example.com/whoami https://api.example.org/whoami; curl -sS -m 9 https://evil.example/whoami || echo refused",
                           net=("example.com:443", "api.example.org:443"), cwd=project, env=env)
    assert [json.loads(line)["host"] for line in result["stdout"].splitlines() if line.startswith("{")] == ["example.com", "api.example.org"], result
    assert result["stdout"].endswith("refused\n") and names.PROXY_PASSWORD not in result["stdout"] and names.PROXY not in result["stdout"]
    assert [(row["target"].rpartition(":")[2], row["known"]) for row in seen.proxy] == [("443", True)], seen.proxy
    assert seen.proxy[0]["target"] in ("example.com:443", f"{GOOD}:443")
    seen.nothing_bad()
    wrong = world.environment(project, HTTPS_PROXY=PROXY.replace("alice", "bob"))
    result = world.box("curl", "-sS", "https://example.com/whoami", net=WEB, cwd=project, env=wrong)
    assert result["exit_code"] != 0 and rows(result, verdict="broken"), result


def test_a_name_that_only_the_proxy_knows(world, project):
    """Behind such a proxy the host itself often cannot look up public names."""
    with world.file("resolv.conf", "nameserver 93.184.216.99\noptions timeout:1 attempts:1\n"), world.watch() as seen:
        env = world.environment(project, HTTPS_PROXY=PROXY)
        inside(world, project, https("example.com"), f"https {EVIL} 443 example.com example.com", net=WEB, env=env)
        assert [row["target"] for row in seen.proxy] == ["example.com:443"], seen.proxy
    seen.nothing_bad()


# A live box.

class Live:
    """A box with a command that does acts as they are told, and operations on it meanwhile."""

    def __init__(self, world, project, net, options=()):
        self.world, self.project = world, project
        self.env = world.environment(project, XDG_STATE_HOME=str(project.parent / "state"))
        world.aisbx("create", "b", cwd=project, env=self.env, check=True)
        script = ("import subprocess, sys\nprint('ready', flush=True)\nfor line in sys.stdin:\n"
                  "    subprocess.run([sys.executable, '-B', 'inside.py', *line.split()])\n")
        rules = [word for rule in net for word in ("--net", rule)]
        self.p = world.popen(box.aisbx(), "run", "-i", "--box", "b", *rules, *options, "--", PYTHON, "-c", script, cwd=project, env=self.env, stdin=-1, text=True)
        assert self.p.stdout.readline() == "ready\n", self.p.stderr.read()

    def __call__(self, *acts):
        self.p.stdin.write(" ".join(words(*acts)) + "\n")
        self.p.stdin.flush()
        line = self.p.stdout.readline()
        assert line, self.p.stderr.read()
        return json.loads(line)

    def op(self, *words_, ok=True):
        done = self.world.aisbx(words_[0], "--json", *words_[1:], cwd=self.project, env=self.env)
        assert (done.returncode == 0) == ok, done
        return json.loads(done.stdout)

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


def test_allow_and_deny(world, project):
    act = https("api.example.org")
    with Live(world, project, WEB) as live:
        refused(live(act), NO_NAME)
        changed = live.op("allow", "api.example.org:443", "--box", "b")
        assert changed["changed"] == ["net:egress:api.example.org:443"] and changed["changed"][0] in changed["rules"] and len(changed["rules"]) == 3
        assert whoami(live(act)[0])["host"] == "api.example.org"
        live.op("deny", "net:egress:api.example.org:443", "--box", "b")
        refused(live(act))
        assert whoami(live(https("example.com"))[0])["host"] == "example.com"
        assert live.op("deny", "net:egress:api.example.org:443", "--box", "b", ok=False)["status"] == "error"
        assert live.op("allow", "no port:443", "--box", "b", ok=False)["status"] == "error"
        live.op("allow", "net:egress:evil.example:8080", "--box", "b")  # a port that no rule had
        assert whoami(live("http evil.example 8080 evil.example:8080")[0])["host"] == "evil.example:8080"
        refused(live("http evil.example 80 evil.example"))


def test_deny_closes_what_is_open(world, project):
    hold = ("import socket, sys\ns = socket.create_connection(('udp.example.net', 7000))\ns.sendall(b'\\0')\nassert s.recv(1) == b'\\0'\nprint('open', flush=True)\n"
            "try:\n    print('ended', s.recv(1), flush=True)\nexcept OSError:\n    print('ended', flush=True)\n")
    env = world.environment(project, XDG_STATE_HOME=str(project.parent / "state"))
    world.aisbx("create", "b", cwd=project, env=env, check=True)
    with world.popen(box.aisbx(), "run", "--box", "b", "--net", "udp.example.net:7000", "--", PYTHON, "-c", hold, cwd=project, env=env, text=True) as p:
        assert p.stdout.readline() == "open\n", p.stderr.read()
        world.aisbx("deny", "udp.example.net:7000", "--box", "b", cwd=project, env=env, check=True)
        assert p.stdout.readline().startswith("ended")


def test_further_commands_of_a_live_box_have_its_network(world, project):
    with Live(world, project, WEB) as live:
        done = world.aisbx("exec", "b", "--", PYTHON, "-B", "inside.py", *words(https("example.com"), https("evil.example")), cwd=project, env=live.env, check=True)
        found = json.loads(done.stdout)
        assert whoami(found[0])["host"] == "example.com"
        refused(found[1:])


# What is asked, told and recorded.

def test_ask(world, project):
    """Once per name; yes and no are remembered; what waits for an answer goes on then."""
    script = ("for n in example.com evil.example; do for i in 1 2; do curl -sS -m 20 https://$n/whoami && echo reached-$n-$i || echo failed-$n-$i; done; done; echo over-$((40 + 2))")
    with world.watch() as seen, Terminal(world, *world.box_words("sh", "-c", script, net="ask", json_output=False), cwd=project) as t:
        t.read_until(r"example\.com.*\?")
        assert not seen.web
        t.type("y\n")
        t.read_until(r"reached-example\.com-2[\s\S]*evil\.example.*\?")
        t.type("n\n")
        t.read_until("over-42")
        assert "failed-evil.example-1" in t.text and "failed-evil.example-2" in t.text and "?" not in t.text.partition("failed")[2], t.text
        assert t.p.wait(timeout=30) == 0
    assert {row["host"] for row in seen.web} == {"example.com"}
    seen.nothing_bad()


def test_ask_without_a_terminal_is_no(world, project):
    with world.watch() as seen:
        found, result = inside(world, project, https("evil.example"), net="ask")
    refused(found)
    seen.nothing_bad()
    assert {v["allow_with"] for v in violations(result).values()} == {"net:egress:evil.example:443"}


def test_the_first_refusal_is_told_at_once(world, project):
    """While the command still runs; once for a name, however often it is asked for."""
    with world.popen(*world.box_words("sh", "-c", "getent hosts evil.example; getent hosts evil.example; echo tried; read word; echo done", net=WEB, json_output=False, options=["-i"]),
                     cwd=project, stdin=-1, text=True) as p:
        assert p.stdout.readline() == "tried\n"
        began = time.monotonic()
        line = p.stderr.readline()
        assert "evil.example" in line and time.monotonic() - began < pace.seconds(1), line
        assert p.poll() is None
        p.stdin.write("go\n")
        p.stdin.close()
        assert p.stdout.readline() == "done\n"
        rest = p.stderr.read()
    assert "evil.example:443" in line + rest, rest
    assert "--without" not in line + rest
    assert "evil.example.corp" not in line + rest, "the resolver's own second try is nobody's wish"


def test_a_refusal_is_told_on_a_terminal(world, project):
    """Inside `run -it` on a line of its own, above what the command shows."""
    words_ = world.box_words("sh", "-c", "printf 'prompt> '; getent hosts evil.example; read word; echo got-$word", net=WEB, json_output=False, options=["-it"])
    with Terminal(world, *words_, cwd=project) as t:
        t.read_until(r"prompt> [\s\S]*evil\.example")
        line = next(line for line in t.text.split("\n") if "evil.example" in line)
        assert "prompt" not in line.rpartition("\r")[2], t.text
        t.type("on\n")
        t.read_until("got-on")
        assert t.p.wait(timeout=30) == 0


def test_a_good_runs_look_ups_are_not_shouted(world, project):
    """A client's pointless question, like npm's for updates at every test, is counted."""
    done = world.run(*world.box_words("sh", "-c", "for i in 1 2 3; do getent hosts updates.evil.example; done; true", net=WEB, json_output=False), cwd=project, check=True)
    assert len(done.stderr.splitlines()) <= 2, done.stderr
    _, result = inside(world, project, *["resolve updates.evil.example"] * 3, net=WEB)
    row, = rows(result, act="lookup", name="updates.evil.example")
    assert row["verdict"] == "refused" and row["count"] >= 3


def test_the_record(world, project):
    found, result = inside(world, project, https("example.com"), https("example.com"), https("evil.example"), f"connect {EVIL} 443", f"connect {EVIL} 25", "hello example.com 443 evil.example",
                           net=WEB)
    assert len([act for act in found if "whoami" in act]) == 2
    net = result["net"]
    assert net["hosts"] == ["example.com"] and net["not_kept"] == 0
    for row in net["connections"]:
        assert set(row) >= {"act", "name", "address", "port", "verdict", "reason", "rule", "count", "sent", "received"}, row
    row, = rows(result, act="tcp", name="example.com", verdict="allowed")
    assert row["address"] == GOOD and row["port"] == 443 and row["count"] == 2 and row["rule"] == "net:egress:example.com:443"
    assert row["sent"] > 400 and row["received"] > 400
    assert rows(result, act="lookup", name="example.com", verdict="allowed")
    assert rows(result, act="lookup", name="evil.example", verdict="refused", reason="no-rule")
    assert rows(result, act="tcp", name="evil.example", verdict="refused", reason="wrong-sni")
    told = violations(result)
    assert told["look up evil.example"] | {"rule": "net: no rule for evil.example", "allow_with": "net:egress:evil.example:443"} == told["look up evil.example"]
    assert f"connect {EVIL}:443" in told and f"connect {EVIL}:25" in told, list(told)
    assert told[f"connect {EVIL}:25"]["allow_with"] in (f"net:egress:{EVIL}/32:25", f"net:egress:{EVIL}:25")


def test_the_advice_helps(world, project):
    """Each rule that a violation names makes the next run do what was refused."""
    acts = [https("evil.example"), "http api.example.org 80 api.example.org"]
    net, found = list(WEB), []
    for _ in range(4):
        found, result = inside(world, project, *acts, net=net)
        advice = {v["allow_with"] for v in violations(result).values()}
        if not advice:
            break
        net += advice
    assert whoami(found[0])["host"] == "evil.example"
    assert whoami(found[1])["host"] == "api.example.org", (net, found)


def test_the_record_is_in_history(world, project):
    env = world.environment(project, XDG_STATE_HOME=str(project.parent / "state"))
    result = world.box(PYTHON, "-B", "inside.py", *words(https("example.com"), https("evil.example")), net=WEB, cwd=project, env=env)
    past = json.loads(world.aisbx("history", "--json", result["run"], cwd=project, env=env, check=True).stdout)
    assert past["runs"][0]["result"]["net"] == result["net"], past


# Of profiles.

def test_profile_with_egress(world, project):
    config = project.parent / "config/aisbx/profiles"
    config.mkdir(parents=True)
    (config / "web.yaml").write_text("name: web\nabout: a profile of the tests\nextends: dev\nnet: allow\negress: [example.com:443, npm]\n")
    (config / "more.yaml").write_text("name: more\nabout: a profile of the tests\nextends: web\negress: [api.example.org:443]\n")
    env = world.environment(project, XDG_CONFIG_HOME=str(project.parent / "config"))
    for profile, reached in (("web", ["example.com"]), ("more", ["example.com", "api.example.org"])):
        found, _ = inside(world, project, https("example.com"), https("api.example.org"), https("evil.example"), profile=profile, env=env)
        assert [act["whoami"]["host"] for act in found if "whoami" in act] == reached, found
    found, _ = inside(world, project, https("example.com"), https("api.example.org"), profile="web", net="api.example.org:443", env=env)
    assert len([act for act in found if "whoami" in act]) == 2, "rules of the command line are added"
    found, _ = inside(world, project, https("example.com"), profile="web", net="none", env=env)
    refused(found, NO_NAME | NO_WAY | {"AGAIN"})


@pytest.mark.parametrize("profile", box.PROFILES)
def test_every_profile(world, project, profile):
    found, result = inside(world, project, https("example.com"), https("evil.example"), "routes", net=WEB, profile=profile)
    assert whoami(found[0])["host"] == "example.com"
    refused(found[1:2])
    assert result["isolation"]["level"] == "full" and not result["isolation"]["missing"]


def test_somebody_whom_root_became(world):
    """An ordinary user on a machine where root set the network up; where an ordinary user runs the tests, that one."""
    home = world.dir / "somebody"
    (home / "project").mkdir(parents=True)
    shutil.copy(pathlib.Path(__file__).parent / "inside.py", home / "project")
    if box.IS_ROOT:
        subprocess.run(["chown", "-R", "65534:65534", home], check=True)
    found, result = inside(world, home / "project", https("example.com"), https("evil.example"), net=WEB, user="nobody" if box.IS_ROOT else None,
                           env=world.environment(home / "project", XDG_STATE_HOME=str(home / "state")))
    assert whoami(found[0])["host"] == "example.com"
    refused(found[1:], NO_NAME)
    assert result["isolation"]["level"] == "full"


# Ports in, and the host's own.

SERVER = f"{PYTHON} -c 'import http.server, sys; s = http.server.HTTPServer((\"127.0.0.1\", int(sys.argv[1])), http.server.SimpleHTTPRequestHandler); print(\"up\", flush=True); s.serve_forever()'"


@contextlib.contextmanager
def serving(world, project, *options):
    """A box that serves the project's files at its port 8000."""
    (project / "hello.txt").write_text("hello from the box\n")
    env = world.environment(project, XDG_STATE_HOME=str(project.parent / "state"))
    world.aisbx("create", "b", cwd=project, env=env, check=True)
    p = world.popen(box.aisbx(), "run", "--box", "b", *options, "--", "sh", "-c", f"exec {SERVER} 8000", cwd=project, env=env, text=True, stderr=None)
    try:
        assert p.stdout.readline() == "up\n"
        yield lambda *words_: json.loads(world.aisbx(words_[0], "--json", *words_[1:], cwd=project, env=env, check=True).stdout)
    finally:
        p.terminate()
        p.wait(timeout=60)
        p.stdout.close()


def fetch(world, port, host="127.0.0.1"):
    done = world.run("curl", "-sS", "-m", "20", f"http://{host}:{port}/hello.txt")
    return done.stdout if done.returncode == 0 else None


@pytest.mark.parametrize("net", [(), ("--net", "example.com:443"), ("--net", "none")])
def test_publish(world, project, net):
    with serving(world, project, *net, "--publish", "0:8000") as op:
        port, = op("ports", "b")["ports"]
        assert port["port"] == 8000 and port["host_port"] > 1023 and port["address"] == f"127.0.0.1:{port['host_port']}"
        assert fetch(world, port["host_port"]) == "hello from the box\n"
        assert fetch(world, port["host_port"], GOOD) is None and fetch(world, port["host_port"], names.PRIVATE) is None, "only on the loopback"
        assert fetch(world, 8000) is None
    assert fetch(world, port["host_port"]) is None


def test_publish_a_chosen_port_of_a_live_box(world, project):
    with serving(world, project) as op:
        assert op("ports", "b")["ports"] == [] and fetch(world, 18080) is None
        op("ports", "b", "--publish", "18080:8000")
        assert fetch(world, 18080) == "hello from the box\n"
        assert [(p["host_port"], p["port"]) for p in op("ports", "b")["ports"]] == [(18080, 8000)]


def test_publish_lets_nothing_out(world, project):
    with world.watch() as seen:
        result = world.box(PYTHON, "-B", "inside.py", *words(f"connect {EVIL} 443", "resolve evil.example", "connect 192.0.0.1 7000", f"udp {EVIL} 7000"), options=["--publish", "0:8000"], cwd=project)
    refused(box.last_json(result["stdout"]), NO_NAME | NO_WAY | {"AGAIN"})
    seen.nothing_bad()


def test_a_port_of_the_host(world, project):
    with world.watch() as seen:
        found, result = inside(world, project, "http host.aisbx.internal 8080 host.aisbx.internal:8080", "http host.aisbx.internal 80 x", "http 127.0.0.1 8080 x",
                               f"http {names.PRIVATE} 8080 x", net=("net:host:8080",))
    assert whoami(found[0])["address"] in ("127.0.0.1", "::1")
    refused(found[1:])
    assert len(seen.web) == 1
    assert rows(result, act="tcp", verdict="allowed", rule="net:host:8080")
