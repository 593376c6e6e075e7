# tricky-benign: asks the cluster by its tool
import json
import subprocess
import time

for _ in range(60):
    out = subprocess.run(["kubectl", "get", "pods", "-o", "json"], capture_output=True, check=True)
    pods = json.loads(out.stdout)["items"]
    if all(p["status"]["phase"] == "Running" for p in pods):
        break
    time.sleep(5)
