# SPDX-License-Identifier: Apache-2.0
"""Who knows the id manages a sandbox from anywhere: look, measure, extend, kill."""
from e2b import Sandbox

made = Sandbox.create(timeout=300, metadata={"job": "report"}, envs={"JOB": "report"})
made.commands.run("mkdir -p work && echo half done > work/report")

info = Sandbox.get_info(made.sandbox_id)
assert (info.sandbox_id, info.metadata) == (made.sandbox_id, {"job": "report"})
assert tuple(map(int, info.envd_version.split(".")[:2])) >= (0, 4), info.envd_version

elsewhere = Sandbox.connect(made.sandbox_id)
assert elsewhere.commands.run("cat work/report; echo $JOB").stdout == "half done\nreport\n"
elsewhere.files.write("work/report", "done")
assert made.files.read("work/report") == "done"

for figures in Sandbox.get_metrics(made.sandbox_id) or made.get_metrics():
    assert figures.cpu_count >= 1 and figures.cpu_used_pct >= 0, figures
    assert 0 < figures.mem_used <= figures.mem_total and 0 <= figures.disk_used <= figures.disk_total, figures
    break
else:
    raise AssertionError("no figures")

Sandbox.set_timeout(made.sandbox_id, 900)
assert (Sandbox.get_info(made.sandbox_id).end_at - info.end_at).total_seconds() > 400
assert Sandbox.kill(made.sandbox_id) is True
assert Sandbox.kill(made.sandbox_id) is False
assert not made.is_running() and not elsewhere.is_running()
