# benign: a module that may be missing
try:
    import ujson as json
except ImportError:
    import json

try:
    import tqdm
except ImportError:
    tqdm = None

print(json.dumps({"ok": True}))
