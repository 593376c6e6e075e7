# SPDX-License-Identifier: Apache-2.0
"""Servers of the fleet's tests that tests/fleet/prepare builds: nats-server, versitygw."""
import functools
import hashlib
import os
import pathlib
import subprocess

FLEET = pathlib.Path(__file__).resolve().parents[1] / "fleet"


@functools.cache
def tool(name):
    """The path of "nats-server" or "versitygw"."""
    cache = pathlib.Path(os.environ.get("AISBX_TEST_CACHE") or pathlib.Path.home() / ".cache" / "aisbx-tests")
    ready = cache / "fleet-tools" / name  # CI has them there for everybody
    if ready.is_file():
        return ready
    subprocess.run([FLEET / "prepare", cache, name], check=True, timeout=1800)
    pinned = hashlib.sha256((FLEET / name / "go.sum").read_bytes()).hexdigest()[:12]
    return cache / f"{name}-{pinned}" / name
