/* SPDX-License-Identifier: Apache-2.0 */
/* What a box did to the repositories of its project, and what of that can be promoted. */
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "box/diff.h"
#include "promote/git_transfer.h"

const char *git_how_name(enum git_how how)
{
	static const char *const names[] = { "forward", "created", "aside" };

	return names[how];
}

void git_change_finish(struct git_change *c)
{
	for (size_t i = 0; i < c->n; i++) {
		free(c->moves[i].ref);
		free(c->moves[i].from);
	}
	free(c->moves);
	free(c->tree);
	free(c->dir);
	free(c->common);
	free(c->head_old);
	free(c->head_now);
}

void box_git_finish(struct box_git *g)
{
	for (size_t i = 0; i < g->n; i++)
		git_change_finish(&g->changes[i]);
	free(g->changes);
	strlist_finish(&g->stays);
	strlist_finish(&g->trees);
	free(g->switched);
	free(g->apart);
	*g = (struct box_git){ 0 };
}

const char *git_short_name(const char *ref)
{
	return !strncmp(ref, "refs/heads/", 11) ? ref + 11 : !strncmp(ref, "refs/tags/", 10) ? ref + 10 : ref;
}

void git_say(struct box_git *g, const char *fmt, ...)
{
	scoped(drop_mem) char *text = NULL;
	va_list args;

	va_start(args, fmt);
	if (vasprintf(&text, fmt, args) < 0)
		text = NULL;
	va_end(args);
	if (!text)
		g->stays.failed = true;
	else if (!strlist_has(&g->stays, text))
		strlist_add(&g->stays, text);
}

static bool tells_git_what_to_do(const char *name)
{
	static const char *const names[] = { "config",    "config.worktree", "hooks",     "info",
					     "commondir", "gitdir",          "attributes" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

/* Of the directory DIR, whose work tree is not known: only said. */
static void note_odd(struct box_git *g, const char *dir)
{
	git_say(g, "'%s' is a git repository in the box, and stays there", dir);
}

/* What the layers know in the git directory DIR: whether it is worth asking git, and what of it never goes
 * home. */
static int look_into(const struct box_git_ask *ask, const char *dir, struct box_git *g, bool *ret_ask)
{
	scoped(strlist_finish) struct strlist names = { 0 };
	scoped(buf_finish) struct buf orders = { 0 };
	struct view_entry seen;
	int r = view_find(ask->open_view, dir, &seen);

	*ret_ask = r == 0 && S_ISREG(seen.thing.st.st_mode);
	if (r < 0 || !seen.thing.exists || !S_ISDIR(seen.thing.st.st_mode)) {
		if (r == 0 && !*ret_ask)
			git_say(g, "the box no longer has a repository '%s'; yours stays", dir);
		return r;
	}
	r = view_names(ask->open_view, seen.ref, dir, false, &names);
	for (size_t i = 0; r == 0 && i < names.n; i++) {
		*ret_ask |= !box_diff_is_idle(names.items[i]);
		if (tells_git_what_to_do(names.items[i]))
			buf_addf(&orders, "%s%s", orders.len ? ", " : "", names.items[i]);
	}
	if (orders.len && buf_str(&orders))
		git_say(g, "in '%s' these stayed in the box: %s", dir, orders.data);
	return r;
}

/* The project is a work tree of a repository outside of it, which no box can write for good. */
static void note_elsewhere(const struct box_git_ask *ask, struct box_git *g)
{
	scoped(drop_mem) char *path = path_join(ask->target, ".git");
	scoped(drop_file) FILE *f = path ? fopen(path, "re") : NULL;
	scoped(drop_mem) char *place = NULL;
	char line[PATH_MAX + 16];

	if (!f || !fgets(line, sizeof(line), f) || strncmp(line, "gitdir: ", 8) != 0)
		return;
	line[strcspn(line, "\n")] = '\0';
	place = path_resolve(ask->target, line + 8);
	if (place && !path_is_within(place, ask->target))
		git_say(g,
			"'%s' is a work tree of a repository elsewhere: its files are promoted, commits stay "
			"in the box",
			ask->target);
}

static int find_trees(const struct box_git_ask *ask, struct box_git *g, struct strlist *ret)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < ask->gits->n; i++) {
		const char *dir = ask->gits->items[i], *slash = strrchr(dir, '/');
		bool worth = false;

		if (strcmp(slash ? slash + 1 : dir, ".git") != 0) {
			note_odd(g, dir);
			continue;
		}
		r = look_into(ask, dir, g, &worth);
		if (r == 0 && worth)
			strlist_addf(ret, "%.*s", slash ? (int)(slash - dir) : 0, dir);
	}
	return r < 0 ? r : ret->failed || g->stays.failed ? -ENOMEM : 0;
}

