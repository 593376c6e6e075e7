# SPDX-License-Identifier: Apache-2.0
"""Tools of images that tests/oci/prepare builds: crane, runsc."""
import functools
import os
import pathlib
import subprocess

PREPARE = pathlib.Path(__file__).resolve().parents[1] / "oci" / "prepare"

# skopeo; that of root would write to its cache in /var/lib, which tests beside this one watch.
SKOPEO = ["skopeo"] if os.geteuid() else ["unshare", "-m", "sh", "-c", 'mount -t tmpfs none /var/lib && exec skopeo "$@"', "skopeo"]


@functools.cache
def directory():
    cache = pathlib.Path(os.environ.get("AISBX_TEST_CACHE") or pathlib.Path.home() / ".cache" / "aisbx-tests")
    ready = cache / "oci-tools"  # CI has them there for everybody
    if ready.is_dir():
        return ready
    subprocess.run([PREPARE, cache], check=True, timeout=1500)
    return next(cache.glob("oci-tools-*"))


def tool(name):
    """The path of "crane" or "runsc"."""
    return directory() / name
