# SPDX-License-Identifier: Apache-2.0
"""What is the person's stays the person's: files of the home, of other people and of the system, and variables."""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import uuid

import box
import pytest

SECRET_FILES = [
    ".ssh/id_rsa", ".ssh/id_ed25519", ".ssh/config", ".gnupg/secring.gpg", ".netrc", ".git-credentials", ".pgpass",
    ".aws/credentials", ".azure/token", ".config/gcloud/credentials.db", ".kube/config", ".docker/config.json",
    ".npmrc", ".pypirc", ".cargo/credentials.toml", ".m2/settings.xml", ".config/gh/hosts.yml", ".claude/auth.json",
    ".codex/auth.json", ".mozilla/firefox/key4.db", ".config/google-chrome/Cookies", ".bash_history", ".vault-token",
    ".local/share/keyrings/login.keyring", ".password-store/a.gpg",
]
SECRET_NAMES = [
    "GITHUB_TOKEN", "GH_TOKEN", "AWS_SECRET_ACCESS_KEY", "AWS_ACCESS_KEY_ID", "AWS_SESSION_TOKEN", "SSH_AUTH_SOCK",
    "SSH_AGENT_PID", "ANTHROPIC_API_KEY", "OPENAI_API_KEY", "NPM_TOKEN", "DATABASE_URL", "PGPASSWORD",
    "GOOGLE_APPLICATION_CREDENTIALS", "AZURE_CLIENT_SECRET", "KUBECONFIG", "DBUS_SESSION_BUS_ADDRESS",
    "XDG_RUNTIME_DIR", "DOCKER_HOST", "SENTRY_DSN", "GPG_TTY", "my_password", "VAULT_ADDR", "DISPLAY",
    # A name too long to be anybody's, and one in mixed case.
    "X" * 150 + "_TOKEN", "Github_Token",
]


@pytest.fixture
def home(tmp_path):
    directory = tmp_path / "home"
    directory.mkdir()
    return directory


def put(home, *names, text):
    for name in names:
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(f"{text} {name}\n")


def env_of(home, **more):
    return {**os.environ, "HOME": str(home), **more}


READ_ALL = "cat {} 2>/dev/null; grep -rs {} . ~; find ~ | sort; exit 0"


@pytest.mark.parametrize("profile", box.PROFILES)
def test_secret_variables_are_not_passed_on(tmp_path, profile):
    value = f"VALUE-{uuid.uuid4().hex}"
    env = {**os.environ, **{name: value for name in SECRET_NAMES}, "PLAIN_SETTING": "kept"}
    script = "env; cat /proc/self/environ /proc/1/environ; for f in /proc/[0-9]*/environ; do cat $f; done; exit 0"
    result = box.started(box.run("sh", "-c", script, cwd=tmp_path, profile=profile, env=env))
    leaked = [name for name in SECRET_NAMES if f"{name}={value}" in result["stdout"]]
    assert not leaked
    assert value not in result["stdout"] + result["stderr"]
    assert ("PLAIN_SETTING=kept" in result["stdout"]) == (profile == "dev")
    # Control: the person passes one on.
    result = box.run("env", cwd=tmp_path, profile=profile, env=env, options=["--env", "GITHUB_TOKEN"])
    assert f"GITHUB_TOKEN={value}" in result["stdout"]


@pytest.mark.parametrize("profile", box.PROFILES)
def test_home_is_hidden(home, profile):
    text = f"SECRET-{uuid.uuid4().hex}"
    put(home, *SECRET_FILES, "diary.txt", "other-project/main.c", text=text)
    project = home / "project"
    put(project, "file", text="ours")
    script = READ_ALL.format(" ".join("~/" + n for n in SECRET_FILES + ["diary.txt"]), text)
    with box.Watch(home):
        result = box.started(box.run("sh", "-c", script, cwd=project, profile=profile, env=env_of(home)))
    assert text not in result["stdout"] and "diary.txt" not in result["stdout"]
    assert "project/file" in result["stdout"]
    assert f"open {home}/.ssh/id_rsa" in box.violations(result, "decoy")
    # Control: shown on purpose, file and directory.
    shown = box.run("cat", home / ".ssh/id_rsa", home / "diary.txt", cwd=project, profile=profile, env=env_of(home),
                    options=["--ro", str(home / ".ssh"), "--ro", str(home / "diary.txt")])
    assert shown["stdout"].count(text) == 2 and not shown["violations"]


