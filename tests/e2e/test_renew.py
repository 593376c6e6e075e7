# SPDX-License-Identifier: Apache-2.0
"""The life of a box is made longer, shorter, endless."""
import json
import os
import subprocess
import sys
import time

import pytest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "lib"))
import box


@pytest.fixture(name="aisbx")
def fixture_aisbx(tmp_path):
    project = tmp_path / "project"
    project.mkdir()
    env = {**os.environ, "XDG_STATE_HOME": str(tmp_path / "state")}

    def call(*words):
        done = subprocess.run([box.aisbx(), words[0], "--json", *words[1:]], cwd=project, env=env, timeout=60, stdout=subprocess.PIPE,
                              stdin=subprocess.DEVNULL, check=False)
        return json.loads(done.stdout)
    return call


def test_a_box_gets_more_time(aisbx):
    aisbx("create", "one", "--ttl", "1h")
    before = time.time() * 1000
    told = aisbx("renew", "one", "--ttl", "3h")
    assert before + 3 * 3600e3 <= told["expires_ms"] <= time.time() * 1000 + 3 * 3600e3
    assert aisbx("show", "one")["expires_ms"] == told["expires_ms"]


def test_a_box_has_no_end_any_more_and_gc_leaves_it(aisbx):
    aisbx("create", "one", "--ttl", "1ms")
    assert aisbx("renew", "one", "--ttl", "0")["expires_ms"] is None
    assert aisbx("gc")["expired"] == 0 and aisbx("show", "one")["name"] == "one"


def test_a_box_whose_time_is_over_now_goes_and_ends_its_runs(aisbx):
    aisbx("create", "one")
    aisbx("renew", "one", "--ttl", "200ms")
    result = aisbx("run", "--box", "one", "--", "sleep", "60")
    assert result["status"] == "limit" and result["limit"]["kind"] == "lifetime"
    assert aisbx("gc")["expired"] == 1
    assert aisbx("renew", "one", "--ttl", "1h")["error"]["code"] == "ENOENT"
