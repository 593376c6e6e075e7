/* SPDX-License-Identifier: Apache-2.0 */
/* The list of names that something on a person's machine runs, reads as orders, or obeys at the next start. */
#include "policy/trap.h"

#include <fnmatch.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/path.h"
#include "base/scope.h"

#define GIT_HOOK  "git-hook", "git runs it by itself at the next commit, checkout or merge"
#define GIT_CONF  "git-config", "git can be told here to run programs (hooks path, filters, fsmonitor, aliases)"
#define EDITOR	  "editor", "an editor runs or obeys it when the project is opened"
#define AGENT	  "agent", "it gives orders, tools or permissions to an agent that works in this project"
#define LIFECYCLE "lifecycle", "a package manager or build runs it by itself"
#define STARTUP	  "startup", "a shell, a login or the desktop runs it at the next start"
#define CI	  "ci", "a build server runs it, often with secrets at hand"
#define ENTER	  "startup", "a shell hook runs it when somebody enters the directory"
#define GATE	  "gate", "it says what must hold before a change goes further, and what is run without a box to deploy it"
#define PYTHON	  "startup", "every Python that finds it runs it at its start"

static const struct {
	const char *pattern; /* below any directory; '*' does not cross '/'; what lies below a match matches too */
	struct trap trap;
} names[] = {
	{ ".git/hooks", { GIT_HOOK } },
	{ "git~1/hooks", { GIT_HOOK } },
	{ ".git/modules/*/hooks", { GIT_HOOK } },
	{ ".husky", { GIT_HOOK } },
	{ ".githooks", { GIT_HOOK } },
	{ ".pre-commit-config.yaml", { GIT_HOOK } },
	{ "lefthook.y*ml", { GIT_HOOK } },
	{ "lefthook-local.y*ml", { GIT_HOOK } },
	{ ".lefthook*", { GIT_HOOK } },
	{ ".overcommit.yml", { GIT_HOOK } },
	{ ".simple-git-hooks*", { GIT_HOOK } },
	{ ".hg/hgrc", { GIT_HOOK } },
	{ ".git/config*", { GIT_CONF } },
	{ "git~1/config*", { GIT_CONF } },
	{ ".git/modules/*/config", { GIT_CONF } },
	{ ".git/worktrees/*/config*", { GIT_CONF } },
	{ ".git/info/attributes", { GIT_CONF } },
	{ ".git/commondir", { GIT_CONF } },
	{ ".gitmodules", { GIT_CONF } },
	{ ".gitattributes", { GIT_CONF } },
	{ ".gitconfig", { GIT_CONF } },
	{ ".config/git", { GIT_CONF } },
	{ ".vscode", { EDITOR } },
	{ ".idea", { EDITOR } },
	{ ".fleet", { EDITOR } },
	{ ".zed", { EDITOR } },
	{ "*.code-workspace", { EDITOR } },
	{ ".devcontainer*", { EDITOR } },
	{ ".vimrc", { EDITOR } },
	{ ".nvimrc", { EDITOR } },
	{ ".exrc", { EDITOR } },
	{ ".nvim.lua", { EDITOR } },
	{ ".dir-locals*.el", { EDITOR } },
	{ ".emacs", { EDITOR } },
	{ ".emacs.d", { EDITOR } },
	{ "*.sublime-project", { EDITOR } },
	{ ".helix", { EDITOR } },
	{ ".lvimrc", { EDITOR } },
	{ ".vim", { EDITOR } },
	{ ".editorconfig", { EDITOR } },
	{ ".mcp.json", { AGENT } },
	{ "mcp.json", { AGENT } },
	{ ".claude", { AGENT } },
	{ ".claude.json", { AGENT } },
	{ "CLAUDE*.md", { AGENT } },
	{ "AGENTS.md", { AGENT } },
	{ "GEMINI.md", { AGENT } },
	{ ".cursor", { AGENT } },
	{ ".cursorrules", { AGENT } },
	{ ".codex", { AGENT } },
	{ ".gemini", { AGENT } },
	{ ".windsurf*", { AGENT } },
	{ ".aider*", { AGENT } },
	{ ".clinerules", { AGENT } },
	{ ".roo", { AGENT } },
	{ ".roorules*", { AGENT } },
	{ ".roomodes", { AGENT } },
	{ ".kiro", { AGENT } },
	{ ".continue", { AGENT } },
	{ ".opencode", { AGENT } },
	{ "opencode.json*", { AGENT } },
	{ ".goosehints", { AGENT } },
	{ ".junie", { AGENT } },
	{ ".github/instructions", { AGENT } },
	{ ".github/prompts", { AGENT } },
	{ ".github/copilot-instructions.md", { AGENT } },
	{ "aisbx.yaml", { GATE } },
	{ ".config/aisbx", { AGENT } },
	{ ".npmrc", { LIFECYCLE } },
	{ ".yarnrc*", { LIFECYCLE } },
	{ ".yarn", { LIFECYCLE } },
	{ ".pnp.*", { LIFECYCLE } },
	{ ".pnpmfile.*", { LIFECYCLE } },
	{ "setup.py", { LIFECYCLE } },
	{ "binding.gyp", { LIFECYCLE } },
	{ "pip.conf", { LIFECYCLE } },
	{ ".cargo", { LIFECYCLE } },
	{ "build.rs", { LIFECYCLE } },
	{ ".mvn", { LIFECYCLE } },
	{ ".bazelrc", { LIFECYCLE } },
	{ "tools/bazel", { LIFECYCLE } },
	{ "bunfig.toml", { LIFECYCLE } },
	{ "rust-toolchain*", { LIFECYCLE } },
	{ ".github/workflows", { CI } },
	{ ".github/actions", { CI } },
	{ ".gitlab-ci.yml", { CI } },
	{ ".circleci", { CI } },
	{ "Jenkinsfile", { CI } },
	{ "azure-pipelines.yml", { CI } },
	{ ".travis.yml", { CI } },
	{ ".gitea/workflows", { CI } },
	{ ".forgejo/workflows", { CI } },
	{ "bitbucket-pipelines.yml", { CI } },
	{ ".drone.yml", { CI } },
	{ ".woodpecker*", { CI } },
	{ ".buildkite", { CI } },
	{ "appveyor.yml", { CI } },
	{ ".envrc", { ENTER } },
	{ ".mise.toml", { ENTER } },
	{ ".tool-versions", { ENTER } },
	{ ".autoenv*", { ENTER } },
	{ "mise.toml", { ENTER } },
	{ ".config/mise", { ENTER } },
	{ ".rvmrc", { ENTER } },
	{ ".bash_profile", { STARTUP } },
	{ ".bash_login", { STARTUP } },
	{ ".bash_logout", { STARTUP } },
	{ ".bash_aliases", { STARTUP } },
	{ ".bashrc", { STARTUP } },
	{ ".profile", { STARTUP } },
	{ ".zshrc", { STARTUP } },
	{ ".zshenv", { STARTUP } },
	{ ".zprofile", { STARTUP } },
	{ ".zlogin", { STARTUP } },
	{ ".kshrc", { STARTUP } },
	{ ".inputrc", { STARTUP } },
	{ ".tmux.conf", { STARTUP } },
	{ ".xinitrc", { STARTUP } },
	{ ".xsession*", { STARTUP } },
	{ ".xprofile", { STARTUP } },
	{ ".pam_environment", { STARTUP } },
	{ ".config/fish", { STARTUP } },
	{ ".config/autostart", { STARTUP } },
	{ ".config/systemd", { STARTUP } },
	{ ".config/environment.d", { STARTUP } },
	{ ".local/bin", { STARTUP } },
	{ ".ssh", { STARTUP } },
	{ ".gdbinit", { STARTUP } },
	{ ".lldbinit", { STARTUP } },
	{ ".pdbrc", { STARTUP } },
	{ ".Rprofile", { STARTUP } },
	{ ".ghci", { STARTUP } },
	{ ".irbrc", { STARTUP } },
	{ ".pryrc", { STARTUP } },
	{ ".iex.exs", { STARTUP } },
	{ "sitecustomize.py", { PYTHON } },
	{ "usercustomize.py", { PYTHON } },
	{ "*.pth", { PYTHON } },
};

