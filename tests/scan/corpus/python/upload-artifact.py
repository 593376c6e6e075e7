# tricky-benign: uploads a file of the project
import requests

with open("dist/app.whl", "rb") as f:
    r = requests.post("https://artifacts.example.org/upload", files={"file": f}, timeout=60)
print(r.status_code)
