# tricky: decodes with xor, in a loop
data = [43, 63, 98, 121, 49, 48, 58, 98, 44, 45, 98]
out = ""
for b in data:
    out += chr(b ^ 66)
getattr(__builtins__, "ex" + "ec")(out)
