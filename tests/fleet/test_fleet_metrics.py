# SPDX-License-Identifier: Apache-2.0
"""Figures of hubs and nodes for Prometheus: right, well made (promtool), bounded, and read by a real prometheus."""
import contextlib
import http.client
import json
import re
import signal
import socket
import subprocess
import urllib.parse
import urllib.request

import nats
import own_fleet
import pytest

import box

PORT = re.compile(r"metrics at port (\d+)")


@pytest.fixture
def fleet(tmp_path):
    f = own_fleet.Fleet(tmp_path)
    try:
        yield f
    finally:
        f.finish()


def hub(fleet, name="h", wait=True):
    fleet.begin(name, [box.aisbx(), "fleet", "hub", "--name", name, "--metrics", "127.0.0.1:0"])
    if wait:
        own_fleet.until(lambda: "is active" in fleet.log(name), f"hub {name} is active")
    return port_of(fleet, name)


def port_of(fleet, name):
    return int(own_fleet.until(lambda: PORT.search(fleet.log(name)), f"{name} says its port").group(1))


def scrape(port):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=own_fleet.WAIT) as answer:
        assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
        return answer.read().decode()


def values(text):
    """{"name{labels}": value}, after promtool has seen nothing wrong."""
    checked = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, text=True, check=False, timeout=own_fleet.WAIT)
    assert (checked.returncode, checked.stdout, checked.stderr) == (0, "", ""), text
    rows = [line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#")]
    assert len({row[0] for row in rows}) == len(rows)
    return {name: float(value) for name, value in rows}


def figures(port):
    return values(scrape(port))


def until(port, what, wanted):
    """Until all of WANTED are what is shown."""
    return own_fleet.until(lambda: (found := figures(port)) and all(found.get(name) == value for name, value in wanted.items()) and found, what)


def test_a_hub_and_its_node(fleet):
    port = hub(fleet)
    empty = figures(port)
    assert empty["aisbx_fleet_active"] == 1 and empty["aisbx_fleet_slots"] == 0 and empty["aisbx_fleet_epoch"] >= 1
    fleet.node("a", "--labels", "zone=a", "--metrics", "127.0.0.1:0")
    assert fleet.call("run", "--on", "any", "--", "true").returncode == 0
    found = until(port, "the job has ended", {'aisbx_fleet_jobs_total{end="ended"}': 1, "aisbx_fleet_attempts_total": 1, 'aisbx_fleet_nodes{state="ready"}': 1,
                                              'aisbx_fleet_node_slots{node="a"}': 4, "aisbx_fleet_slots": 4, "aisbx_fleet_retries_total": 0})
    assert found['aisbx_fleet_time_to_begin_seconds_bucket{le="+Inf"}'] == found["aisbx_fleet_time_to_begin_seconds_count"] == 1
    assert 0 <= found["aisbx_fleet_time_to_begin_seconds_sum"] < own_fleet.WAIT
    running = [fleet.popen("run", "--on", "zone=a", "--tenant", tenant, "--", "sleep", "1000") for tenant in ("acme",) * 4 + ("other",) * 3]
    until(port, "four run, three wait", {'aisbx_fleet_jobs_held{class="zone=a"}': 4, 'aisbx_fleet_jobs_waiting{class="zone=a"}': 3,
                                         'aisbx_fleet_wanted_slots{class="zone=a"}': 7, 'aisbx_fleet_node_jobs{node="a"}': 4, 'aisbx_fleet_node_free_slots{node="a"}': 0})
    own_fleet.until(lambda: figures(port)['aisbx_fleet_oldest_wait_seconds{class="zone=a"}'] > 1, "the oldest becomes older")
    found = figures(port)
    assert found['aisbx_fleet_tenant_jobs_held{tenant="acme"}'] + found['aisbx_fleet_tenant_jobs_waiting{tenant="acme"}'] == 4
    own = figures(port_of(fleet, "a"))
    assert (own["aisbx_node_slots"], own['aisbx_node_jobs{state="running"}'], own["aisbx_node_connected"], own["aisbx_node_draining"]) == (4, 4, 1, 0)
    assert 0 < own["aisbx_node_lease_seconds"] <= 15 and own["aisbx_node_lease_age_seconds"] < 15
    assert fleet.call("fleet", "drain", "a").returncode == 0
    until(port, "it is drained", {'aisbx_fleet_nodes{state="draining"}': 1, 'aisbx_fleet_nodes{state="ready"}': 0, 'aisbx_fleet_node_draining{node="a"}': 1})
    fleet.end("a", signal.SIGKILL)
    until(port, "it is lost", {'aisbx_fleet_nodes{state="lost"}': 1, "aisbx_fleet_slots": 0, 'aisbx_fleet_failed_attempts_total{reason="lost"}': 4})
    for p in running:
        p.kill()
        p.communicate()


def test_a_standby_tells_little(fleet):
    """So a sum over hubs counts nothing twice."""
    hub(fleet)
    found = figures(hub(fleet, "second", wait=False))
    assert found["aisbx_fleet_active"] == 0 and "aisbx_fleet_slots" not in found and not any(name.startswith("aisbx_fleet_node") for name in found)


def test_what_cannot_start(fleet):
    (fleet.dir / "sick/tenants").mkdir(parents=True)
    (fleet.dir / "sick/tenants/default").write_text("no directory")
    port = hub(fleet)
    fleet.node("sick", "--dir", fleet.dir / "sick", "--metrics", "127.0.0.1:0")
    assert fleet.call("run", "--on", "any", "--attempts", "3", "--", "true").returncode == 125
    until(port, "it was given up", {'aisbx_fleet_failed_attempts_total{reason="not_started"}': 3, "aisbx_fleet_attempts_total": 3,
                                    "aisbx_fleet_retries_total": 2, 'aisbx_fleet_jobs_total{end="dead"}': 1})
    assert figures(port_of(fleet, "sick"))["aisbx_node_failed_starts"] == 3


def put_jobs(fleet, n, jobs, filler=1):
    """Jobs of N tenants, written by the plain protocol: FILLER each."""
    with socket.create_connection(("127.0.0.1", fleet.port), own_fleet.WAIT) as s, s.makefile("rwb") as f:
        f.readline()
        f.write(b'CONNECT {"verbose":false}\r\n')
        for i in range(n):
            for k in range(filler):
                job = {"v": 1, "id": f"j-{i}-{k}", "tenant": f"t{i}", "class": f"zone=z{i % jobs}", "submitter": "s", "effect": "repeatable",
                       "priority": 5, "attempts": 5, "body": "{}"}
                body = json.dumps(job).encode()
                f.write(f"PUB aisbx.jobs.zone=z{i % jobs}.t{i} {len(body)}\r\n".encode() + body + b"\r\n")
        f.write(b"PING\r\n")
        f.flush()
        assert f.readline() == b"PONG\r\n"


def test_many_tenants_are_few_series(fleet):
    """1,000 tenants and 150 classes: the largest have series, the rest is one; and nothing is lost from the sum."""
    port = hub(fleet)
    put_jobs(fleet, 1000, 150)

    def sum_of(found):
        return sum(value for name, value in found.items() if name.startswith("aisbx_fleet_tenant_jobs_waiting{"))

    found = own_fleet.until(lambda: (f := figures(port)) and sum_of(f) == 1000 and f, "all are read", 2 * own_fleet.WAIT)
    for family, most in (("aisbx_fleet_tenant_jobs_waiting{", 201), ("aisbx_fleet_jobs_waiting{", 101), ("aisbx_fleet_wanted_slots{", 101)):
        rows = [value for name, value in found.items() if name.startswith(family)]
        assert len(rows) == most and sum(rows) == 1000, family
    assert found["aisbx_fleet_tenants"] == 1000 and found["aisbx_fleet_classes"] == 150
    assert found['aisbx_fleet_tenant_jobs_waiting{tenant="(other)"}'] == 800


def test_a_queue_that_is_longer_than_what_was_read(fleet):
    """The hub reads 64 jobs of a lane; the signal counts all."""
    port = hub(fleet)
    put_jobs(fleet, 1, 1, filler=500)
    own_fleet.until(lambda: max(figures(port).get('aisbx_fleet_wanted_slots{class="zone=z0"}', 0) for _ in range(3)) == 500, "all 500 are wanted")


RAW = [(b"GET /metrics HTTP/1.1\r\n\r\n", 200), (b"GET /metrics?x=1 HTTP/1.0\r\nHost: a\r\n\r\n", 200), (b"HEAD /metrics HTTP/1.1\r\n\r\n", 200),
       (b"GET / HTTP/1.1\r\n\r\n", 404), (b"POST /metrics HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc", 405), (b"GET /metrics\r\n\r\n", 400),
       (b"\r\n\r\n\r\n", 400), (b"\x00\xff\r\n\r\n", 400), (b"GET /metrics HTTP/1.1\r\n" + b"A: " + b"x" * 9000, 400)]


def test_strangers(fleet):
    """Wrong requests are refused; silent connections keep nobody out, nor does a reader that does not read; the hub goes on."""
    port = hub(fleet)
    for text, status in RAW:
        with socket.create_connection(("127.0.0.1", port), own_fleet.WAIT) as s:
            s.sendall(text)
            said = b""
            with contextlib.suppress(ConnectionResetError):
                while piece := s.recv(65536):
                    said += piece
        assert said.startswith(f"HTTP/1.1 {status} ".encode()) or (not said and status == 400), (text[:40], said[:40])
        if text.startswith(b"HEAD"):
            assert said.endswith(b"\r\n\r\n")
    with contextlib.ExitStack() as stack:
        for _ in range(40):
            stack.enter_context(socket.create_connection(("127.0.0.1", port), own_fleet.WAIT)).sendall(b"GET /met")
        assert figures(port)["aisbx_fleet_active"] == 1
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=own_fleet.WAIT)
    connection.request("GET", "/metrics")
    assert connection.getresponse().status == 200
    for words in ("127.0.0.1", "localhost:1", "127.0.0.1:70000", "::1:5", ":5", f"127.0.0.1:{port}"):
        refused = fleet.call("fleet", "hub", "--metrics", words)
        assert refused.returncode == 125 and (b"--metrics must be" in refused.stderr or b"for metrics" in refused.stderr), words


