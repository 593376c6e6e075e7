# SPDX-License-Identifier: Apache-2.0
"""Keeps what both SDKs share true: it is what tools/sdk-types makes of the operation table and of sdk/boot now."""
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("path", ["sdk/python/aisbx/_types.py", "sdk/typescript/src/types.ts",
                                  "sdk/python/aisbx/_boot.py", "sdk/typescript/src/boot.ts"])
def test_it_is_what_the_tool_makes(path, tmp_path):
    subprocess.run([ROOT / "tools/sdk-types", os.environ["AISBX"], tmp_path], check=True)
    assert (tmp_path / path).read_text() == (ROOT / path).read_text(), "tools/sdk-types build/src/aisbx"