const struct trap *trap_of_name(const char *path)
{
	static const struct trap elsewhere = { "git-config", "git looks for its repository, and so for programs to run, where it says" };
	const char *last = strrchr(path, '/');

	if (strcasecmp(last ? last + 1 : path, ".git") == 0)
		return &elsewhere;
	for (const char *part = path; part; part = strchr(part, '/') ? strchr(part, '/') + 1 : NULL)
		for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
			if (fnmatch(names[i].pattern, part, FNM_PATHNAME | FNM_CASEFOLD | FNM_LEADING_DIR) == 0)
				return &names[i].trap;
	return NULL;
}

const struct trap *trap_of_removal(const char *path)
{
	const struct trap *t = trap_of_name(path);

	return t && !strcmp(t->kind, "gate") ? t : NULL;
}

/* What the bits really do: the group's counts only where the group may run it. */
static mode_t rights_of(mode_t mode)
{
	return S_ISREG(mode) ? (mode & S_ISUID) | (mode & S_IXGRP ? mode & S_ISGID : 0) : 0;
}

const struct trap *trap_of_mode(mode_t old_mode, mode_t mode)
{
	static const struct trap setuid = { "setuid", "whoever runs it gets the rights of its owner or group" };

	return rights_of(mode) & ~rights_of(old_mode) ? &setuid : NULL;
}

