/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conflicts that were resolved in the box: it merged the host's commit, and its later commits descend from
 * that. Files that are on the host as in its commit, and in the box as in its own, are as git wants them,
 * whatever the box started with.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "promote/git.h"

/* $1: a commit. Of each path on standard input whether the work tree has it as the commit
 * does: "1" or "0". */
static const char script[] =
	GIT_BEGIN "cat >/tmp/paths || exit 54; "
		  "while IFS= read -r path; do "
		  "  if [ -h \"$path\" ]; then is=link; elif [ -f \"$path\" ]; then ask hash-object -- "
		  "\"$path\" && read -r is </tmp/said || exit 54; "
		  "  elif [ -e \"$path\" ]; then is=other; else is=-; fi; "
		  "  if ask rev-parse -q --verify \"$1:$path\"; then read -r was </tmp/said; else was=-; fi; "
		  "  if [ \"$is\" = \"$was\" ]; then echo 1; else echo 0; fi >&3; "
		  "done </tmp/paths; exit 0";

static bool is_open(const struct merge_step *s)
{
	return s->outcome == MERGE_CONFLICT && s->op == MERGE_NOTHING && !strchr(s->path, '\n') &&
	       !S_ISDIR(s->now.st_mode) && !S_ISDIR(s->old.st_mode);
}

/* PATH below TREE; NULL: it lies elsewhere. */
static const char *below_tree(const char *path, const char *tree)
{
	size_t n = strlen(tree);

	if (!n)
		return path;
	return !strncmp(path, tree, n) && path[n] == '/' ? path + n + 1 : NULL;
}

/* Marks of those in LIST that are as in COMMIT; IN_BOX: the box's, else the host's. */
static int compare(const struct box_git_ask *ask, const char *tree, const char *commit, bool in_box,
		   const struct buf *list, struct buf *ret, struct aisbx_error *e)
{
	scoped(git_run_finish) struct git_run g = { .state = ask->state,
						    .box = in_box ? ask->box : NULL,
						    .snapshot = ask->snapshot,
						    .project = ask->target,
						    .tree = tree,
						    .script = script,
						    .output = -1 };
	scoped(strlist_finish) struct strlist args = { 0 };
	scoped(drop_fd) int input = -1;
	char line[200];
	int r = git_input(list, &input, e);

	strlist_add(&args, commit);
	if (r < 0 || args.failed)
		return r < 0 ? r : aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "compare files with commits");
	g.input = input;
	g.args = &args;
	r = git_run(&g, e);
	if (r == 0 && g.status)
		return aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_BOX, EIO,
				    "git could not compare files with commits%s%s", g.grumble.len ? ": " : "",
				    git_last_line(&g, line, sizeof(line)));
	if (r == 0)
		buf_add(ret, g.said.data, g.said.len);
	return r;
}

static void take_box(struct merge_step *s)
{
	free(s->reason);
	s->reason = NULL;
	s->outcome = MERGE_APPLY;
	s->op = !s->now.st_mode ? MERGE_DELETE : s->old.st_mode ? MERGE_REPLACE : MERGE_CREATE;
}

static int settle(const struct box_git_ask *ask, const struct git_change *c, struct merge_plan *plan,
		  struct aisbx_error *e)
{
	scoped(buf_finish) struct buf list = { 0 };
	scoped(buf_finish) struct buf host = { 0 };
	scoped(buf_finish) struct buf box = { 0 };
	size_t n = 0;
	int r;

	for (size_t i = 0; i < plan->n; i++) {
		const char *path = is_open(&plan->steps[i]) ? below_tree(plan->steps[i].path, c->tree) : NULL;

		if (path)
			buf_addf(&list, "%s\n", path);
	}
	if (!list.len)
		return 0;
	r = compare(ask, c->tree, c->index_old, false, &list, &host, e);
	if (r == 0)
		r = compare(ask, c->tree, c->index_now, true, &list, &box, e);
	for (size_t i = 0; r == 0 && i < plan->n; i++) {
		if (!is_open(&plan->steps[i]) || !below_tree(plan->steps[i].path, c->tree))
			continue;
		if (2 * n < host.len && 2 * n < box.len && host.data[2 * n] == '1' && box.data[2 * n] == '1')
			take_box(&plan->steps[i]);
		n++;
	}
	return r;
}

int box_git_settle_resolved(const struct box_git_ask *ask, const struct box_git *g, struct merge_plan *plan,
			    struct aisbx_error *e)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < g->n; i++)
		if (g->changes[i].dir && g->changes[i].index_now[0] &&
		    strcmp(g->changes[i].index_old, "-") != 0)
			r = settle(ask, &g->changes[i], plan, e);
	return r;
}
