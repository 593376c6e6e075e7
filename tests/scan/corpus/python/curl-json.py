# tricky-benign: curl, but into a file
import subprocess

subprocess.run("curl -fsS https://api.example.org/v1/list -o data/list.json", shell=True, check=True)
