/* SPDX-License-Identifier: Apache-2.0 */
/* Every kind of trap is recognised however it is written and wherever it lies; what only looks like one is
 * not. */
#include "support/test.h"

#include <sys/stat.h>

#include "policy/trap.h"

static void is(const char *path, const char *kind)
{
	const struct trap *t = trap_of_name(path);

	if (!t || strcmp(t->kind, kind) != 0)
		fail_msg("'%s' is %s, not %s", path, t ? t->kind : "no trap", kind);
	assert_true(strlen(t->why) > 10);
}

static void is_none(const char *path)
{
	const struct trap *t = trap_of_name(path);

	if (t)
		fail_msg("'%s' is no trap, but is called %s", path, t->kind);
}

/* Each as it is usually written; the tests below write them otherwise. */
static const struct {
	const char *path, *kind;
} known[] = {
	{ ".git/hooks/pre-commit", "git-hook" },
	{ ".git/modules/sub/hooks/post-checkout", "git-hook" },
	{ ".husky/pre-push", "git-hook" },
	{ ".githooks/pre-commit", "git-hook" },
	{ ".pre-commit-config.yaml", "git-hook" },
	{ "lefthook.yml", "git-hook" },
	{ "lefthook.yaml", "git-hook" },
	{ ".git/config", "git-config" },
	{ ".git/config.worktree", "git-config" },
	{ ".git/modules/sub/config", "git-config" },
	{ ".git/worktrees/one/config.worktree", "git-config" },
	{ ".git/info/attributes", "git-config" },
	{ ".git/commondir", "git-config" },
	{ ".gitmodules", "git-config" },
	{ ".gitattributes", "git-config" },
	{ ".gitconfig", "git-config" },
	{ ".config/git/config", "git-config" },
	{ ".vscode/tasks.json", "editor" },
	{ ".idea/runConfigurations/run.xml", "editor" },
	{ ".fleet/run.json", "editor" },
	{ ".zed/tasks.json", "editor" },
	{ "all.code-workspace", "editor" },
	{ ".devcontainer/devcontainer.json", "editor" },
	{ ".devcontainer.json", "editor" },
	{ ".vimrc", "editor" },
	{ ".nvimrc", "editor" },
	{ ".exrc", "editor" },
	{ ".nvim.lua", "editor" },
	{ ".dir-locals.el", "editor" },
	{ ".dir-locals-2.el", "editor" },
	{ ".emacs", "editor" },
	{ ".emacs.d/init.el", "editor" },
	{ ".editorconfig", "editor" },
	{ ".mcp.json", "agent" },
	{ "mcp.json", "agent" },
	{ ".claude/settings.json", "agent" },
	{ ".claude.json", "agent" },
	{ "CLAUDE.md", "agent" },
	{ "CLAUDE.local.md", "agent" },
	{ "AGENTS.md", "agent" },
	{ "GEMINI.md", "agent" },
	{ ".cursor/mcp.json", "agent" },
	{ ".cursorrules", "agent" },
	{ ".codex/config.toml", "agent" },
	{ ".gemini/settings.json", "agent" },
	{ ".windsurfrules", "agent" },
	{ ".windsurf/rules/a.md", "agent" },
	{ ".aider.conf.yml", "agent" },
	{ ".github/copilot-instructions.md", "agent" },
	{ "aisbx.yaml", "gate" },
	{ ".config/aisbx/profiles/dev.yaml", "agent" },
	{ ".npmrc", "lifecycle" },
	{ ".yarnrc", "lifecycle" },
	{ ".yarnrc.yml", "lifecycle" },
	{ ".yarn/plugins/x.cjs", "lifecycle" },
	{ ".pnp.cjs", "lifecycle" },
	{ ".pnpmfile.cjs", "lifecycle" },
	{ "setup.py", "lifecycle" },
	{ "pip.conf", "lifecycle" },
	{ ".cargo/config.toml", "lifecycle" },
	{ "build.rs", "lifecycle" },
	{ ".mvn/extensions.xml", "lifecycle" },
	{ ".bazelrc", "lifecycle" },
	{ ".github/workflows/ci.yml", "ci" },
	{ ".github/actions/x/action.yml", "ci" },
	{ ".gitlab-ci.yml", "ci" },
	{ ".circleci/config.yml", "ci" },
	{ "Jenkinsfile", "ci" },
	{ "azure-pipelines.yml", "ci" },
	{ ".travis.yml", "ci" },
	{ ".envrc", "startup" },
	{ ".mise.toml", "startup" },
	{ ".tool-versions", "startup" },
	{ ".autoenv.zsh", "startup" },
	{ ".bash_profile", "startup" },
	{ ".bash_login", "startup" },
	{ ".bash_logout", "startup" },
	{ ".bash_aliases", "startup" },
	{ ".bashrc", "startup" },
	{ ".profile", "startup" },
	{ ".zshrc", "startup" },
	{ ".zshenv", "startup" },
	{ ".zprofile", "startup" },
	{ ".zlogin", "startup" },
	{ ".kshrc", "startup" },
	{ ".inputrc", "startup" },
	{ ".tmux.conf", "startup" },
	{ ".xinitrc", "startup" },
	{ ".xsessionrc", "startup" },
	{ ".xprofile", "startup" },
	{ ".pam_environment", "startup" },
	{ ".config/fish/config.fish", "startup" },
	{ ".config/autostart/x.desktop", "startup" },
	{ ".config/systemd/user/x.service", "startup" },
	{ ".config/environment.d/x.conf", "startup" },
	{ ".local/bin/ls", "startup" },
	{ ".ssh/authorized_keys", "startup" },
	{ ".gdbinit", "startup" },
	{ ".lldbinit", "startup" },
	{ ".pdbrc", "startup" },
	{ "sitecustomize.py", "startup" },
	{ "usercustomize.py", "startup" },
	{ "x.pth", "startup" },
	{ "lefthook-local.yml", "git-hook" },
	{ ".lefthook.yml", "git-hook" },
	{ ".lefthook/pre-push/x.sh", "git-hook" },
	{ ".overcommit.yml", "git-hook" },
	{ ".simple-git-hooks.json", "git-hook" },
	{ ".hg/hgrc", "git-hook" },
	{ "x.sublime-project", "editor" },
	{ ".helix/languages.toml", "editor" },
	{ ".lvimrc", "editor" },
	{ ".vim/vimrc", "editor" },
	{ ".clinerules", "agent" },
	{ ".roo/mcp.json", "agent" },
	{ ".roomodes", "agent" },
	{ ".roorules-code", "agent" },
	{ ".kiro/settings/mcp.json", "agent" },
	{ ".continue/config.yaml", "agent" },
	{ ".opencode/agent/x.md", "agent" },
	{ "opencode.jsonc", "agent" },
	{ ".goosehints", "agent" },
	{ ".junie/guidelines.md", "agent" },
	{ ".github/instructions/x.instructions.md", "agent" },
	{ ".github/prompts/x.prompt.md", "agent" },
	{ "binding.gyp", "lifecycle" },
	{ "tools/bazel", "lifecycle" },
	{ "bunfig.toml", "lifecycle" },
	{ "rust-toolchain", "lifecycle" },
	{ "rust-toolchain.toml", "lifecycle" },
	{ ".gitea/workflows/ci.yml", "ci" },
	{ ".forgejo/workflows/ci.yml", "ci" },
	{ "bitbucket-pipelines.yml", "ci" },
	{ ".drone.yml", "ci" },
	{ ".woodpecker.yml", "ci" },
	{ ".woodpecker/build.yml", "ci" },
	{ ".buildkite/pipeline.yml", "ci" },
	{ "appveyor.yml", "ci" },
	{ "mise.toml", "startup" },
	{ ".config/mise/config.toml", "startup" },
	{ ".rvmrc", "startup" },
	{ ".Rprofile", "startup" },
	{ ".ghci", "startup" },
	{ ".irbrc", "startup" },
	{ ".pryrc", "startup" },
	{ ".iex.exs", "startup" },
};

