# tricky-benign: encrypts one file that is named
import sys
from cryptography.fernet import Fernet

path = sys.argv[1]
key = Fernet.generate_key()
with open(path, "rb") as f:
    token = Fernet(key).encrypt(f.read())
with open(path + ".enc", "wb") as f:
    f.write(token)
print(key.decode())
