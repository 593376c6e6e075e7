# tricky-benign: asks pre-commit to install its hooks
import subprocess

subprocess.run(["pre-commit", "install", "--install-hooks"], check=True)
