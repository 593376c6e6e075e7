# SPDX-License-Identifier: Apache-2.0
"""What people and agents use beside `run`, in boxes that stand on an image: services, interpreters that stay, secrets, trust, git, logs.

The same file runs as root and as an ordinary user.
"""
import json
import subprocess

import box
import image_trees as images
import promote
import pytest


@pytest.fixture(name="shelf")
def fixture_shelf(tmp_path):
    shelf = promote.Shelf(tmp_path)
    yield shelf
    images.clean(shelf)


MORE = {f"bin/{name}": "busybox" for name in ("httpd", "wget", "base64", "grep", "mkfifo", "rmdir")}


def test_services(shelf):
    """Programs of the image, as its user, beside the command."""
    images.busybox(shelf, config={"User": "app"}, files={"srv/index.html": "served\n"}, links=MORE)
    (shelf.root / "services.yaml").write_text("services:\n  web:\n    command: [httpd, -f, -p, '127.0.0.1:8099', -h, /srv]\n    ready: {port: 8099}\n")
    result = images.run(shelf, "bb:1", "sh", "-c", "wget -q -O - http://127.0.0.1:8099/", options=("--net", "loopback", "--services", shelf.root / "services.yaml"))
    assert result["stdout"] == "served\n" and [s["name"] for s in result["services"]] == ["web"]


def test_contexts(shelf):
    """An interpreter that stays is the image's own; one that it has not is named."""
    root = images.tree(shelf.root / "tree", links=MORE)
    images.add_program(root, "/bin/bash")
    images.add(shelf, "bash:1", root)
    shelf.ok("create", "--from", "bash:1", "b")
    code = ("run-code", "--box", "b", "--context", "c", "--lang")
    assert shelf.ok(*code, "shell", "--code", "X=5; echo $BASH")["stdout"] == "/bin/bash\n"
    assert shelf.ok(*code, "shell", "--code", "echo $X; ls /")["stdout"].startswith("5\nbin\n")
    shelf.ok(*code, "shell", "--end-context")
    for lang, program in (("python", "python3"), ("javascript", "node")):
        status, result = shelf.call(*code, lang, "--code", "1")
        assert status == 125 and f"is '{program}' installed in the box?" in result["error"]["text"]


def test_secrets_of_who_joins(shelf):
    """The image's user can read what a command is given that joins later; the first was given none."""
    images.busybox(shelf, config={"User": "app"})
    (shelf.root / "secret").write_text("not for everybody")
    shelf.ok("create", "--from", "bb:1", "b")
    with shelf.start("run", "--box", "b", "--", "sh", "-c", "echo up; exec cat", stdin=subprocess.PIPE) as live:
        assert live.stdout.readline() == b"up\n"
        joined = shelf.ok("exec", "--secret", f"KEY=file:{shelf.root}/secret", "b", "--", "sh", "-c", "id -u; wc -c < /run/secrets/KEY; cat /run/secrets/KEY")
        live.stdin.close()
        live.wait(30)
    uid, size, text = joined["stdout"].splitlines()
    assert (uid, size) == ("1000" if box.IS_ROOT else "0", "17") and "everybody" not in text
    first = images.run(shelf, "bb:1", "sh", "-c", "wc -c < /run/secrets/KEY", options=("--secret", f"KEY=file:{shelf.root}/secret"))
    assert first["stdout"] == "17\n"


def test_trust(shelf):
    """Programs of the image find the certificates that they have to trust, whoever they run as."""
    images.busybox(shelf, config={"User": "app"}, links=MORE)
    result = images.run(shelf, "bb:1", "sh", "-c", "echo $SSL_CERT_FILE $CURL_CA_BUNDLE; grep -c BEGIN.CERTIFICATE $SSL_CERT_FILE",
                        options=("--net", "https://example.org/* GET"))
    names, count = result["stdout"].splitlines()
    assert names == "/run/aisbx/roots.pem /run/aisbx/roots.pem" and int(count) > 0
    assert images.run(shelf, "bb:1", "sh", "-c", "echo $SSL_CERT_FILE; ls /run", options=("--net", "example.org:443"))["stdout"] == "\nlock\n"


def test_git(shelf):
    """On the person's project commits are theirs; a box without it knows nothing of them."""
    images.busybox(shelf, files={"etc/gitconfig": "[core]\n\tabbrev = 9\n"})
    (shelf.root / "home/.gitconfig").write_text("[user]\n\tname = Ada L\n\temail = ada@example.org\n[alias]\n\tx = !id\n")
    shelf.ok("create", "--from", "bb:1", "--project", shelf.project, "b")
    shelf.ok("create", "--from", "bb:1", "c")
    text = shelf.sh("b", "cat $GIT_CONFIG_SYSTEM")
    (shelf.root / "seen").write_text(text.replace("/etc/gitconfig", str(shelf.root / "tree-bb:1/etc/gitconfig")))
    env = {**shelf.env, "GIT_CONFIG_SYSTEM": str(shelf.root / "seen"), "HOME": str(shelf.root / "nobody")}
    for key, value in (("user.name", "Ada L"), ("user.email", "ada@example.org"), ("core.abbrev", "9")):
        assert subprocess.run(["git", "config", "--includes", key], cwd=shelf.root, env=env, capture_output=True, text=True, check=True).stdout == value + "\n"
    assert "alias" not in text and shelf.ok("diff", "b")["system"] is None, "it is no change of the box"
    assert shelf.sh("c", "echo $GIT_CONFIG_SYSTEM; ls /run") == "\nlock\n"


def test_logs(shelf):
    images.busybox(shelf, config={"User": "app"})
    shelf.ok("create", "--from", "bb:1", "b")
    run = shelf.ok("run", "--detach", "--box", "b", "--", "sh", "-c", "echo one; id -u; echo two >&2")["run"]
    shelf.ok("wait", run)
    with shelf.start("logs", "--json", run) as p:
        rows = [json.loads(line) for line in p.stdout]
    said = {name: "".join(row["data"] for row in rows if row.get("stream") == name) for name in ("stdout", "stderr")}
    assert said == {"stdout": f"one\n{1000 if box.IS_ROOT else 0}\n", "stderr": "two\n"}
