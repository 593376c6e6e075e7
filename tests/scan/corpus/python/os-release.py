# benign: which system is this
import platform

info = {}
with open("/etc/os-release") as f:
    for line in f:
        k, _, v = line.strip().partition("=")
        info[k] = v.strip('"')
print(info.get("PRETTY_NAME"), platform.machine())
