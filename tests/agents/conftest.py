# SPDX-License-Identifier: Apache-2.0
"""Makes tests/lib importable for the tests with real agents."""
import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
