# SPDX-License-Identifier: Apache-2.0
"""Homes with secrets for the tests of looking, and the guard's own corpus."""
import pathlib

import pytest
import yaml
from looking import Home

CORPUS = pathlib.Path(__file__).resolve().parents[1] / "guard/commands.yaml"


@pytest.fixture(scope="session")
def repository(tmp_path_factory):
    """To copy: to make one takes longer than most tests."""
    h = Home(tmp_path_factory.mktemp("repository"))
    h.project.mkdir(parents=True)
    (h.project / "README.md").write_text("# A project\n")
    for words in (["init", "-q", "."], ["add", "README.md"], ["-c", "user.name=t", "-c", "user.email=t@t", "commit", "-qm", "first"]):
        assert h.bare("git", *words).returncode == 0
    return h.project / ".git"


@pytest.fixture
def home(tmp_path, repository):
    return Home(tmp_path).fill(repository)


@pytest.fixture(scope="session")
def commands():
    return yaml.safe_load(CORPUS.read_text())