@pytest.mark.parametrize("profile", box.PROFILES)
def test_home_as_the_project(home, profile):
    """Its secrets are covered one by one; the rest is there to be worked on."""
    text = f"SECRET-{uuid.uuid4().hex}"
    put(home, *SECRET_FILES, text=text)
    put(home, "diary.txt", ".config/app.toml", ".bashrc", text="ours")
    script = READ_ALL.format(" ".join("~/" + n for n in SECRET_FILES), text)
    with box.Watch(home):
        result = box.started(box.run("sh", "-c", script + "; ", cwd=home, profile=profile, env=env_of(home)))
        work = box.run("sh", "-c", "cat diary.txt .config/app.toml .bashrc && echo x >>diary.txt && rm .bashrc",
                       cwd=home, profile=profile, env=env_of(home))
    assert text not in result["stdout"]
    assert work["status"] == "ok" and work["stdout"].count("ours") == 3
    assert f"open {home}/.netrc" in box.violations(result, "decoy")
    shown = box.run("cat", ".ssh/id_rsa", cwd=home, profile=profile, env=env_of(home),
                    options=["--ro", str(home / ".ssh"), "--secret-files", "plain"])
    assert text in shown["stdout"], "the control"


@pytest.mark.parametrize("profile", box.PROFILES)
def test_a_secret_behind_a_link_is_covered_too(home, profile):
    """Many keep their dot files elsewhere and link them into place; then both names must be covered."""
    text = f"SECRET-{uuid.uuid4().hex}"
    put(home, "dotfiles/ssh/id_rsa", "dotfiles/netrc", text=text)
    (home / ".ssh").symlink_to("dotfiles/ssh")
    (home / ".netrc").symlink_to(home / "dotfiles/netrc")
    result = box.started(box.run("sh", "-c", "cat ~/.ssh/id_rsa ~/.netrc dotfiles/ssh/id_rsa dotfiles/netrc; exit 0",
                                 cwd=home, profile=profile, env=env_of(home)))
    assert text not in result["stdout"]


@pytest.mark.parametrize("profile", box.PROFILES)
def test_a_linked_config_directory_is_no_hindrance(home, profile):
    text = f"SECRET-{uuid.uuid4().hex}"
    put(home, "dotfiles/config/gh/hosts.yml", text=text)
    (home / ".config").symlink_to("dotfiles/config")
    result = box.started(box.run("sh", "-c", "cat ~/.config/gh/hosts.yml dotfiles/config/gh/hosts.yml; exit 0",
                                 cwd=home, profile=profile, env=env_of(home)))
    assert text not in result["stdout"]


@pytest.mark.parametrize("profile", box.PROFILES)
def test_a_home_at_the_top_is_hidden(tmp_path, profile):
    """HOME=/something: containers and services have it so."""
    text = f"SECRET-{uuid.uuid4().hex}"
    script = "cat ~/.ssh/id_rsa ~/diary.txt; ls ~; exit 0"
    if not box.IS_ROOT:  # who cannot make one takes one that is there; a refusal hides it as well
        result = box.run("sh", "-c", script, cwd=tmp_path, profile=profile, env=env_of("/var"))
        assert "isolation" not in result or "lib" not in result["stdout"].split()
        return
    home = tempfile.mkdtemp(prefix="aisbx-test-", dir="/")
    try:
        put(pathlib.Path(home), ".ssh/id_rsa", ".ssh/id_ed25519", ".aws/credentials", ".netrc", "diary.txt", text=text)
        result = box.run("sh", "-c", script, cwd=tmp_path, profile=profile, env=env_of(home))
    finally:
        shutil.rmtree(home)
    assert text not in box.started(result)["stdout"]


