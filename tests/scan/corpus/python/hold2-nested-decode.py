# tricky: base64 in hexadecimal in rot13
import base64, codecs, binascii
p = binascii.unhexlify("63484a70626e516f4a326870")
exec(base64.b64decode(codecs.decode(codecs.encode(p.decode(), "rot13"), "rot13")) + b"')")