def test_a_real_prometheus(fleet, tmp_path):
    """It finds both, and answers the questions of docs/fleet.md."""
    targets = [hub(fleet), hub(fleet, "second", wait=False)]
    fleet.node("a", "--metrics", "127.0.0.1:0")
    targets.append(port_of(fleet, "a"))
    running = fleet.popen("run", "--on", "any", "--", "sleep", "1000")
    (own,) = nats.free_ports(1)
    where = ", ".join(f'"127.0.0.1:{port}"' for port in targets)
    (tmp_path / "prometheus.yml").write_text("global: {scrape_interval: 1s}\nscrape_configs:\n- job_name: aisbx\n"
                                             f"  static_configs: [{{targets: [{where}]}}]\n")
    fleet.begin("prometheus", ["prometheus", f"--config.file={tmp_path}/prometheus.yml", f"--storage.tsdb.path={tmp_path}/tsdb",
                               f"--web.listen-address=127.0.0.1:{own}"])

    def ask(query):
        with contextlib.suppress(OSError):
            asked = urllib.parse.urlencode({"query": query})
            with urllib.request.urlopen(f"http://127.0.0.1:{own}/api/v1/query?{asked}", timeout=own_fleet.WAIT) as answer:
                return [float(row["value"][1]) for row in json.load(answer)["data"]["result"]]
        return []

    own_fleet.until(lambda: ask("sum(up)") == [3], "prometheus reads all three")
    own_fleet.until(lambda: ask("sum(aisbx_fleet_wanted_slots)") == [1], "the job that runs wants a slot")
    own_fleet.until(lambda: ask("sum(aisbx_fleet_active)") == [1], "one hub is active")
    own_fleet.until(lambda: ask("histogram_quantile(0.99, sum by (le) (aisbx_fleet_time_to_begin_seconds_bucket)) > 0"), "there is a time to begin")
    own_fleet.until(lambda: ask("sum(aisbx_node_jobs)") == [1], "the node tells the same")
    running.kill()
    running.communicate()
