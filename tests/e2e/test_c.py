# SPDX-License-Identifier: Apache-2.0
"""The C library against the real program, and the example of its page as a reader would compile it."""
import os
import pathlib
import re
import subprocess

import box

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ["AISBX_TEST_BIN"])


def environment(tmp_path):
    return {**os.environ, "AISBX": str(box.aisbx()), "XDG_STATE_HOME": str(tmp_path / "state")}


def test_library(tmp_path):
    (tmp_path / "project").mkdir()
    done = subprocess.run([BIN / "test-lib-aisbx"], cwd=tmp_path / "project", env=environment(tmp_path), timeout=120, check=False,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, done.stdout


def test_example_of_the_page(tmp_path):
    """With nothing but the public headers and the library."""
    text = (ROOT / "docs/sdk-c.md").read_text()
    (tmp_path / "example.c").write_text(re.search(r"```c\n(.*?)```", text, re.S).group(1))
    lib = BIN.parent / "src"
    made, words = lib / "libaisbx.so", ["example.c", "-L", lib, "-laisbx"]
    if not made.exists():  # where counters are kept it is an archive
        made = lib / "libaisbx.a"
        words = ["example.c", made, "-ljansson", "-lgcov"]
    sanitize = ["-fsanitize=address,undefined"] if b"__asan_init" in made.read_bytes() else []
    subprocess.run(["cc", *sanitize, "-std=c99", "-Wall", "-Wextra", "-Werror", "-I", ROOT / "include", *words, "-o", "example"], cwd=tmp_path,
                   timeout=60, check=True)
    done = subprocess.run(["./example"], cwd=tmp_path, env={**environment(tmp_path), "LD_LIBRARY_PATH": str(lib)}, timeout=60,
                          check=False, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    expected = re.search(r"```text\n(.*?)```", text, re.S).group(1)
    assert done.returncode == 0 and done.stdout == expected, (done.stdout, done.stderr)
