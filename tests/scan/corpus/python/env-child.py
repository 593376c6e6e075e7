# tricky-benign: a changed environment for a child
import os
import subprocess

env = os.environ.copy()
env["PYTHONPATH"] = "src"
env.setdefault("LANG", "C.UTF-8")
subprocess.run(["python3", "-m", "pytest", "-q"], env=env, check=True)