const struct trap *trap_of_link(const char *root, const char *path, const char *target)
{
	static const struct trap leaves = { "symlink", "it leads out of the tree" };
	scoped(drop_mem) char *whole = path_join(root, path);
	char *slash = whole ? strrchr(whole, '/') : NULL;
	scoped(drop_mem) char *end = NULL;

	if (!slash)
		return &leaves;
	*slash = '\0';
	end = path_resolve(whole, target);
	return end && path_is_within(end, root) ? NULL : &leaves;
}

/* The scripts of a package.json as npm reads it; NULL when it cannot be read. A new reference. */
static json_t *read_scripts(const char *text)
{
	json_t *package, *scripts;

	if (!strncmp(text, "\xef\xbb\xbf", 3)) /* npm passes over a byte order mark */
		text += 3;
	if (!text[strspn(text, " \t\r\n")]) /* nothing in it */
		return json_object();
	package = json_loads(text, JSON_DECODE_ANY, NULL);
	if (!package)
		return NULL;
	scripts = json_incref(json_object_get(package, "scripts"));
	json_decref(package);
	return scripts ? scripts : json_object();
}

bool trap_is_package(const char *path)
{
	const char *name = strrchr(path, '/');

	return strcasecmp(name ? name + 1 : path, "package.json") == 0;
}

const struct trap *trap_of_package(const char *path, const char *old_text, const char *text)
{
	static const char *const names_of_scripts[] = { "preinstall", "install", "postinstall", "prepublish", "preprepare",
							"prepare", "postprepare", "prepack", "postpack", "dependencies" };
	static const struct trap lifecycle = { "lifecycle", "its scripts run by themselves when packages are installed" };
	static const struct trap unread = { "lifecycle", "it cannot be read as JSON, or is too large, so nobody knows which of its "
							 "scripts would run by themselves" };
	const struct trap *found;
	json_t *old, *now;

	if (!trap_is_package(path))
		return NULL;
	old = old_text ? read_scripts(old_text) : json_object();
	now = text ? read_scripts(text) : NULL;
	found = now ? NULL : &unread;

	for (size_t i = 0; now && i < sizeof(names_of_scripts) / sizeof(*names_of_scripts); i++) {
		json_t *script = json_object_get(now, names_of_scripts[i]);

		if (script && !json_equal(script, json_object_get(old, names_of_scripts[i])))
			found = &lifecycle;
	}
	json_decref(old);
	json_decref(now);
	return found;
}

const struct trap trap_capability = { "capability", "it had file capabilities in the box; they are not promoted" };