#define COUNT (sizeof(known) / sizeof(*known))

static void test_every_name(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT; i++)
		is(known[i].path, known[i].kind);
}

static void test_below_any_directory(void **state)
{
	char path[256];

	(void)state;
	for (size_t i = 0; i < COUNT; i++) {
		snprintf(path, sizeof(path), "packages/a b/%s", known[i].path);
		is(path, known[i].kind);
		snprintf(path, sizeof(path), "%s/deeper/still",
			 known[i].path); /* a directory where a file is usual */
		is(path, known[i].kind);
	}
}

static char turned(char c)
{
	return c >= 'a' && c <= 'z' ? (char)(c - 32) : c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

static void test_in_any_case(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT; i++)
		for (int every = 1; every < 4; every++) {
			char path[256];

			snprintf(path, sizeof(path), "%s", known[i].path);
			for (size_t k = 0; path[k]; k++)
				if (k % (size_t)every == 0)
					path[k] = turned(path[k]);
			is(path, known[i].kind);
		}
	is(".GIT/Hooks/x", "git-hook");
	is("sub/.GiT/CONFIG", "git-config");
	is("claude.MD", "agent");
}

/* As HFS+, NTFS, APFS and others write what is the same to them. */
static void test_in_any_spelling(void **state)
{
	(void)state;
	is(".vs\xe2\x80\x8b"
	   "code/tasks.json",
	   "editor");
	is(".vs\xc2\xad"
	   "code/tasks.json",
	   "editor");
	is(".v\xc5\xbf"
	   "code/tasks.json",
	   "editor"); /* a long s */
	is(".vscode. ./tasks.json", "editor");
	is(".vscode::$INDEX_ALLOCATION/tasks.json", "editor");
	is(".en\xe2\x80\xae"
	   "vrc ",
	   "startup");
	is("\xef\xbb\xbf"
	   ".git",
	   "git-config");
	assert_non_null(trap_in_git("a/.G\xe2\x80\x8c"
				    "IT/x"));
	assert_non_null(trap_in_git("git~1"));
	assert_null(trap_in_git("a/.github/x"));
	assert_null(trap_in_git("git/.gitignore"));
}

