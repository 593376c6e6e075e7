/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The request `ignore`: which paths git would ignore, by the rules in a small repository that the caller made
 * and by an index. Nothing is written, and no other configuration than that repository's is read.
 */
#include <errno.h>
#include <stdio.h>

#include <git2.h>

#include "base/scope.h"
#include "helpers/merge/merge.h"

#define MAX_PATHS 50000000ul

struct rules {
	git_repository *repo; /* owned */
	git_index *index;     /* owned; NULL: nothing is tracked */
	/* Of the path asked last, which mostly lies beside the next one: how much of it, up to a slash, is
	 * known not to be ignored, and how much of it is known to be (0: none). */
	char *last; /* owned */
	size_t clear, ignored;
};

static void rules_finish(struct rules *r)
{
	git_index_free(r->index);
	git_repository_free(r->repo);
	free(r->last);
}

static int fail_git(struct aisbx_error *e, const char *what, const char *path)
{
	const git_error *g = git_error_last();

	return aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_LAYER, EIO, "%s '%s': %s", what, path,
			    g && g->message ? g->message : "libgit2 gave no reason");
}

/* An index that libgit2 cannot read (a split or sparse one, one with SHA-256, garbage) is none. */
static int rules_open(struct rules *r, char **words, struct aisbx_error *e)
{
	static const int levels[] = { GIT_CONFIG_LEVEL_PROGRAMDATA, GIT_CONFIG_LEVEL_SYSTEM,
				      GIT_CONFIG_LEVEL_XDG, GIT_CONFIG_LEVEL_GLOBAL };

	for (size_t i = 0; i < sizeof(levels) / sizeof(*levels); i++)
		if (git_libgit2_opts(GIT_OPT_SET_SEARCH_PATH, levels[i], "") < 0)
			return fail_git(e, "skip the configuration for", words[0]);
	if (git_repository_open_ext(&r->repo, words[0], GIT_REPOSITORY_OPEN_NO_SEARCH, NULL) < 0)
		return fail_git(e, "open the rules in", words[0]);
	if (strcmp(words[1], "-") != 0 && git_index_open(&r->index, words[1]) < 0)
		r->index = NULL;
	return 0;
}

/* By rules alone. A directory's PATH ends with a slash. */
static int ask(struct rules *r, const char *path, size_t len, bool *ret, struct aisbx_error *e)
{
	scoped(drop_mem) char *cut = strndup(path, len);
	int ignored = 0;

	if (!cut)
		return aisbx_fail(e, AISBX_AREA_LAYER, ENOMEM, "look '%s' up", path);
	if (git_ignore_path_is_ignored(&ignored, r->repo, cut) < 0)
		return fail_git(e, "look up", path);
	*ret = ignored;
	return 0;
}

static size_t common(const char *a, const char *b)
{
	size_t n = 0;

	while (a[n] && a[n] == b[n])
		n++;
	return n;
}

/*
 * From the top down, as git: what lies in an ignored directory is ignored, whatever rules say of itself.
 * libgit2 alone would go up and let a rule for the file win.
 */
static int look_up(struct rules *r, const char *path, bool *ret, struct aisbx_error *e)
{
	size_t same = r->last ? common(r->last, path) : 0;
	bool is_ignored = false;

	r->clear = r->clear < same ? r->clear : same;
	r->ignored = r->ignored <= same ? r->ignored : 0;
	free(r->last);
	r->last = strdup(path);
	if (!r->last)
		return aisbx_fail(e, AISBX_AREA_LAYER, ENOMEM, "look '%s' up", path);
	for (const char *slash = path + r->clear; !r->ignored && (slash = strchr(slash, '/')); slash++) {
		size_t len = (size_t)(slash - path) + 1;

		if (ask(r, path, len, &is_ignored, e) < 0)
			return e->code;
		*(is_ignored ? &r->ignored : &r->clear) = len;
	}
	*ret = r->ignored > 0;
	if (*ret || path[strlen(path) - 1] == '/')
		return 0;
	return ask(r, path, strlen(path), ret, e);
}

/* A directory is when something below it is, or when it is a submodule. */
static bool is_tracked(const struct rules *r, char *path)
{
	size_t n = strlen(path);
	bool found;

	if (!r->index)
		return false;
	if (path[n - 1] != '/')
		return git_index_find(NULL, r->index, path) == 0;
	if (git_index_find_prefix(NULL, r->index, path) == 0)
		return true;
	path[n - 1] = '\0';
	found = git_index_find(NULL, r->index, path) == 0;
	path[n - 1] = '/';
	return found;
}

/* All paths are read, whatever happens: the next request stands behind them. */
static int judge(char **words, size_t n, char *verdicts, struct aisbx_error *e)
{
	scoped(rules_finish) struct rules rules = { 0 };
	scoped(drop_mem) char *path = NULL;
	size_t cap = 0;
	int r = rules_open(&rules, words, e);

	for (size_t i = 0; i < n; i++) {
		bool is_ignored = false;

		if (!read_word(&path, &cap) || !*path)
			return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
					    "expected %zu paths, got %zu", n, i);
		if (r == 0)
			r = look_up(&rules, path, &is_ignored, e);
		verdicts[i] = is_ignored && !is_tracked(&rules, path) ? '1' : '0';
	}
	return r;
}

void run_ignore(char **words)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	unsigned long n = strtoul(words[2], NULL, 10);
	scoped(drop_mem) char *verdicts = n <= MAX_PATHS ? malloc(n + 1) : NULL;

	if (!verdicts) /* then the paths cannot be told from requests */
		abort();
	if (judge(words, n, verdicts, &e) < 0) {
		print_failure(&e);
		return;
	}
	printf("%d\n", CLEAN);
	fwrite(verdicts, 1, n, stdout);
}
