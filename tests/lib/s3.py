# SPDX-License-Identifier: Apache-2.0
"""A real S3 server for tests: versitygw on loopback, which keeps objects as files. tests/fleet/prepare builds it."""
import os
import pathlib
import socket
import subprocess
import time
import urllib.error
import urllib.request

import pace

KEY, SECRET, BUCKET = "testkey", "testsecret-testsecret", "bucket"


def program():
    cache = pathlib.Path(os.environ.get("AISBX_TEST_CACHE") or pathlib.Path.home() / ".cache" / "aisbx-tests")
    found = cache / "fleet-tools" / "versitygw"
    assert found.is_file(), f"{found} is missing: run tests/fleet/prepare"
    return found


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class S3:
    """start() and kill() as often as a test likes: what was stored stays."""

    def __init__(self, place):
        self.place, self.port, self.process = pathlib.Path(place), free_port(), None
        self.files = self.place / "data"
        (self.files / BUCKET).mkdir(parents=True)
        self.environment = {"AWS_ACCESS_KEY_ID": KEY, "AWS_SECRET_ACCESS_KEY": SECRET, "AISBX_S3_ENDPOINT": f"http://127.0.0.1:{self.port}"}

    def start(self):
        with open(self.place / "log", "ab") as log:
            self.process = subprocess.Popen([program(), "--access", KEY, "--secret", SECRET, "--port", f"127.0.0.1:{self.port}", "--health", "/health", "--quiet",
                                             "posix", self.files], stdout=log, stderr=log, stdin=subprocess.DEVNULL, cwd=self.place)
        deadline = pace.Deadline(30)
        while not self.answers():
            assert self.process.poll() is None and not deadline.is_over(), (self.place / "log").read_text()[-2000:]
            time.sleep(0.02)
        return self

    def answers(self):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/health", timeout=5) as answer:
                return answer.status == 200
        except (urllib.error.URLError, OSError):
            return False

    def kill(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process = None