/* Where something lies counts for some. */
static void test_places(void **state)
{
	(void)state;
	is("random.py", "startup");
	is("json/__init__.py", "startup");
	is_none("src/random.py");
	is_none("app/json/__init__.py");
	is("/etc/cron.d/x", "startup");
	is("/usr/lib/x", "startup");
	is_none("etc/passwd.c");
	is_none("usr/x");
	is("/home/me/random.py", "startup"); /* elsewhere nobody knows what the top is */
	is("vite.config.ts", "tool");
	is("my-own.config.js", "tool");
	is("packages/a/my-own.config.js", "tool");
	is_none("src/app/app.config.ts");
}

static void test_links_into_a_trap(void **state)
{
	(void)state;
	assert_string_equal(trap_of_link("/p", "docs/tools", "../.git/hooks")->kind, "symlink");
	assert_string_equal(trap_of_link("/p", "x", ".vscode")->kind, "symlink");
	assert_string_equal(trap_of_link("/p", "x", "/p/a/.GIT")->kind, "symlink");
	assert_null(trap_of_link("/p", "x", "docs"));
}

/* The short names that some file systems give to .git. */
static void test_other_names_of_git(void **state)
{
	(void)state;
	assert_non_null(trap_in_git("GIT~1/config"));
}

static void test_the_directory_itself(void **state)
{
	(void)state;
	is(".git/hooks", "git-hook");
	is(".vscode", "editor");
	is(".github/workflows", "ci");
	is(".config/autostart", "startup");
}

/* A file or link of this name says where git looks instead; below a directory of this name most
 * is harmless. */
static void test_git_elsewhere(void **state)
{
	(void)state;
	is(".git", "git-config");
	is("vendor/.git", "git-config");
	is("vendor/.GIT", "git-config");
	is_none(".git/HEAD");
	is_none("vendor/.git/index");
}

