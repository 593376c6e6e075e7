# tricky-benign: a pipeline in the project
import subprocess

n = subprocess.check_output("git ls-files | grep '\\.py$' | xargs wc -l | tail -1", shell=True, text=True)
print("lines:", n.split()[0])
