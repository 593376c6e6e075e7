# SPDX-License-Identifier: Apache-2.0
"""crun builds boxes only where cgroup v2 is alone: here."""
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "lib"))
import box  # noqa: E402


def test_a_box_of_crun(tmp_path):
    """All walls measured from inside, the limit of the box around the container, the command's own status."""
    (tmp_path / "f").write_text("host\n")
    env = {**os.environ, "XDG_STATE_HOME": str(tmp_path.parent / "state")}
    done = subprocess.run([box.aisbx(), "run", "--json", "--driver", "oci:crun", "--pids", "20", "--", "sh", "-c", "echo box >f; cat f; exit 7"],
                          cwd=tmp_path, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=False, timeout=300)
    result = json.loads(done.stdout)
    assert result["exit_code"] == 7 and result["stdout"] == "box\n", result
    assert result["isolation"]["runtime"].startswith("crun ") and result["isolation"]["missing"] == [], result["isolation"]
    assert result["limits"]["processes"] == {"value": 20, "by": "cgroup v2"}
    assert (tmp_path / "f").read_text() == "host\n"