@pytest.mark.parametrize("profile", box.PROFILES)
def test_homes_of_others_are_hidden(tmp_path, profile):
    script = "ls -A /home /root; find /home /root -type f | head; exit 0"
    result = box.started(box.run("sh", "-c", script, cwd=tmp_path, profile=profile, env=env_of(tmp_path)))
    names = set(result["stdout"].split()) - {"/home:", "/root:"}
    assert not names, names
    if os.listdir("/home"):
        first = os.path.join("/home", os.listdir("/home")[0])
        shown = box.run("ls", "/home", cwd=tmp_path, profile=profile, env=env_of(tmp_path), options=["--ro", first])
        if "isolation" in shown:  # another's home may be closed to this user
            assert os.path.basename(first) in shown["stdout"], "the control"


@pytest.mark.parametrize("profile", box.PROFILES)
def test_secrets_of_the_system(tmp_path, profile):
    """What root alone may read on the machine, root in a box may not: above all password hashes, backups too."""
    files = ["/etc/shadow", "/etc/gshadow", "/etc/shadow-", "/etc/gshadow-", "/etc/security/opasswd",
             "/var/backups/shadow.bak", "/var/backups/gshadow.bak"]
    result = box.started(box.run("sh", "-c", f"cat {' '.join(files)} 2>/dev/null; exit 0", cwd=tmp_path,
                                 profile=profile))
    # A line of the box's own stand-in is a name and no more: name:*:::::::
    real = [line for line in result["stdout"].splitlines() if any(f.isdigit() for f in line.split(":")[2:])]
    assert not real, f"{len(real)} lines of real password files"
    if box.IS_ROOT:
        with open("/etc/shadow-", encoding="ascii") as f:
            hidden = f.read().strip()
        assert hidden and hidden not in result["stdout"]


READERS = {
    "plain": "open(p).read()",
    "without a trace": "os.read(os.open(p, os.O_RDONLY | os.O_NOATIME), 9)",
    "time put back": "open(p).read(); os.utime(p, (0, os.stat(p).st_mtime))",
    "mapped": "bytes(mmap.mmap(os.open(p, os.O_RDONLY), 0, prot=mmap.PROT_READ)[:9])",
    "renamed first": "os.rename(p, p + 'x'); open(p + 'x').read()",
    "removed after": "open(p).read(); os.unlink(p)",
}


@pytest.mark.parametrize("how", READERS)
def test_a_decoy_tells_on_its_reader(home, how):
    """However it is read. A program that takes care not to be seen is the one to hear of."""
    project = home / "project"
    project.mkdir()
    script = f"import os, mmap\np = os.path.expanduser('~/.ssh/id_rsa')\n{READERS[how]}\n"
    result = box.started(box.run("/usr/bin/python3", "-c", script, cwd=project, env=env_of(home)))
    assert result["exit_code"] == 0, result["stderr"]
    assert f"open {home}/.ssh/id_rsa" in box.violations(result, "decoy")


def test_a_decoy_left_alone_tells_nothing(home):
    project = home / "project"
    project.mkdir()
    result = box.started(box.run("sh", "-c", "ls -laR ~; stat ~/.ssh/id_rsa", cwd=project, env=env_of(home)))
    assert not result["violations"]


TOKEN = "ghp_abcdEFGH0123456789abcdEFGH0123456789"
SHAPE = re.compile(r"ghp_[a-z]{4}[A-Z]{4}[0-9]{10}[a-z]{4}[A-Z]{4}[0-9]{10}")
EVERYWHERE = """
printenv X; cat /run/secrets/X; echo
cat /proc/*/environ 2>/dev/null | tr '\\0' '\\n' | grep -F "$(printenv PART | rev)" && echo IT-IS-HERE
grep -rsF "$(printenv PART | rev)" /run /tmp /dev/shm && echo IT-IS-HERE
exit 0
"""


