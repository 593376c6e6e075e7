# tricky-benign: makes an environment and runs its interpreter
import subprocess
import venv

venv.create(".venv", with_pip=True)
subprocess.check_call([".venv/bin/python", "-m", "pip", "install", "-e", "."])
subprocess.check_call([".venv/bin/pytest", "-q"])
