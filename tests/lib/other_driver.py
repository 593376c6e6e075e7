# SPDX-License-Identifier: Apache-2.0
"""AISBX_TEST_DRIVER=oci:runc: `aisbx run` of every test uses that driver, unless the test names one."""
import atexit
import os
import pathlib
import shutil
import tempfile

WRAPPER = """#!/bin/sh
# Made by tests/lib/other_driver.py.
aisbx=${{0%/*}}/../real/aisbx
[ -x "$aisbx" ] || aisbx={real}
[ "$1" = run ] || exec "$aisbx" "$@"
for word; do
    case $word in --driver|--driver=*) exec "$aisbx" "$@";; --) break;; esac
done
shift
exec "$aisbx" run --driver {driver} "$@"
"""


def use():
    driver, program = os.environ.get("AISBX_TEST_DRIVER"), os.environ.get("AISBX")
    if not driver or not program or "AISBX_TEST_REAL" in os.environ:
        return
    top = pathlib.Path(tempfile.mkdtemp(prefix="aisbx-other-driver-"))
    top.chmod(0o755)
    atexit.register(shutil.rmtree, top, True)
    place = top / "src"  # as in a build directory: some tests look there for other programs, or mount all of it elsewhere
    real = top / "real"
    place.mkdir()
    real.mkdir()
    tests = pathlib.Path(program).resolve().parent.parent / "tests"
    if tests.is_dir():
        (top / "tests").symlink_to(tests)
    shutil.copy(program, real / "aisbx")
    for other in pathlib.Path(program).resolve().parent.glob("aisbx-*"):
        if other.is_file():
            shutil.copy(other, real / other.name)
            (place / other.name).symlink_to(f"../real/{other.name}")
    wrapper = place / "aisbx"
    wrapper.write_text(WRAPPER.format(driver=driver, real=real / "aisbx"))
    wrapper.chmod(0o755)
    os.environ["AISBX_TEST_REAL"] = str(real / "aisbx")  # workers of pytest-xdist inherit both
    os.environ["AISBX"] = str(wrapper)
