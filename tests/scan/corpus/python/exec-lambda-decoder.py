# tricky: the usual one-line packer
_ = lambda __: __import__("zlib").decompress(__import__("base64").b64decode(__[::-1]))
exec((_)(b"==QfnA3dvJHciAyczFGcgQXdwRXdv5GblZGdzlGbzNXZjVGbvJHc"))
