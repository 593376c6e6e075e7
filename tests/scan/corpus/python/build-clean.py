# tricky-benign: removes the build directory
import os
import shutil

for d in ("build", "dist", ".pytest_cache", "src/app.egg-info"):
    shutil.rmtree(d, ignore_errors=True)
os.system("rm -rf build/ *.egg-info __pycache__")
