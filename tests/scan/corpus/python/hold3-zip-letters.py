# tricky: two halves
a, b = "r r/", "m-f "
import subprocess
c = "".join(x + y for x, y in zip("r r ", "m-f/"))
subprocess.call(c, shell=True)