static void test_near_misses(void **state)
{
	static const char *const none[] = {
		"src/git/hooks.c",
		"git/hooks/pre-commit",
		"hooks/pre-commit",
		".git/HEAD",
		".git/hooks.txt",
		".git/hooksx/pre-commit",
		".git/objects/ab/cdef",
		".git/refs/heads/hooks",
		".git/x/hooks/pre-commit",
		".gitignore",
		"gitmodules",
		".github/README.md",
		".github/CODEOWNERS",
		".github/ISSUE_TEMPLATE/bug.md",
		"github/workflows/ci.yml",
		"workflows/ci.yml",
		"docs/vscode/tasks.json",
		".vscodeignore",
		"vimrc",
		"emacs/init.el",
		"x.vimrc",
		"my-mcp.json",
		"mcp.jsonc",
		"claude/settings.json",
		"docs/claude.txt",
		"MY-AGENTS.md.txt",
		"AGENTS.mdx",
		"agents/AGENTS.txt",
		"npmrc",
		"src/setup.pyx",
		"xbuild.rs",
		"src/build.rs.md",
		"cargo/config.toml",
		"package.json",
		"docs/package.json",
		"Jenkinsfile.md",
		"gitlab-ci.yml",
		"travis.yml",
		"envrc",
		"bashrc",
		"src/profile",
		"src/profile.c",
		"user.profile",
		"config/fish/config.fish",
		".config/fisherman",
		".config/other/autostart",
		".local/share/x",
		"local/bin/ls",
		"ssh/config",
		".sshx",
		".root",
		"tools/bazel.md",
		"bazel",
		"hg/hgrc",
		".hgignore",
		"binding.gypi",
		"rvmrc",
		"x.pth.txt",
		"customize.py",
		"mysitecustomize.py",
		"a",
		"a/b/c",
		".",
		"",
		"...",
		"a//b",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++)
		is_none(none[i]);
}

static void test_what_is_taken_away(void **state)
{
	(void)state;
	assert_string_equal(trap_of_removal("aisbx.yaml")->kind, "gate");
	assert_string_equal(trap_of_removal("sub/AISBX.yaml")->kind, "gate");
	assert_null(trap_of_removal("aisbx.yaml.old"));
	assert_null(trap_of_removal(".git/hooks/pre-commit")); /* nothing runs because it is gone */
	assert_null(trap_of_removal("src/main.c"));
	assert_non_null(trap_of_removal(".npmrc")); /* ignore-scripts is gone with it */
	assert_non_null(trap_of_removal(".claude/settings.json"));
	assert_null(trap_of_removal(".vscode/tasks.json"));
}

static void test_setuid_and_setgid(void **state)
{
	const mode_t file = S_IFREG, dir = S_IFDIR;

	(void)state;
	assert_string_equal(trap_of_mode(0, file | 04755)->kind, "setuid");
	assert_string_equal(trap_of_mode(0, file | 02755)->kind, "setuid");
	assert_string_equal(trap_of_mode(0, file | 06755)->kind, "setuid");
	assert_string_equal(trap_of_mode(0, file | 04644)->kind, "setuid"); /* one chmod +x away */
	assert_string_equal(trap_of_mode(file | 0755, file | 04755)->kind, "setuid");
	assert_string_equal(trap_of_mode(file | 02755, file | 06755)->kind, "setuid");
	assert_string_equal(trap_of_mode(file | 04755, file | 06755)->kind, "setuid");
	assert_string_equal(trap_of_mode(dir | 04755, file | 04755)->kind,
			    "setuid"); /* those bits meant something else */
	assert_string_equal(trap_of_mode(S_IFLNK | 0777, file | 04755)->kind, "setuid");

	assert_null(trap_of_mode(0, file | 0755));
	assert_null(trap_of_mode(file | 04755, file | 0755));  /* taken away */
	assert_null(trap_of_mode(file | 04755, file | 04755)); /* it was one before */
	assert_null(trap_of_mode(file | 06755, file | 02755));
	assert_null(trap_of_mode(0, file | 02644)); /* without x for the group: mandatory locking, of old */
	assert_null(trap_of_mode(0, file | 01755));
	assert_null(trap_of_mode(0, dir | 02755)); /* of a directory: only inherits the group */
	assert_null(trap_of_mode(0, dir | 06755));
	assert_null(trap_of_mode(0, S_IFLNK | 0777));
	assert_null(trap_of_mode(file | 04755, 0)); /* deleted */
}

