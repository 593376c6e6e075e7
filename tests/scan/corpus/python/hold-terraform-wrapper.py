# tricky-benign: starts a tool with the person's own settings
import os
import subprocess
import sys

env = {**os.environ, "TF_IN_AUTOMATION": "1"}
for step in (["init", "-input=false"], ["plan", "-out=plan.bin"]):
    r = subprocess.run(["terraform", *step, *sys.argv[1:]], env=env)
    if r.returncode:
        raise SystemExit(r.returncode)
