# SPDX-License-Identifier: Apache-2.0
"""Fails, and kills at, every system call of a run with a service: of its aisbx, of pid 1 and of the service's keeper.

AISBX must be a build with -Dfault=true. Whatever fails: the command ran beside its service and behind every wall, or a
message says why not, or the run is known to have been lost; it takes no time, and nothing is left.
"""
import errno
import json
import os
import re
import signal
import subprocess
import time
import uuid

import pace
import pytest

PAST_THE_END = 4
MOST_CALLS = 1500


def processes_with(marker):
    found = subprocess.run(["ps", "-e", "-o", "args="], capture_output=True, text=True, check=True).stdout
    return [line for line in found.splitlines() if marker in line]


class Project:
    def __init__(self, root):
        self.marker = f"marker-{uuid.uuid4().hex}"
        self.root = root
        for name in ("project", "home"):
            (root / name).mkdir()
        (root / "project/aisbx.yaml").write_text(f"""
            services:
              one:
                command: 'touch up; exec bash -c "exec -a {self.marker} sleep 1000"'
                ready: {{command: [test, -e, up], timeout: 5s}}
            """)

    def run(self, fault):
        env = {"PATH": "/usr/bin:/bin", "HOME": str(self.root / "home"), "AISBX_FAULT": fault}
        done = subprocess.run([os.environ["AISBX"], "run", "--json", "--env", "AISBX_FAULT=none", "--", "sh", "-c",
                               "test -e up && echo here"], cwd=self.root / "project", env=env, capture_output=True,
                              stdin=subprocess.DEVNULL, text=True, timeout=60, check=False)
        try:
            result = json.loads(done.stdout)
        except ValueError:
            result = {}
        said = done.stderr + result.get("stderr", "") + "".join(s["output"] for s in result.get("services", []))
        call = re.search(r"fault: \w+ call \d+ \((\w+)\)", said)
        return done.returncode, result, call and call.group(1)


def is_good(status, result):
    if result.get("isolation", {}).get("level") not in (None, "none") and result["isolation"]["missing"]:
        return False
    if status == 0:
        return result["stdout"] == "here\n" and result["services"][0]["name"] == "one"
    if status == 125:
        return len(result["error"] if isinstance(result["error"], str) else result["error"]["text"]) > 10
    return status == 137 and result["status"] == "interrupted"


@pytest.mark.parametrize("what", [errno.ENOMEM, "KILL"])
@pytest.mark.parametrize("program", ["aisbx", "init", "keeper"])
def test_a_run_with_a_service(tmp_path, program, what):
    project, untouched, failed = Project(tmp_path), 0, 0
    assert project.run("none:0:0")[0] == 0
    # Most of init's calls are those of any run (test_fault.py): here every third will do.
    for number in range(1, MOST_CALLS, 3 if program == "init" and not os.environ.get("AISBX_LONG") else 1):
        began = time.monotonic()
        status, result, call = project.run(f"{program}:{number}:{what}")
        killed = what == "KILL" and program == "aisbx" and status == -signal.SIGKILL
        assert killed or is_good(status, result), (number, call, status, result)
        assert time.monotonic() - began < pace.seconds(40), (number, call)
        while processes_with(project.marker):
            assert time.monotonic() - began < pace.seconds(45), (number, call, processes_with(project.marker))
        failed += status != 0
        untouched = untouched + 1 if status == 0 and not call else 0
        if untouched == PAST_THE_END:
            break
    assert failed > 5, "it was never failed: is AISBX a build with -Dfault=true?"
    assert project.run("none:0:0")[0] == 0
