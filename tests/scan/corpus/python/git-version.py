# benign: a version out of git
import subprocess

def version():
    try:
        return subprocess.check_output(["git", "describe", "--tags", "--always"]).decode().strip()
    except (OSError, subprocess.CalledProcessError):
        return "0.0.0"

print(version())
