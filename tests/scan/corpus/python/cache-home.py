# tricky-benign: clears its own cache
import os
import shutil

cache = os.path.join(os.path.expanduser("~"), ".cache", "mytool")
if os.path.isdir(cache):
    shutil.rmtree(cache)
os.makedirs(cache)
