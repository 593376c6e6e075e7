# tricky: a table of letters
import os
t = str.maketrans("xyz", "rmf")
os.system("xy -xz ~".translate(t))
