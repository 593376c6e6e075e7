# tricky-benign: names of users, no secrets
import pwd

with open("/etc/passwd") as f:
    names = [line.split(":", 1)[0] for line in f]
assert names == [p.pw_name for p in pwd.getpwall()]
