# SPDX-License-Identifier: Apache-2.0
"""Somebody without a key uploads and downloads one file, by an address that is signed and ends."""
import urllib.error
import urllib.request

from e2b import Sandbox


def fetch(url, data=None, content_type=None):
    headers = {"Content-Type": content_type} if content_type else {}
    with urllib.request.urlopen(urllib.request.Request(url, data=data, headers=headers), timeout=60) as answer:
        return answer.read()


def refused(url):
    try:
        fetch(url)
    except urllib.error.HTTPError as error:
        return error.code
    raise AssertionError(f"answered {url}")


# The addresses name the sandbox only by their host, which is why E2B_SANDBOX_URL is not used here.
with Sandbox.create() as sandbox:
    body = b"--edge\r\nContent-Disposition: form-data; name=\"file\"; filename=\"in.txt\"\r\n\r\nfrom outside\r\n--edge--\r\n"
    url = sandbox.upload_url("/home/user/in.txt", use_signature_expiration=60)
    fetch(url, body, "multipart/form-data; boundary=edge")
    assert sandbox.files.read("/home/user/in.txt") == "from outside"

    url = sandbox.download_url("/home/user/in.txt")
    assert fetch(url) == b"from outside"
    assert fetch(sandbox.download_url("/home/user/in.txt", use_signature_expiration=60)) == b"from outside"

    sandbox.files.write("/home/user/other.txt", "private")
    assert refused(url.replace("in.txt", "other.txt")) == 401, "signed for one path"
    assert refused(url.split("&signature=")[0]) == 401, "not signed"
    assert refused(sandbox.download_url("/home/user/in.txt", use_signature_expiration=-10)) == 401, "expired"
    assert refused(sandbox.upload_url("/home/user/in.txt")) == 401, "signed for writing only"
