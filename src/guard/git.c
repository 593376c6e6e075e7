/* SPDX-License-Identifier: Apache-2.0 */
/*
 * git, as far as it is read-only. The repository's own configuration can make even harmless commands start a
 * program. It is not read here, because only git knows how git reads it: the glass stops what is started.
 */
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "guard/syntax_tree.h"

#define LOG_FLAGS  "pqszuRwbMCDB"
#define LOG_VALUES "nSGL"
#define LOG_STUCK  "Ul"
#define LOG_LONGS                                                                                           \
	"--oneline --graph --all --stat? --decorate? --no-decorate --name-only --name-status --patch "      \
	"--no-patch --since= --until= --after= "                                                            \
	"--before= --author= --committer= --grep= --invert-grep --pretty? --format= --follow --reverse "    \
	"--merges --no-merges --first-parent "                                                              \
	"--abbrev-commit --abbrev? --date= --shortstat --numstat --summary --color? --no-color --cached "   \
	"--staged --check --word-diff? "                                                                    \
	"--ignore-all-space --ignore-space-change --ignore-blank-lines --ignore-space-at-eol "              \
	"--diff-filter= --unified? --raw --quiet --exit-code "                                              \
	"--no-ext-diff --no-textconv --left-right --cherry-pick --topo-order --date-order --tags? "         \
	"--branches? --remotes? --max-count= --skip= "                                                      \
	"--merge-base --minimal --patience --histogram --find-renames? --no-renames --full-index --binary " \
	"--no-prefix --dirstat? "                                                                           \
	"--compact-summary --no-walk? --relative? --root --parents --children --count --left-only "         \
	"--right-only --cc --no-notes --no-mailmap"

struct git_command {
	const char *name;
	struct guard_options options;
	const char *needs; /* NULL, or one of these has to be there when there are operands: " --list -l " */
	bool lone;         /* it takes no operands */
};

static const struct git_command commands[] = {
	{ "blame",
	  { "wslefnMC", "L",
	    "--date= --since= --porcelain --line-porcelain --abbrev? --show-name --show-number --show-email",
	    false, false },
	  NULL,
	  false },
	{ "branch",
	  { "arvl", "",
	    "--list --all --remotes --verbose --show-current --contains= --no-contains= --merged? "
	    "--no-merged? --sort= --format= --points-at= --column? --color? --no-color",
	    false, false },
	  " --list -l ",
	  false },
	{ "cat-file", { "ptse", "", "--batch-check? ", false, false }, NULL, false },
	{ "check-ignore",
	  { "vqn", "", "--verbose --quiet --non-matching --no-index", false, false },
	  NULL,
	  false },
	{ "count-objects", { "vH", "", "--verbose --human-readable", false, false }, NULL, true },
	{ "describe",
	  { "", "",
	    "--tags --all --always --long --dirty? --abbrev? --match= --exact-match --contains --candidates= "
	    "--first-parent",
	    false, false },
	  NULL,
	  false },
	{ "diff", { LOG_FLAGS "aW", LOG_VALUES, LOG_LONGS, true, false, LOG_STUCK }, NULL, false },
	{ "for-each-ref",
	  { "", "", "--format= --sort= --count= --contains= --points-at= --merged? --no-merged?", false,
	    false },
	  NULL,
	  false },
	{ "grep",
	  { "nilLwcEFGPvhHqpIzW", "eABCm",
	    "--line-number --count --ignore-case --cached --untracked --name-only --files-with-matches "
	    "--break --heading --show-function --color? --no-color --word-regexp --max-depth= --and --or "
	    "--not",
	    true, false },
	  NULL,
	  false },
	{ "log", { LOG_FLAGS "cgim", LOG_VALUES, LOG_LONGS, true, false, LOG_STUCK }, NULL, false },
	{ "ls-files",
	  { "cdmosukztv", "x",
	    "--cached --deleted --modified --others --stage --unmerged --exclude-standard --exclude= "
	    "--error-unmatch --full-name --abbrev? --eol",
	    false, false },
	  NULL,
	  false },
	{ "ls-tree",
	  { "drtlz", "",
	    "--name-only --name-status --long --full-name --full-tree --abbrev? --format=", false, false },
	  NULL,
	  false },
	{ "merge-base",
	  { "a", "", "--all --is-ancestor --octopus --independent --fork-point", false, false },
	  NULL,
	  false },
	{ "name-rev", { "", "", "--tags --name-only --all --always", false, false }, NULL, false },
	{ "rev-list", { "n", "", LOG_LONGS, true, false, LOG_STUCK }, NULL, false },
	{ "rev-parse",
	  { "q", "",
	    "--show-toplevel --abbrev-ref? --short? --verify --quiet --git-dir --git-common-dir "
	    "--is-inside-work-tree --is-bare-repository --show-prefix --show-cdup --symbolic "
	    "--symbolic-full-name --absolute-git-dir --all --branches? --tags?",
	    false, false },
	  NULL,
	  false },
	{ "shortlog",
	  { "sne", "", "--summary --numbered --email --since= --until= --no-merges --all --group=", false,
	    false },
	  NULL,
	  false },
	{ "show", { LOG_FLAGS "m", LOG_VALUES, LOG_LONGS, true, false, LOG_STUCK }, NULL, false },
	{ "show-ref",
	  { "ds", "", "--heads --tags --head --hash? --abbrev? --dereference --branches", false, false },
	  NULL,
	  false },
	{ "status",
	  { "sbvzu", "",
	    "--short --branch --porcelain? --long --show-stash --untracked-files? --ignored? "
	    "--ignore-submodules? --verbose --column? --no-column --ahead-behind --no-ahead-behind --renames "
	    "--no-renames --null",
	    false, false },
	  NULL,
	  false },
	{ "tag",
	  { "ln", "",
	    "--list --contains= --no-contains= --merged? --points-at= --sort= --format= --column? --color? "
	    "--no-color",
	    true, false },
	  " --list -l ",
	  false },
	{ "version", { "", "", "--build-options", false, false }, NULL, true },
	{ "whatchanged", { LOG_FLAGS "m", LOG_VALUES, LOG_LONGS, true, false, LOG_STUCK }, NULL, false },
};

