# tricky-benign: templates filled, nothing executed
from string import Template

T = Template("def $name(self):\n    return self._$name\n")
with open("generated.py", "w") as f:
    f.write("class Point:\n")
    for n in ("x", "y"):
        f.write("    " + T.substitute(name=n).replace("\n", "\n    "))
