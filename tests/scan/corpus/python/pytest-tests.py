# benign: tests with fixtures
import json
import os
import pytest

@pytest.fixture
def store(tmp_path):
    p = tmp_path / "s.json"
    p.write_text("{}")
    return p

def put(path, k, v):
    d = json.loads(path.read_text())
    d[k] = v
    path.write_text(json.dumps(d))

@pytest.mark.parametrize("k,v", [("a", 1), ("b", [1, 2])])
def test_put(store, k, v):
    put(store, k, v)
    assert json.loads(store.read_text())[k] == v

def test_env(monkeypatch):
    monkeypatch.setenv("HOME", "/nonexistent")
    assert os.path.expanduser("~") == "/nonexistent"