@pytest.mark.parametrize("profile", box.PROFILES)
def test_an_injected_secret_is_not_in_the_box(tmp_path, profile):
    """A placeholder of the same shape is. What is searched for enters the box backwards."""
    env = {**os.environ, "V": TOKEN, "COPY": f"https://{TOKEN}@h.example"}
    options = ["--env", f"PART={TOKEN[4:20][::-1]}", "--secret", "X=env:V,as=both,inject=h.example"]
    result = box.started(box.run("sh", "-c", EVERYWHERE, cwd=tmp_path, profile=profile, env=env, options=options))
    first, second = result["stdout"].split()
    assert first == second != TOKEN and SHAPE.fullmatch(first), result
    again = box.run("printenv", "X", cwd=tmp_path, profile=profile, env=env, options=options)["stdout"].strip()
    assert SHAPE.fullmatch(again) and again != first, "another run has another one"
    # Control: a secret that the box is given is found there.
    control = box.run("sh", "-c", EVERYWHERE, cwd=tmp_path, profile=profile, env=env,
                      options=[*options[:2], "--secret", "X=env:V,as=both"])
    assert "[secret X]" in control["stdout"] and control["stdout"].count("IT-IS-HERE") == 2, control


def test_an_injected_secret_enters_by_no_other_way(tmp_path):
    env = {**os.environ, "V": TOKEN}
    secret = ["--secret", "X=env:V,inject=h.example"]

    def refused(*options, words=("true",), with_secret=secret):
        result = box.run(*words, cwd=tmp_path, env=env, options=[*with_secret, *options])
        assert result["status"] == "error" and TOKEN not in str(result), result
        return result["error"]["text"]

    assert "the command line has its value" in refused(words=("echo", f"a{TOKEN}"))
    assert "the variable 'V'" in refused("--env", "V")
    assert "the variable 'A'" in refused("--env", f"A=b{TOKEN}")
    assert "secret 'Y'" in refused("--secret", "Y=env:V")
    assert "--net none leaves none" in refused("--net", "none")
    assert "not the name of a host" in refused(with_secret=["--secret", "X=env:V,inject=10.0.0.1"])
    assert "a header with {}" in refused(with_secret=["--secret", "X=env:V,inject=h.example Authorization"])


def test_a_box_keeps_its_placeholder(tmp_path):
    """A program may have stored it; and who joins has the same."""
    env = {**os.environ, "V": TOKEN, "XDG_STATE_HOME": str(tmp_path / "state")}
    (tmp_path / "project").mkdir()

    def do(*words):
        return box.last_json(subprocess.run([box.aisbx(), *words[:1], "--json", *words[1:]], cwd=tmp_path / "project", env=env,
                                            stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, check=False, text=True).stdout)

    assert do("create", "b", "--secret", "X=env:V,inject=h.example")["name"] == "b"
    first = do("run", "--box", "b", "--", "printenv", "X")["stdout"].strip()
    assert SHAPE.fullmatch(first)
    assert do("run", "--box", "b", "--", "printenv", "X")["stdout"].strip() == first
    do("fork", "b", "--name", "f")
    assert do("run", "--box", "f", "--", "printenv", "X")["stdout"].strip() == first
    kept = b"".join(p.read_bytes() for p in (tmp_path / "state").rglob("*") if p.is_file())
    assert TOKEN.encode() not in kept and b"inject=h.example" in kept
    env["V"] = TOKEN[::-1]
    assert do("run", "--box", "b", "--", "printenv", "X")["stdout"].strip() not in (first, TOKEN[::-1])
    assert "inject" in do("create", "c", "--secret", "X=env:V,inject=a b")["error"]["text"]
