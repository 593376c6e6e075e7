# tricky-benign: compresses and compares
import zlib, base64, json

doc = json.dumps({"a": list(range(1000))}).encode()
packed = base64.b64encode(zlib.compress(doc, 9))
assert zlib.decompress(base64.b64decode(packed)) == doc
print(len(doc), len(packed))
