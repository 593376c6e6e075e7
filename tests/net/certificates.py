# SPDX-License-Identifier: Apache-2.0
"""Keys of the world: an authority, one certificate for all of its names, a host key for SSH, and the forms in which clients want them."""
import base64
import hashlib
import struct
import subprocess
import time


def make(directory, names):
    """ca.crt, ca.key, server.crt, server.key; valid for a day."""
    def openssl(*words, **run):
        subprocess.run(["openssl", *map(str, words)], cwd=directory, check=True, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, **run)

    (directory / "extensions").write_text("basicConstraints=CA:FALSE\nextendedKeyUsage=serverAuth\nsubjectAltName=" + ",".join(f"DNS:{n}" for n in names) + "\n")
    new = ("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")
    openssl(*new, "-x509", "-days", "2", "-subj", "/CN=World Test Authority", "-keyout", "ca.key", "-out", "ca.crt")
    openssl(*new, "-subj", "/CN=world", "-keyout", "server.key", "-out", "server.csr")
    openssl("x509", "-req", "-in", "server.csr", "-CA", "ca.crt", "-CAkey", "ca.key", "-set_serial", int(time.time() * 1000), "-days", "1", "-extfile", "extensions", "-out", "server.crt")


def java_store(certificate):
    """A JKS key store that trusts this certificate, as /etc/ssl/certs/java/cacerts is one; keytool takes a second to write it."""
    der = base64.b64decode("".join(line for line in certificate.read_text().splitlines() if "-" not in line))

    def text(s):
        return struct.pack(">H", len(s)) + s.encode()

    body = struct.pack(">IIII", 0xFEEDFEED, 2, 1, 2) + text("world") + struct.pack(">Q", int(time.time() * 1000)) + text("X.509") + struct.pack(">I", len(der)) + der
    return body + hashlib.sha1("changeit".encode("utf-16-be") + b"Mighty Aphrodite" + body).digest()


def ssh_host_key(directory, hosts):
    """Writes ssh_host; returns the line of a known_hosts file."""
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", directory / "ssh_host"], check=True)
    return ",".join(hosts) + " " + (directory / "ssh_host.pub").read_text()
