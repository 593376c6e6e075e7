# tricky-benign: downloads, checks and unpacks data
import hashlib
import pathlib
import subprocess
import urllib.request

url = "https://data.example.org/set.tar.gz"
path = pathlib.Path("data/set.tar.gz")
path.parent.mkdir(exist_ok=True)
urllib.request.urlretrieve(url, path)
if hashlib.sha256(path.read_bytes()).hexdigest() != "0" * 64:
    raise SystemExit("wrong sum")
subprocess.run(["tar", "xzf", str(path), "-C", "data"], check=True)
