# SPDX-License-Identifier: Apache-2.0
"""Everyday clients install and fetch in a box, by presets or rules, with no proxy variable set; what they reached is in the result."""
import box
import clients
import names
import pytest
from inbox import violations


@pytest.mark.parametrize("name", clients.usable())
def test_works(world, project, name):
    client = clients.INSTALLERS[name]
    client.prepare(world, project)
    result = world.box("sh", "-ec", "env | grep -i _proxy && exit 9\n" + client.script, net=client.net, cwd=project)
    assert result["exit_code"] == 0 and client.expect in result["stdout"], result
    assert result["isolation"]["level"] == "full" and not result["isolation"]["missing"]
    assert client.hosts <= set(result["net"]["hosts"]), result["net"]
    assert not [v for v in violations(result) if "connect" in v], result["violations"]


def impatient(script):
    """Without the clients' own further tries."""
    for command, option in (("pip install", "--retries 0"), ("npm install", "--fetch-retries=0"), ("cargo", "--config net.retry=0"), ("apt-get -q", "-o APT::Update::Error-Mode=any -o Acquire::Retries=0")):
        script = script.replace(f"{command} ", f"{command} {option} ")
    return script


@pytest.mark.parametrize("name", clients.usable())
def test_does_not_without(world, project, name):
    """Control: the same without the rule, in a box that has another; it fails soon, and the violations say which rule it would have needed."""
    client = clients.INSTALLERS[name]
    client.prepare(world, project)
    with world.watch() as seen:
        result = world.box("sh", "-ec", impatient(client.script), net="example.org:443", cwd=project)
    assert result["exit_code"] != 0 and client.expect not in result["stdout"], result
    assert not seen.web and not seen.asked() & client.hosts
    advice = {v["allow_with"] for v in violations(result).values()}
    assert advice and all(rule.startswith("net:egress:") for rule in advice), result["violations"]
    assert not client.hosts or any(f":{host}:" in rule for rule in advice for host in client.hosts), advice


MIRROR = "https://mirror.example.org"


def configure(world, project, name, mirror, where):
    """Sets a client up for a mirror; gives variables, and a file of /etc that is another meanwhile."""
    env, text = world.environment(project), ""
    pip = f"[global]\nindex-url = {mirror}/simple\n"
    home = project.parent
    files = {("pip", "home"): (home / ".config/pip/pip.conf", pip), ("npm", "home"): (home / ".npmrc", f"registry={mirror}/\n"),
             ("go", "home"): (home / ".config/go/env", f"GOPROXY={mirror}\n"), ("npm", "project"): (project / ".npmrc", f"registry={mirror}/\n"),
             ("cargo", "project"): (project / ".cargo/config.toml", f'[source.crates-io]\nreplace-with = "own"\n\n[source.own]\nregistry = "sparse+{mirror}/"\n')}
    if (name, where) in files:
        path, content = files[name, where]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    elif where == "variable":
        env[{"pip": "PIP_INDEX_URL", "npm": "npm_config_registry", "go": "GOPROXY"}[name]] = mirror + ("/simple" if name == "pip" else "")
    else:
        text = pip
    return env, world.file("pip.conf", text)


def asked_mirror(world, project, name, mirror, where):
    """Hosts that were asked; that the mirror has nothing is no matter."""
    client = clients.INSTALLERS[name]
    client.prepare(world, project)
    env, file = configure(world, project, name, mirror, where)
    with file, world.watch() as seen:
        world.box("sh", "-c", impatient(client.script), net=client.net, cwd=project, env=env)
    return {row["host"] for row in seen.web}


@pytest.mark.parametrize("name, where", [("pip", "machine"), ("pip", "variable"), ("npm", "variable"), ("go", "variable")])
def test_presets_follow_the_clients_configuration(world, project, name, where):
    assert "mirror.example.org" in asked_mirror(world, project, name, MIRROR, where)


@pytest.mark.parametrize("name", ["npm", "cargo"])
def test_files_of_the_project_widen_nothing(world, project, name):
    """An agent can write them."""
    assert "mirror.example.org" not in asked_mirror(world, project, name, MIRROR, "project")


@pytest.mark.parametrize("name", ["pip", "npm", "go"])
def test_presets_follow_the_home(world, project, name):
    """A configuration that the box does not see, because it lies in the hidden home, leads to the mirror nevertheless."""
    assert asked_mirror(world, project, name, MIRROR, "home") == {"mirror.example.org"}


def test_presets_leave_the_password_outside(world, project):
    _, file = configure(world, project, "pip", "https://person:hidden-word@mirror.example.org", "home")
    with file:
        result = world.box("sh", "-c", "env; grep -rs hidden-word $HOME", net="python-packages", cwd=project)
    assert "PIP_INDEX_URL=https://mirror.example.org/simple\n" in result["stdout"] and "hidden-word" not in result["stdout"], result


def test_presets_yield_to_options(world, project):
    """What --env says is meant; and without the preset nothing is said."""
    _, file = configure(world, project, "pip", MIRROR, "home")
    with file:
        own = world.box("printenv", "PIP_INDEX_URL", net="python-packages", cwd=project, options=["--env", "PIP_INDEX_URL=https://pypi.org/simple"])
        none = world.box("printenv", "PIP_INDEX_URL", net="npm", cwd=project)
    assert own["stdout"] == "https://pypi.org/simple\n" and none["stdout"] == "", (own, none)


def test_presets_in_a_box_that_stays(world, project):
    """Its runs are told, and who joins one."""
    env, file = configure(world, project, "pip", MIRROR, "home")
    with file:
        assert world.aisbx("create", "--net", "python-packages", "told", cwd=project, env=env).returncode == 0
        try:
            assert world.box("printenv", "PIP_INDEX_URL", cwd=project, env=env, options=["--box", "told"])["stdout"] == MIRROR + "/simple\n"
            run = world.aisbx("run", "--box", "told", "--detach", "--", "sleep", "60", cwd=project, env=env, check=True).stdout.split()[0]
            assert world.aisbx("exec", "told", "--", "printenv", "PIP_INDEX_URL", cwd=project, env=env).stdout == MIRROR + "/simple\n"
            world.aisbx("kill", run, cwd=project, env=env, check=True)
        finally:
            world.aisbx("rm", "told", cwd=project, env=env)


def test_a_mirror_in_the_companys_own_network(world, project):
    assert "mirror.corp.example" in asked_mirror(world, project, "pip", "https://mirror.corp.example", "machine")


def test_ssh_says_whom_it_talks_to(world, project):
    """Two hosts with SSH, one rule: the other's address is refused though its port has a rule."""
    world.need("ssh")
    command = "ssh -o BatchMode=yes -o StrictHostKeyChecking=no git@{} echo works"
    result = world.box("sh", "-c", command.format("github.com") + ";" + command.format(names.address("example.com")), net="github.com:22", cwd=project)
    assert result["stdout"] == "works\n" and result["exit_code"] == 255, result
    assert any(names.address("example.com") in what for what in violations(result))
    assert box.started(result)
