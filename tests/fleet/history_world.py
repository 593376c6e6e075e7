# SPDX-License-Identifier: Apache-2.0
"""A small fleet for tests of its history: a real nats-server, a real PostgreSQL, and nodes that are state directories."""
import contextlib
import fcntl
import glob
import json
import os
import pathlib
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time

TOP = pathlib.Path(__file__).resolve().parents[2]
AISBX = pathlib.Path(os.environ["AISBX"])
CACHE = pathlib.Path(os.environ.get("AISBX_TEST_CACHE", pathlib.Path.home() / ".cache/aisbx-tests"))
STREAM = {"name": "AISBX_HISTORY", "subjects": ["aisbx.history.>"], "retention": "limits", "storage": "file", "num_replicas": 1, "discard": "old",
          "allow_direct": True, "duplicate_window": 120_000_000_000}
LONG = 120  # seconds: against a hang


def wait_for(what, seconds=LONG, pause=0.05):
    end = time.monotonic() + seconds
    while True:
        found = what()
        if found:
            return found
        assert time.monotonic() < end, f"waited {seconds} s in vain"
        time.sleep(pause)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def end(process, how=signal.SIGTERM):
    if process.poll() is None:
        process.send_signal(how)
    process.wait(LONG)


class Nats:
    def __init__(self, directory):
        self.program = CACHE / "fleet-tools/nats-server"  # where CI has put it
        if not self.program.exists():
            subprocess.run([TOP / "tests/fleet/prepare", CACHE, "nats-server"], check=True, timeout=1200)
            self.program = max(CACHE.glob("nats-server-*/nats-server"), key=lambda p: p.stat().st_mtime)
        self.dir, self.port, self.process = pathlib.Path(directory), free_port(), None
        self.dir.mkdir()
        self.url = f"nats://127.0.0.1:{self.port}"
        (self.dir / "conf").write_text(f'listen: "127.0.0.1:{self.port}"\njetstream {{ store_dir: "{self.dir}/js", sync_interval: always }}\n')

    def start(self):
        with open(self.dir / "log", "ab") as log:
            self.process = subprocess.Popen([self.program, "-c", self.dir / "conf"], stdout=log, stderr=log)
        wait_for(self.answers)

    def answers(self):
        with contextlib.suppress(OSError, AssertionError):
            return "streams" in self.api("INFO", {})
        return False

    def stop(self, how=signal.SIGTERM):
        end(self.process, how)

    def ask(self, subject, data, reply=True):
        """What one message is answered with, by the plain protocol; None: no answer was wanted, and the server has the message."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=30) as s, s.makefile("rwb") as f:
            assert f.readline().startswith(b"INFO ")
            box = "_INBOX." + secrets.token_hex(8)
            head = f"PUB {subject} {box if reply else ''} {len(data)}\r\n"
            f.write(b'CONNECT {"verbose":false,"headers":true}\r\n' + f"SUB {box} 1\r\n{head}".encode() + data + b"\r\nPING\r\n")
            f.flush()
            while True:
                line = f.readline()
                assert line and not line.startswith(b"-ERR"), line
                if line == b"PONG\r\n" and not reply:
                    return None
                if line.startswith((b"MSG ", b"HMSG ")):
                    return f.read(int(line.split()[-1]))

    def api(self, what, request):
        answer = json.loads(self.ask("$JS.API." + what, json.dumps(request).encode()))
        assert "error" not in answer, answer
        return answer

    def make_stream(self):
        self.api("STREAM.CREATE.AISBX_HISTORY", STREAM)

    def delete_stream(self):
        self.api("STREAM.DELETE.AISBX_HISTORY", {})

    def messages(self):
        return self.api("STREAM.INFO.AISBX_HISTORY", {})["state"]["messages"]

    def last(self):
        return self.api("STREAM.INFO.AISBX_HISTORY", {})["state"]["last_seq"]


class Postgres:
    """A cluster of its own, on a Unix socket only. As root it belongs to another user: PostgreSQL wants no root."""

    def __init__(self):
        self.bin = pathlib.Path(max(glob.glob("/usr/lib/postgresql/*/bin/initdb"))).parent
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="aisbx-pg-", dir="/tmp"))  # short: a socket's path has 107 bytes
        self.user = "postgres" if os.getuid() == 0 else None
        if self.user:
            who = pwd.getpwnam(self.user)
            os.chown(self.dir, who.pw_uid, who.pw_gid)
        self.dir.chmod(0o711)
        self.dsn = f"host={self.dir} user=aisbx dbname=postgres"
        self.run("initdb", "-D", self.dir / "data", "-U", "aisbx", "--auth=trust", "--no-sync", "--encoding=UTF8", "--locale=C")

    def run(self, program, *args):
        before = ["runuser", "-u", self.user, "--"] if self.user else []
        subprocess.run([*before, self.bin / program, *args], check=True, timeout=LONG, cwd="/", stdout=subprocess.DEVNULL)

    def start(self):
        self.run("pg_ctl", "-D", self.dir / "data", "-w", "-l", self.dir / "log", "-o",
                 f"-c listen_addresses='' -c unix_socket_directories={self.dir} -c fsync=off", "start")

    def stop(self):
        self.run("pg_ctl", "-D", self.dir / "data", "-w", "-m", "immediate", "stop")

    def remove(self):
        with contextlib.suppress(subprocess.CalledProcessError):
            self.stop()
        shutil.rmtree(self.dir)

    def sql(self, text):
        """The rows, as lists of texts."""
        done = subprocess.run([self.bin / "psql", "-X", "-q", "-t", "-A", "-F", "\t", "-v", "ON_ERROR_STOP=1", "-c", text, self.dsn], check=True,
                              timeout=LONG, capture_output=True, text=True)
        return [line.split("\t") for line in done.stdout.splitlines()]

    def number(self, text):
        return int(self.sql(text)[0][0])


class Node:
    def __init__(self, name, directory, nats):
        self.name, self.home, self.nats = name, pathlib.Path(directory), nats
        self.dir = self.home / "aisbx"
        self.dir.mkdir(parents=True, mode=0o700)
        self.ids = []

    def env(self):
        return {**os.environ, "XDG_STATE_HOME": str(self.home)}

    def aisbx(self, *args, **how):
        return subprocess.run([AISBX, *args], env=self.env(), timeout=LONG, check=True, capture_output=True, text=True, **how)

    def add_runs(self, n, at_ms=None, status="ok", step_ms=1000):
        """As runs note themselves: a line each, under a shared lock, and not into a file that an importer has taken away."""
        at_ms = int(time.time() * 1000) if at_ms is None else at_ms
        ids = ["r-" + secrets.token_hex(8) for _ in range(n)]
        result = json.dumps({"violations": [], "limit": None, "services": [], "usage": {"wall_ms": 1.5}})
        text = "".join(f"\n{run}\t\t{status}\t0\t{at_ms + i * step_ms}\t1.500\techo {i}\t{result}\t\t\n" for i, run in enumerate(ids))
        notes = self.dir / "runs.notes"
        while True:
            with open(notes, "a", encoding="utf-8") as f:
                fcntl.flock(f, fcntl.LOCK_SH)
                with contextlib.suppress(FileNotFoundError):
                    if notes.stat().st_ino == os.fstat(f.fileno()).st_ino:
                        f.write(text)
                        break
        self.ids += ids
        return ids

    def outbox(self, *more):
        return subprocess.Popen([AISBX.parent / "aisbx-outbox", "--nats", self.nats.url, "--node", self.name, "--every", "50ms", *more], env=self.env(),
                                stderr=subprocess.PIPE, text=True)

    def send(self):
        done = self.outbox("--once")
        said = done.communicate(timeout=LONG)[1]
        assert done.returncode == 0, said

    def save(self, place):
        shutil.copytree(self.dir, place, symlinks=True)

    def restore(self, place):
        shutil.rmtree(self.dir)
        shutil.copytree(place, self.dir, symlinks=True)


class World:
    def __init__(self, directory):
        self.dir = pathlib.Path(directory)
        self.nats, self.postgres, self.started = Nats(self.dir / "nats"), Postgres(), []

    def node(self, name):
        return Node(name, self.dir / f"node-{name}", self.nats)

    def collector(self, *more):
        process = subprocess.Popen([AISBX.parent / "aisbx-collect", "--nats", self.nats.url, "--postgres", self.postgres.dsn, *more],
                                   stderr=subprocess.PIPE, text=True)
        self.started.append(process)
        return process

    def collect(self):
        done = self.collector("--once")
        said = done.communicate(timeout=LONG)[1]
        assert done.returncode == 0, said

    def verb(self, *args, status=0):
        done = subprocess.run([AISBX.parent / "aisbx-collect", *args, "--postgres", self.postgres.dsn], capture_output=True, text=True, timeout=LONG)
        assert done.returncode == status, done.stderr
        return done.stdout if status == 0 else done.stderr

    def query(self, where, *more):
        return [json.loads(line) for line in self.verb("query", "--json", "--where", where, *more).splitlines()]

    def runs(self, node):
        """Ids of a node's runs that the centre has."""
        return [row[0] for row in self.postgres.sql(f"SELECT run FROM aisbx.history WHERE node = '{node.name}' AND kind = 'run'")]

    def has_all(self, node):
        """All runs of the node, each once, and no place in a sequence is empty."""
        found = self.runs(node)
        assert len(found) == len(set(found)), "a run is there twice"
        assert not set(found) - set(node.ids)
        return set(found) == set(node.ids)

    def close(self):
        for process in self.started:
            end(process, signal.SIGKILL)
        if self.nats.process:
            self.nats.stop(signal.SIGKILL)
        self.postgres.remove()
