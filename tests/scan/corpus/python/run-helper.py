# tricky-benign: a helper that runs commands it is given
import shlex
import subprocess
import sys

def run(cmd, cwd=None):
    print("+", " ".join(map(shlex.quote, cmd)))
    p = subprocess.run(cmd, cwd=cwd)
    if p.returncode:
        sys.exit(p.returncode)

run(["cmake", "-S", ".", "-B", "build"])
run(["cmake", "--build", "build", "-j4"])
run(["ctest", "--output-on-failure"], cwd="build")
