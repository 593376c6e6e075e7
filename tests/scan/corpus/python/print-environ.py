# tricky-benign: shows the environment here
import os

for k, v in sorted(os.environ.items()):
    print(f"{k}={v}")