static bool refuse(struct guard *g, const struct guard_word *w, const char *rule, const char *why)
{
	return guard_say_word(g, rule, w, "%s", why);
}

static const struct git_command *find_command(const char *name)
{
	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++)
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	return NULL;
}

/* Those of which only one use is known to look. */
static bool is_fixed(const struct guard_command *c, size_t i)
{
	static const char *const fixed[] = { "remote",
					     "remote -v",
					     "remote --verbose",
					     "stash list",
					     "stash show",
					     "stash show -p",
					     "worktree list",
					     "reflog",
					     "reflog show",
					     "config user.name",
					     "config user.email",
					     "config --get user.name",
					     "config --get user.email",
					     "config --get init.defaultBranch",
					     "config --get remote.origin.url",
					     "remote get-url origin",
					     "remote get-url upstream",
					     "bisect log",
					     "submodule status",
					     "lfs version",
					     NULL };
	char text[128] = "";
	size_t n = 0;

	for (; i < c->n; i++) {
		int k = snprintf(text + n, sizeof(text) - n, "%s%s", n ? " " : "", c->words[i].text);

		if (k < 0 || (size_t)k >= sizeof(text) - n || c->words[i].unknown)
			return false;
		n += (size_t)k;
	}
	for (size_t k = 0; fixed[k]; k++)
		if (!strcmp(fixed[k], text))
			return strcmp(text, "submodule status") != 0;
	return false;
}

/* The word of a format that shows what a signature is worth; NULL: there is none. */
static const struct guard_word *find_check(const struct guard_command *c, size_t at)
{
	for (size_t i = at + 1; i < c->n; i++)
		if (strstr(c->words[i].text, "%G") || strstr(c->words[i].text, "%(signature"))
			return &c->words[i];
	return NULL;
}

/* The words behind the options: files, but for the first if that is a pattern. */
static bool check_files(struct guard *g, const struct guard_command *c, const struct guard_operands *o,
			bool has_pattern)
{
	if (has_pattern && (c->words[o->at[0]].unknown || c->words[o->at[0]].pattern))
		return refuse(g, &c->words[o->at[0]], "option",
			      "the value of this word is not known; quote it");
	for (size_t i = has_pattern; i < o->n; i++)
		if (!guard_path(g, &c->words[o->at[i]], LOOK_CONTENT))
			return false;
	return true;
}

static bool check_use(struct guard *g, const struct guard_command *c, size_t at)
{
	const struct git_command *k = find_command(c->words[at].text);
	const struct guard_word *checks;
	struct guard_operands o;
	bool has_needed, has_pattern;

	if (!k)
		return is_fixed(c, at) ||
		       refuse(g, &c->words[at], "program", "this use of git is not known to be read-only");
	if (!guard_take_options(g, c, at, &k->options, &o))
		return false;
	has_needed = !k->needs || strchr(o.seen, 'l') || guard_has_long(c, at, "--list");
	has_pattern = o.n && !strcmp(k->name, "grep") && !strchr(o.seen, 'e');
	if (o.n && (k->lone || !has_needed))
		return refuse(g, &c->words[o.at[0]], "option", "with this argument it is not read-only");
	checks = find_check(c, at);
	if (checks)
		return refuse(g, checks, "option", "this starts a program that checks signatures");
	return check_files(g, c, &o, has_pattern);
}

bool guard_git(struct guard *g, const struct guard_command *c, size_t first)
{
	const struct guard_word *dir = NULL;
	size_t i = first + 1;

	for (; i < c->n && c->words[i].text[0] == '-'; i++) {
		const char *word = c->words[i].text;

		if (!strcmp(word, "--version") && c->n == i + 1)
			return true;
		if (str_is_one_of(word, "--no-pager|-P|--no-optional-locks"))
			continue;
		if (strcmp(word, "-C") != 0 || dir || i + 1 >= c->n)
			return refuse(g, &c->words[i], "option",
				      "this option of git is not known to be harmless");
		dir = &c->words[++i];
		if (!guard_cd(g, dir)) /* what follows is looked for there */
			return false;
	}
	if (i == c->n)
		return refuse(g, &c->words[first], "program", "the git subcommand is missing");
	if (c->words[i].unknown || c->words[i].pattern || c->words[i].quoted)
		return refuse(g, &c->words[i], "program", "the git subcommand is not known");
	g->verdict->needs_glass = true;
	return check_use(g, c, i);
}
