# SPDX-License-Identifier: Apache-2.0
"""The bus against real servers: what bus_probe.c asserts; TLS and users; a server that is killed under it."""
import os
import pathlib
import signal
import subprocess

import pytest

import nats
import pace

PROBE = pathlib.Path(os.environ["AISBX_TEST_BIN"]) / "bus-probe"


def environment(url, **more):
    return {**os.environ, "NATS_URL": url, **{key: str(value) for key, value in more.items()}}


def probe(name, url, ok=True, **more):
    done = subprocess.run([PROBE, name], env=environment(url, **more), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=pace.HANGS)
    said = done.stdout + done.stderr
    assert (done.returncode == 0) == ok, said
    return said


@pytest.mark.parametrize("name", ["asks", "bare", "hostile", "lanes", "messages", "streams"])
def test_one_server(nats_server, name):
    probe(name, nats_server.url)


@pytest.mark.parametrize("name", ["asks", "lanes"])
def test_three_servers(nats_cluster, name):
    probe(name, nats_cluster.url, NATS_REPLICAS=3)


def test_server_is_killed(nats_server):
    """Its connection is lost, and comes back with what was stored."""
    with subprocess.Popen([PROBE, "restart"], env=environment(nats_server.url), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert "ready\n" in process.stdout
            nats_server.kill()
            assert "down\n" in process.stdout
            nats_server.start()
            assert process.wait(pace.HANGS) == 0, process.stdout.read()
        finally:
            process.kill()


def test_one_of_three_is_killed(nats_cluster):
    """The others go on."""
    url = ",".join(server.url for server in nats_cluster.servers)
    with subprocess.Popen([PROBE, "restart"], env=environment(url, NATS_REPLICAS=3), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert "ready\n" in process.stdout
            connected = [server for server in nats_cluster.servers if clients(server, process.pid)]
            assert len(connected) == 1
            connected[0].kill(signal.SIGKILL)
            assert "down\n" in process.stdout
            assert process.wait(pace.HANGS) == 0, process.stdout.read()
        finally:
            process.kill()


def clients(server, pid):
    """Whether a process has a connection to the server."""
    wanted = f":{server.port:04X}"
    lines = pathlib.Path(f"/proc/{pid}/net/tcp").read_text().splitlines()[1:]
    inodes = {line.split()[9] for line in lines if line.split()[2].endswith(wanted) and line.split()[3] == "01"}
    return any(os.readlink(fd) in {f"socket:[{inode}]" for inode in inodes} for fd in pathlib.Path(f"/proc/{pid}/fd").iterdir())


def test_nobody_is_there(tmp_path):
    port, = nats.free_ports(1)
    said = probe("open", f"nats://127.0.0.1:{port}", ok=False, NATS_CONNECT_MS=300)
    assert "is nats-server running there" in said


# Of a user that only this test knows; the unit test of nkeys has the same.
SEED = "SUADBXHMU2UMYZCNEWC4NN2VEU4NVTTM3PE6MLVPXQBGFI7NKL44K7TFNM"
PUBLIC = "UCPO7NUMCREFQ7YVCG2J6MODCB32YKIYZBYPOSHZISDSUR6A4C6F5FXM"
OTHER = "UBSDC7LXMTPQPJX7D7X5EGEQBE53ATF3FBXF7OMNWEUFCNCTM3LWAPUU"


@pytest.mark.parametrize("known", [True, False])
def test_nkey(nats_servers, tmp_path, known):
    """A seed alone proves who one is."""
    public = PUBLIC if known else OTHER
    server = nats_servers(nats.Server(tmp_path / "nats", settings=f"authorization {{ users: [ {{ nkey: {public} }} ] }}\n"))
    seed = tmp_path / "seed"
    seed.write_text(SEED + "\n")
    said = probe("open", server.url, ok=known, NATS_CREDS=seed)
    assert known or "does not know this user" in said


def openssl(*words):
    subprocess.run(["openssl", *words], check=True, stdin=subprocess.DEVNULL, capture_output=True, timeout=60)


def certificate(directory, name, host):
    """Of an authority of its own."""
    openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", f"/CN={host}",
            "-addext", f"subjectAltName={host}", "-keyout", directory / f"{name}.key", "-out", directory / f"{name}.pem")
    return directory / f"{name}.pem"


@pytest.mark.parametrize("case", ["good", "other authority", "other host", "not said"])
def test_tls(nats_servers, tmp_path, case):
    """A server is believed if it is who the address says, by the authority that was named."""
    pem = certificate(tmp_path, "server", "DNS:elsewhere.example" if case == "other host" else "IP:127.0.0.1")
    other = certificate(tmp_path, "other", "IP:127.0.0.1")
    server = nats_servers(nats.Server(tmp_path / "nats", settings=f'tls {{ cert_file: "{pem}", key_file: "{tmp_path}/server.key" }}\n'))
    more = {} if case == "not said" else {"NATS_CA": other if case == "other authority" else pem}
    probe("open", server.url.replace("nats://", "tls://"), ok=case == "good", NATS_CONNECT_MS=2000, **more)
