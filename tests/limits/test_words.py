# SPDX-License-Identifier: Apache-2.0
"""A limit that only refuses names itself, whatever the language of the program that is refused and however it says so."""
import os
import pathlib
import shutil
import subprocess

import box
import pytest

HERE = pathlib.Path(__file__).parent / "wanting"
CACHE = pathlib.Path(os.environ.get("AISBX_TEST_CACHE") or pathlib.Path.home() / ".cache" / "aisbx-tests")
PATH = "/usr/local/bin:/usr/bin:/bin:/usr/local/go/bin"
OPTIONS = {"files": ("--files", "200"), "forks": ("--pids", "64"), "bare_forks": ("--pids", "64"), "threads": ("--pids", "64"),
           "file_size": ("--file-size", "1m"), "disk": ("--disk", "16m"), "memory": ("--mem", "256m")}
KINDS = {"forks": "processes", "bare_forks": "processes", "threads": "processes"}
MORE = {"files": "--files 400", "processes": "--pids 128", "file_size": "--file-size 2m", "disk": "--disk 32m", "memory": "--mem 512m"}
# How each is built, on the host, and run.
LANGUAGES = {
    "python": (None, ["python3", "want.py"]),
    "javascript": (None, ["node", "want.js"]),
    "go": (["go", "build", "-trimpath", "-o", "want-go", "want.go"], ["./want-go"]),
    "rust": (["rustc", "-O", "-o", "want-rust", "want.rs"], ["./want-rust"]),
    "java": (["javac", "-d", ".", "Want.java"], ["java", "-XX:+UseSerialGC", "-Xshare:auto", "Want"]),
    "c++": (["g++", "-std=c++17", "-pthread", "-o", "want-cpp", "want.cpp"], ["./want-cpp"]),
    "perl": (None, ["perl", "want.pl"]),
    "shell": (None, ["sh", "want.sh"]),
}
WANTS = {
    "python": ["files", "forks", "bare_forks", "threads", "file_size", "disk", "memory"],
    "javascript": ["files", "forks", "file_size", "disk", "memory"],
    "go": ["files", "forks", "file_size", "disk", "memory"],
    "rust": ["files", "forks", "threads", "file_size", "disk", "memory"],
    "java": ["files", "forks", "threads", "file_size", "disk", "memory"],
    "c++": ["files", "threads", "file_size", "disk", "memory"],
    "perl": ["files", "forks", "file_size", "disk", "memory"],
    "shell": ["forks", "file_size", "disk", "memory"],
}
CASES = [(language, want) for language, wants in WANTS.items() for want in wants]


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    """A directory with a language's program, built when it is first asked for."""
    root = tmp_path_factory.mktemp("wanting")
    for source in HERE.iterdir():
        shutil.copy(source, root)
    built = set()

    def build(language):
        if language == "go" and language not in built and (CACHE / "go").is_dir():
            shutil.copytree(CACHE / "go", root / "go-cache")  # Go's own library, compiled: else it takes most of a minute
        if LANGUAGES[language][0] and language not in built:
            subprocess.run(LANGUAGES[language][0], cwd=root, check=True, stdout=subprocess.DEVNULL,
                           env={"PATH": PATH, "HOME": str(root), "GOCACHE": str(root / "go-cache"), "GO111MODULE": "off", "CGO_ENABLED": "0",
                                "GOTOOLCHAIN": "local", "GOENV": "off", "GOTELEMETRY": "off"})
            built.add(language)
        return root, LANGUAGES[language][1]

    return build


@pytest.mark.parametrize("language,want", CASES, ids=["-".join(c) for c in CASES])
def test_it_is_named(programs, language, want):
    root, command = programs(language)
    kind = KINDS.get(want, want)
    result = box.started(box.run(*command, want, cwd=root, options=OPTIONS[want]))
    assert result["status"] == "limit", (result["stderr"][-500:], result["usage"])
    assert result["limit"]["kind"] == kind and result["limit"]["raise_with"] == OPTIONS[want][0], result["limit"]
    assert result["limit"]["used"] >= result["limit"]["value"] == result["limits"][kind]["value"]
    assert [v["allow_with"] for v in result["violations"] if v["kind"] == "limit"] == [MORE[kind]]
