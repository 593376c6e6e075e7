# benign: asks git
import subprocess

out = subprocess.run(["git", "status", "--porcelain"], capture_output=True, text=True, check=True).stdout
changed = [line[3:] for line in out.splitlines()]
print(len(changed), "files changed")
