# SPDX-License-Identifier: Apache-2.0
"""Secrets in files of a project, such as .env: noticed, taken out of output, stopped at promotion; nothing else is.

Every test has a state directory of its own. Runs as root and as an ordinary user.
"""
import base64
import json
import os
import subprocess

import pytest

from box import aisbx

KEY = "k9Fj2LmQ8xVb3Nz7"
PASSWORD = "Zx81kfPq0w"
ENV = f"""# settings of the project
DEBUG=true
PORT=5432
DB_HOST=localhost
DB_PASSWORD=postgres
MODE=development
export API_KEY="{KEY}"  # of the service
DATABASE_URL=postgres://app:{PASSWORD}@db:5432/app
"""


class Project:
    """A project with a .env, and aisbx with a state directory of its own."""

    def __init__(self, root):
        self.dir = root / "project"
        self.dir.mkdir()
        (self.dir / ".env").write_text(ENV)
        self.config = root / "config" / "aisbx" / "profiles"
        self.config.mkdir(parents=True)
        self.env = {**os.environ, "XDG_STATE_HOME": str(root / "state"), "XDG_CONFIG_HOME": str(root / "config")}

    def said(self, *words, want=0, cwd=None):
        done = subprocess.run([aisbx(), *words], cwd=cwd or self.dir, env=self.env, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == want, f"{words}: {done.returncode}, {done.stdout} {done.stderr}"
        return done

    def sh(self, script, *options, cwd=None):
        return self.said("run", *options, "--", "sh", "-c", script, cwd=cwd).stdout

    def promote(self, *words, want=0):
        return json.loads(self.said("promote", "--json", *words, want=want).stdout)


@pytest.fixture(name="project")
def fixture_project(tmp_path):
    return Project(tmp_path)


def test_create_says_what_it_noticed(project):
    (project.dir / "backend").mkdir()
    (project.dir / "backend" / ".env").write_text("SESSION_SECRET=aVeryL0ngBackendSecret\n")
    done = project.said("create", "b")
    assert done.stdout == "b\n"
    assert (".env holds 2 values that look like secrets; they are removed from output and stopped at promotion. "
            "To hide the file: run with --hide .env\n") in done.stderr
    assert "backend/.env holds a value that looks like a secret" in done.stderr
    told = json.loads(project.said("create", "--json", "c").stdout)
    assert sorted((f["path"], f["values"]) for f in told["secret_files"]) == [(".env", 2), ("backend/.env", 1)]
    assert project.sh("cat .env; true", "--hide", ".env") == ""
    (project.dir / ".env").unlink()
    (project.dir / "backend" / ".env").write_text("PORT=1\nHOST=localhost\nTOKEN=test\n")
    assert project.said("create", "d").stderr == ""


@pytest.mark.parametrize("box", [False, True])
def test_values_are_taken_out_of_output(project, box):
    """The program itself has them; words, numbers and hosts stay as they are."""
    options = ("--box", "b") if box else ()
    if box:
        project.said("create", "b")
    out = project.sh("cat .env", *options)
    assert out == ENV.replace(KEY, "[secret .env:API_KEY]").replace(PASSWORD, "[secret .env:DATABASE_URL]")
    out = project.sh(". ./.env; echo ${#API_KEY}; printf %s $API_KEY | base64; printf %s $API_KEY | od -An -tx1; printf '%s' ${API_KEY%xVb3Nz7};"
                     "sleep 0.05; echo xVb3Nz7; echo postgres development localhost", *options)
    assert out.splitlines()[0] == str(len(KEY)) and out.splitlines()[-1] == "postgres development localhost"
    for form in (KEY, base64.b64encode(KEY.encode()).decode()[:18], KEY.encode().hex(" ")[:40]):
        assert form not in out
    told = json.loads(project.said("run", "--json", *options, "--", "echo", KEY).stdout)
    assert KEY not in json.dumps(told) and KEY not in project.said("history", "--full", "--json").stdout
    assert KEY not in project.said("history", "--grep", "API_KEY").stdout


def test_plain_if_the_person_says_so(project):
    assert project.sh("grep API .env", "--secret-files", "plain") == f'export API_KEY="{KEY}"  # of the service\n'
    (project.config / "open.yaml").write_text("extends: dev\nsecret-files: plain\n")
    assert KEY in project.sh("cat .env", "--profile", "open")
    done = project.said("create", "b", "--profile", "open")
    assert done.stderr == ""
    project.sh("cp .env other", "--box", "b")
    project.promote("b")
    assert (project.dir / "other").read_text() == ENV
    # A file of the project, which anybody may have written, is not the person.
    (project.dir / "aisbx.yaml").write_text("secret-files: plain\n")
    assert KEY not in project.said("run", "--no-services", "--", "cat", ".env", want=0).stdout


def test_a_promotion_stops_at_values_outside_their_file(project):
    project.said("create", "b")
    project.sh(". ./.env; echo \"key = '$API_KEY'\" > conf.py; printf %s $API_KEY | base64 > encoded; cp .env copy.txt; echo fine > fine", "--box", "b")
    told = project.promote("b", want=1)
    assert {(s["path"], s["name"]) for s in told["secrets"]} == {
        ("conf.py", ".env:API_KEY"), ("encoded", ".env:API_KEY"), ("copy.txt", ".env:API_KEY"), ("copy.txt", ".env:DATABASE_URL")}
    assert not (project.dir / "conf.py").exists() and not (project.dir / "fine").exists()
    project.promote("b", "--yes", want=1)
    project.sh("rm encoded copy.txt", "--box", "b")
    project.promote("b", "--allow-secret", ".env:API_KEY")
    assert KEY in (project.dir / "conf.py").read_text()


def test_the_file_itself_may_be_promoted(project):
    project.said("create", "b")
    project.sh("echo MORE=1 >> .env", "--box", "b")
    told = project.promote("b", "--yes")  # it is a trap, as before
    assert told["secrets"] == [] and (project.dir / ".env").read_text() == ENV + "MORE=1\n"


def test_values_are_those_of_the_real_file(project):
    """What a box makes of its copy neither adds nor removes a secret."""
    project.said("create", "b")
    project.sh("echo 'API_KEY=development-mode-1234Ab' > .env", "--box", "b")
    out = project.sh(f"echo {KEY}; cat .env", "--box", "b")
    assert out == "[secret .env:API_KEY]\nAPI_KEY=development-mode-1234Ab\n"


def test_a_live_box_and_a_changed_file(project):
    """Who joins brings the new values; the old ones are still looked for."""
    project.said("create", "b")
    first = project.said("run", "--detach", "--box", "b", "--", "sh", "-c", "while [ ! -e stop ]; do sleep 0.05; done; cat .env; echo $0", "x").stdout.strip()
    (project.dir / ".env").write_text(ENV.replace(KEY, "An0therKeyOfToday99"))
    out = project.sh(f"echo {KEY} An0therKeyOfToday99; touch stop", "--box", "b")
    assert out == "[secret .env:API_KEY] [secret .env:API_KEY]\n"
    project.said("wait", first)
    out = project.said("logs", first).stdout
    assert KEY not in out and "An0therKeyOfToday99" not in out


def test_what_is_no_such_file(project, tmp_path):
    text = (project.dir / ".env").read_text()
    (project.dir / ".env").unlink()
    (project.dir / ".env.example").write_text(text)
    (tmp_path / "elsewhere").write_text(text)
    (project.dir / ".env.local").symlink_to(tmp_path / "elsewhere")
    os.mkfifo(project.dir / ".env.pipe")
    (project.dir / ".env.d").mkdir()
    assert project.sh("cat .env.example") == text
    assert project.said("create", "b").stderr == ""


def test_hostile_files(project):
    """Whatever is in them, the run goes on."""
    (project.dir / ".env").write_bytes(b"".join(b"K%d_TOKEN=k9Fj2LmQ8x%06d\n" % (i, i) for i in range(5000)))
    (project.dir / ".env.binary").write_bytes(bytes(range(256)) * 4096)
    (project.dir / "credentials.json").write_text("[" * 60000)
    (project.dir / "server.pem").write_text("-----BEGIN PRIVATE KEY-----\n" * 2000)
    assert project.sh("echo k9Fj2LmQ8x000000 fine") == "[secret .env:K0_TOKEN] fine\n"
    assert "further values are not looked for" in project.said("create", "b").stderr


def test_where_they_are_found(project):
    (project.dir / ".env").unlink()
    places = {"config/master.key": "0123456789abcdef0123456789abcdfe", "web/.env": "KEY=aQ1wS2eD3rF4\n", "deploy.key": "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgk\n-----END PRIVATE KEY-----\n",
              ".npmrc": "//registry.npmjs.org/:_authToken=npm_16C7e42F292c6912E771\n", "packages/one/.env": "KEY=zQ1wS2eD3rF4\n"}
    for name, text in places.items():
        (project.dir / name).parent.mkdir(parents=True, exist_ok=True)
        (project.dir / name).write_text(text)
    out = project.sh("cat config/master.key web/.env deploy.key .npmrc")
    for text in ("0123456789abcdef", "aQ1wS2eD3rF4", "MIIEvQIBADANBgk", "npm_16C7"):
        assert text not in out
    # Further down they are found for who works there.
    out = project.said("run", "--cwd", "packages/one", "--", "cat", ".env").stdout
    assert out == "KEY=[secret packages/one/.env:KEY]\n"


def test_a_box_is_the_same_with_and_without(project):
    """The box is given nothing: no /run/secrets, no other limits, the same variables."""
    look = "ls /run; ulimit -c; env | cut -d= -f1 | sort | grep -v AISBX"
    before = project.sh(look)
    (project.dir / ".env").unlink()
    assert project.sh(look) == before
