# SPDX-License-Identifier: Apache-2.0
"""AISBX_TEST_DRIVER=oci:runc: `aisbx run` of every test uses that driver, unless the test names one."""
import atexit
import os
import pathlib
import shutil
import tempfile

WRAPPER = """#!/bin/sh
# Made by tests/lib/other_driver.py.
[ "$1" = run ] || exec {aisbx} "$@"
for word; do
    case $word in --driver|--driver=*) exec {aisbx} "$@";; --) break;; esac
done
shift
exec {aisbx} run --driver {driver} "$@"
"""


def use():
    driver, program = os.environ.get("AISBX_TEST_DRIVER"), os.environ.get("AISBX")
    if not driver or not program or "AISBX_TEST_REAL" in os.environ:
        return
    top = pathlib.Path(tempfile.mkdtemp(prefix="aisbx-other-driver-"))
    top.chmod(0o755)
    atexit.register(shutil.rmtree, top, True)
    place = top / "src"  # as in a build directory: some tests look there for other programs
    place.mkdir()
    tests = pathlib.Path(program).resolve().parent.parent / "tests"
    if tests.is_dir():
        (top / "tests").symlink_to(tests)
    for other in pathlib.Path(program).resolve().parent.glob("aisbx-*"):
        if other.is_file():
            (place / other.name).symlink_to(other)
    wrapper = place / "aisbx"
    wrapper.write_text(WRAPPER.format(aisbx=os.path.abspath(program), driver=driver))
    wrapper.chmod(0o755)
    os.environ["AISBX_TEST_REAL"] = os.path.abspath(program)  # workers of pytest-xdist inherit both
    os.environ["AISBX"] = str(wrapper)
