# SPDX-License-Identifier: Apache-2.0
"""Three servers by the files of packaging/fleet as they are shipped, on loopback, with certificates and users of the test."""
import contextlib
import os
import pathlib
import shutil
import socket
import subprocess
import time

import fleet_tools
import nats_raw
import pace

SHIPPED = pathlib.Path(__file__).resolve().parents[2] / "packaging/fleet"


def openssl(*args, cwd):
    subprocess.run(["openssl", *map(str, args)], cwd=cwd, check=True, capture_output=True, timeout=pace.HANGS)


def certificate(directory, name, ca="ca"):
    """NAME.crt and NAME.key, for servers on this machine, signed by CA."""
    (directory / f"{name}.ext").write_text("subjectAltName=DNS:localhost,IP:127.0.0.1\nextendedKeyUsage=serverAuth,clientAuth\n")
    openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj", f"/CN={name}", cwd=directory)
    openssl("x509", "-req", "-in", f"{name}.csr", "-CA", f"{ca}.crt", "-CAkey", f"{ca}.key", "-CAcreateserial", "-days", "2", "-extfile", f"{name}.ext", "-out", f"{name}.crt", cwd=directory)


def authority(directory, name="ca"):
    openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", f"{name}.key", "-out", f"{name}.crt", "-days", "2", "-subj", f"/CN={name}", cwd=directory)


def free_ports(n):
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(n)]
        for s in sockets:
            s.bind(("127.0.0.1", 0))
        return [s.getsockname()[1] for s in sockets]


class Fleet:
    """USERS: ("node", "x"), ... Each has a file of its seed, `seed(role, name)`."""

    def __init__(self, directory, users):
        self.directory = directory
        self.ca = directory / "ca.crt"
        authority(directory)
        certificate(directory, "server")
        shutil.copy(SHIPPED / "nats-server.conf", directory)
        for role, name in users:
            subprocess.run([SHIPPED / "fleet-users", "add", role, name, "--dir", directory], check=True, capture_output=True, timeout=pace.HANGS)
        self.ports, self.inner = free_ports(3), free_ports(3)
        self.processes = []

    @property
    def url(self):
        return ",".join(f"tls://localhost:{port}" for port in self.ports)

    def seed(self, role, name):
        return self.directory / f"{role}-{name}.seed"

    def log(self, i):
        return self.directory / f"log{i}"

    def words(self):
        return "\n".join(self.log(i).read_text(errors="replace") for i in range(3))

    def environment(self, i):
        routes = ",".join(f'"tls://localhost:{port}"' for port in self.inner)
        return {
            **os.environ,
            "AISBX_NATS_NAME": f"nats-{i + 1}",
            "AISBX_NATS_LISTEN": f'"127.0.0.1:{self.ports[i]}"',
            "AISBX_NATS_CLUSTER": f'"127.0.0.1:{self.inner[i]}"',
            "AISBX_NATS_ROUTES": f"[{routes}]",
            "AISBX_NATS_STORE": f'"{self.directory}/store{i}"',
            "AISBX_NATS_CERT": f'"{self.directory}/server.crt"',
            "AISBX_NATS_KEY": f'"{self.directory}/server.key"',
            "AISBX_NATS_CA": f'"{self.ca}"',
        }

    def start(self):
        for i in range(3):
            with open(self.log(i), "ab") as log:
                self.processes.append(
                    subprocess.Popen(
                        [fleet_tools.tool("nats-server"), "-c", self.directory / "nats-server.conf"], env=self.environment(i), stdin=subprocess.DEVNULL, stdout=log, stderr=log
                    )
                )
        return self

    def wait(self, role, name):
        """Until there is a leader of streams, as this user sees it."""
        deadline = pace.Deadline(60)
        while True:
            with contextlib.suppress(OSError, nats_raw.Refused), self.connect(role, name) as c:
                answer = c.request("$JS.API.INFO", wait=1)
                if answer and answer.data and "error" not in answer.json():
                    return self
            assert not deadline.is_over(), "the cluster has no leader:\n" + self.words()
            assert all(process.poll() is None for process in self.processes), self.words()
            time.sleep(0.05)

    def connect(self, role, name, i=0):
        inbox = f"_INBOX.{role}.{name}.test"
        return nats_raw.Raw(self.ports[i], nats_raw.Key(self.seed(role, name).read_text().strip()), self.ca, inbox)

    def kill(self):
        for process in self.processes:
            process.kill()
        for process in self.processes:
            process.wait(pace.HANGS)
        self.processes.clear()
