# benign: a temporary directory that goes again
import os
import shutil
import tempfile

tmp = tempfile.mkdtemp(prefix="work-")
try:
    path = os.path.join(tmp, "a.txt")
    with open(path, "w") as f:
        f.write("x" * 100)
    print(os.path.getsize(path))
finally:
    shutil.rmtree(tmp)