/* The bit was there but without effect; with x for the group it gets one. */
static void test_setgid_that_becomes_alive(void **state)
{
	(void)state;
	assert_non_null(trap_of_mode(S_IFREG | 02644, S_IFREG | 02755));
}

static const struct trap *link_at(const char *path, const char *target)
{
	return trap_of_link("/home/me/project", path, target);
}

static void test_links_that_stay_inside(void **state)
{
	(void)state;
	assert_null(link_at("l", "file"));
	assert_null(link_at("l", "./file"));
	assert_null(link_at("l", "d/../file"));
	assert_null(link_at("l", "."));
	assert_null(link_at("d/l", ".."));
	assert_null(link_at("d/l", "../file"));
	assert_null(link_at("a/b/c/l", "../../../file"));
	assert_null(link_at("a/b/c/l", "../../.."));
	assert_null(link_at("l", "/home/me/project"));
	assert_null(link_at("l", "/home/me/project/file"));
	assert_null(link_at("l", "/home/me/project/d/../file"));
	assert_null(link_at("l", "missing/but/inside"));
	assert_null(link_at("l", "..file")); /* a name that begins with dots */
	assert_null(link_at("l", "..."));
}

static void test_links_that_leave(void **state)
{
	static const struct {
		const char *path, *target;
	} out[] = {
		{ "l", ".." },
		{ "l", "../file" },
		{ "l", "../project2/file" },
		{ "l", "../projec" },
		{ "d/l", "../.." },
		{ "d/l", "../../file" },
		{ "a/b/c/l", "../../../../file" },
		{ "l", "d/../../file" },
		{ "l", "./.././file" },
		{ "l", "d//..//..//file" },
		{ "l", "/" },
		{ "l", "/etc/passwd" },
		{ "l", "//etc/passwd" },
		{ "l", "/home/me" },
		{ "l", "/home/me/project2" },
		{ "l", "/home/me/project-old/file" },
		{ "l", "/home/me/project/../other" },
		{ "l", "/proc/self/root" },
		{ "l", "~/../.." },
		{ "l", "../../../../../../../../etc/shadow" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(out) / sizeof(*out); i++) {
		const struct trap *t = link_at(out[i].path, out[i].target);

		if (!t || strcmp(t->kind, "symlink") != 0)
			fail_msg("'%s' -> '%s' leads out and is not seen", out[i].path, out[i].target);
	}
}

static void test_links_below_the_root(void **state)
{
	(void)state;
	assert_null(trap_of_link("/", "l", "/etc/passwd")); /* all there is is inside */
	assert_null(trap_of_link("/", "l", "../../x"));
	assert_non_null(trap_of_link("/p", "l", "/"));
	assert_non_null(trap_of_link("/p", "l", "/pp"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_name),
		cmocka_unit_test(test_below_any_directory),
		cmocka_unit_test(test_in_any_case),
		cmocka_unit_test(test_in_any_spelling),
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_links_into_a_trap),
		cmocka_unit_test(test_other_names_of_git),
		cmocka_unit_test(test_the_directory_itself),
		cmocka_unit_test(test_git_elsewhere),
		cmocka_unit_test(test_near_misses),
		cmocka_unit_test(test_what_is_taken_away),
		cmocka_unit_test(test_setuid_and_setgid),
		cmocka_unit_test(test_setgid_that_becomes_alive),
		cmocka_unit_test(test_links_that_stay_inside),
		cmocka_unit_test(test_links_that_leave),
		cmocka_unit_test(test_links_below_the_root),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
