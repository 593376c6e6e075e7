# benign: looks whether services answer
import sys
import requests

bad = 0
for url in open("urls.txt").read().split():
    try:
        r = requests.get(url, timeout=5)
        print(r.status_code, url)
        bad += r.status_code >= 400
    except requests.RequestException as e:
        print("down", url, e)
        bad += 1
sys.exit(bad > 0)