static bool is_linked(const struct git_repo *r)
{
	return strcmp(r->dir, r->common) != 0;
}

/* Where a new repository would go there is a directory, or will be, and nothing of that name in it. */
static bool has_place(const struct git_transfer *d)
{
	scoped(drop_mem) char *tree =
		*d->box->tree ? path_join(d->ask->target, d->box->tree) : strdup(d->ask->target);
	scoped(drop_mem) char *git = tree ? path_join(tree, ".git") : NULL;
	scoped(drop_mem) char *real = NULL;
	struct stat st;

	if (!git || lstat(git, &st) == 0)
		return false;
	for (size_t i = 0; i < d->ask->plan->n; i++) {
		const struct merge_step *s = &d->ask->plan->steps[i];

		if (!strcmp(s->path, d->box->tree) &&
		    (s->op == MERGE_CREATE || s->op == MERGE_REPLACE || s->op == MERGE_INSIDE))
			return S_ISDIR(s->now.st_mode);
	}
	real = realpath(tree, NULL); /* by way of a link it would go elsewhere */
	return real && !strcmp(real, tree) && lstat(tree, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Both are on the same branch, at the same commit. */
static bool stand_alike(const struct git_transfer *d)
{
	const struct git_wanted *w = d->wanted.list;

	return d->wanted.n == 2 && w[1].is_aside && w[0].old && !strcmp(w[0].old, w[0].now) &&
	       d->host->head && d->head && !strcmp(d->host->head, d->head);
}

static int decide(struct git_transfer *d, struct aisbx_error *e)
{
	int r;

	if (!d->host && (is_linked(d->box) || d->ask->branch)) {
		if (d->ask->branch)
			return 0;
		strlist_add(&d->g->trees, d->box->tree);
		git_say(d->g,
			"work tree '%s' of the box is not in your repository: --refs promotes its branch, "
			"'git worktree add' makes the work tree",
			d->box->tree);
		return 0;
	}
	if (!d->host && !has_place(d)) {
		note_odd(d->g, *d->box->tree ? d->box->tree : ".");
		return 0;
	}
	r = git_transfer_want(d, e);
	if (r < 0 || !d->wanted.n)
		return r;
	if (stand_alike(d))
		return 0;
	r = git_transfer_pack(d, e);
	if (r == 0 && git_transfer_settle(d) < 0)
		r = aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "compare the commits of the box");
	return r;
}

static int list_both(const struct box_git_ask *ask, struct strlist *trees, struct git_list *ret_box,
		     struct git_list *ret_host, struct aisbx_error *e)
{
	scoped(git_run_finish) struct git_run in_box = { .state = ask->state,
							 .box = ask->box,
							 .snapshot = ask->snapshot,
							 .project = ask->target,
							 .tree = "",
							 .input = -1,
							 .output = -1 };
	scoped(git_run_finish) struct git_run outside = {
		.state = ask->state, .project = ask->target, .tree = "", .input = -1, .output = -1
	};
	int r = git_list_read(&in_box, trees, ret_box, e);

	for (size_t i = 0; r == 0 && i < ret_box->n; i++)
		if (!strlist_has(trees, ret_box->repos[i].tree))
			strlist_add(trees, ret_box->repos[i].tree);
	if (r == 0 && trees->failed)
		r = aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "search for repositories");
	return r < 0 || !ret_box->n ? r : git_list_read(&outside, trees, ret_host, e);
}

int box_git_plan(const struct box_git_ask *ask, struct box_git *ret, struct aisbx_error *e)
{
	scoped(strlist_finish) struct strlist trees = { 0 };
	scoped(git_list_finish) struct git_list box = { 0 };
	scoped(git_list_finish) struct git_list host = { 0 };
	int r;

	note_elsewhere(ask, ret);
	r = find_trees(ask, ret, &trees);

	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, -r, "search for repositories in the box");
	if (!trees.n)
		return 0;
	r = list_both(ask, &trees, &box, &host, e);
	for (size_t i = 0; r == 0 && i < box.n; i++) {
		scoped(git_transfer_finish) struct git_transfer d = { .ask = ask,
								      .g = ret,
								      .boxes = &box,
								      .hosts = &host,
								      .box = &box.repos[i],
								      .number = (unsigned int)i };

		if (ask->branch && *box.repos[i].tree)
			continue;
		d.host = git_list_find(&host, box.repos[i].tree);
		r = decide(&d, e);
	}
	return r;
}
