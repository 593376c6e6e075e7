/* SPDX-License-Identifier: Apache-2.0 */
/* Mounts the person's own judges over the fork of a box that is about to be judged. */
#include "flow/judges.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "box/diff.h"
#include "box/files.h"
#include "box/lookup.h"
#include "box/run_options.h"

#define MAX_LAID 100u   /* files; each is a mount */
#define MAX_TOLD 1000u  /* each of them counts; a person has seen enough */
#define ACT_MS   60000u /* longer than taking something away takes that is not stuck */

struct laying {
	const struct caller *by;     /* borrowed */
	const char *project, *fork;  /* borrowed */
	char *real;                  /* owned; the project without links: where its aisbx.yaml was found */
	const struct judges *judges; /* borrowed */
	struct strlist laid;
	struct strlist *told; /* borrowed */
};

/* HOST:GUEST of one path; a ':' of HOST stands behind a '\'. */
static void add_mount(const char *path, struct strlist *to)
{
	scoped(buf_finish) struct buf text = { 0 };

	for (const char *c = path; *c; c++)
		buf_addf(&text, *c == ':' ? "\\%c" : "%c", *c);
	buf_addf(&text, ":%s", path);
	if (buf_str(&text))
		strlist_add(to, text.data);
	else
		to->failed = true;
}

static void tell(struct laying *l, const char *path)
{
	scoped(buf_finish) struct buf clean = { 0 };
	const char *below = path_below(path, l->project);

	if (l->told->n == MAX_TOLD)
		return;
	buf_add_utf8(&clean, below ? below : path, strlen(below ? below : path));
	if (buf_str(&clean))
		strlist_add(l->told, clean.data);
	else
		l->told->failed = true;
}

/* By aisbx-file, in the fork: no link leads it out of there. */
static int remove_in_fork(const struct laying *l, const char *path, struct aisbx_error *e)
{
	char *words[] = { BOX_FILE_PROGRAM, NULL };
	const struct run_options options = { .box = l->fork,
					     .no_services = true,
					     .command = { words, 1, false } };
	const struct box_file_ask ask = {
		.head = { .act = FILE_REMOVE, .flags = FILE_RECURSIVE | FILE_FORCE }, .part[FILE_PATH] = path
	};
	scoped(box_spec_finish) struct run_spec req = { .box.purpose = RUN_CHANGES };
	scoped(box_file_reply_finish) struct box_file_reply reply = { 0 };
	int r = box_spec_fill(l->by, &options, &req, e);

	req.profile.limits[LIMIT_WALL_TIME] = ACT_MS;
	if (r == 0)
		r = box_file_do(&req, &ask, &reply, e);
	return r == 0 && reply.head.error
		       ? aisbx_fail(e, AISBX_AREA_LAYER, reply.head.error, "remove '%s' in the box", path)
		       : r;
}

/* Out of the fork: what lies there would be in the way, or would have its say. */
static int take_away(struct laying *l, const char *path, struct aisbx_error *e)
{
	int r = buf_is_utf8(path) ? remove_in_fork(l, path, e)
				  : aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EILSEQ,
						 "the box's '%s' decides a check, and its name is not UTF-8",
						 path_tail(path, PATH_TOLD));

	return r < 0 ? aisbx_context(e, "use your own files instead of the box's '%s'",
				     path_tail(path, PATH_TOLD))
		     : 0;
}

/* The host's file at PATH. */
static int lay(struct laying *l, const char *path, struct aisbx_error *e)
{
	struct stat st;

	if (strlist_has(&l->laid, path) || lstat(path, &st) < 0)
		return 0;
	if (!S_ISREG(st.st_mode))
		return S_ISLNK(st.st_mode)
			       ? aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_BOX, ELOOP,
					      "the box changed '%s', which decides a check; your version is "
					      "a link, and a link cannot be mounted over the box's version",
					      path_tail(path, PATH_TOLD))
			       : 0;
	if (l->laid.n == MAX_LAID)
		return aisbx_refuse(e, AISBX_KIND_LIMIT, AISBX_AREA_BOX, E2BIG,
				    "the box changed more than %u files that decide checks; see 'aisbx "
				    "diff', or set 'judges_from: box' in aisbx.yaml",
				    MAX_LAID);
	strlist_add(&l->laid, path);
	return l->laid.failed ? aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "use your own '%s' for the check",
					   path_tail(path, PATH_TOLD))
			      : 0;
}

/* Of a path of the project, by both its names. */
static enum judge_kind kind_of(const struct laying *l, const char *path)
{
	enum judge_kind kind = judges_find(l->judges, path), other;
	scoped(drop_mem) char *real = path_join(l->real, path_below(path, l->project));

	other = real ? judges_find(l->judges, real) : JUDGE_SCRIPT;
	return other > kind ? other : kind;
}

/* The host has a directory where the box has none of its own any more: all in it that judges. */
static int lay_tree(struct laying *l, const char *dir, bool *ret_any, struct aisbx_error *e)
{
	char *const roots[] = { (char *)dir, NULL };
	FTS *tree = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	const FTSENT *at;
	size_t before = l->laid.n;
	int r = tree ? 0 : aisbx_fail(e, AISBX_AREA_BOX, errno, "look into '%s'", path_tail(dir, PATH_TOLD));

	while (r == 0 && (at = fts_read(tree)))
		if ((at->fts_info == FTS_F || at->fts_info == FTS_SL || at->fts_info == FTS_SLNONE) &&
		    kind_of(l, at->fts_path))
			r = lay(l, at->fts_path, e);
	if (tree)
		fts_close(tree);
	*ret_any = l->laid.n > before;
	return r;
}

static int see(struct laying *l, const struct change *c, struct aisbx_error *e)
{
	scoped(drop_mem) char *path = path_join(l->project, c->path);
	enum judge_kind kind = path ? kind_of(l, path) : JUDGE_NONE;
	bool any = false;
	int r = path ? 0 : aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "use your own files for the check");

	if (r < 0 || c->kind == CHANGE_NONE || c->kind == CHANGE_TOUCH)
		return r;
	if ((c->kind == CHANGE_DELETE || c->kind == CHANGE_REPLACE) && S_ISDIR(c->old_mode)) {
		r = lay_tree(l, path, &any, e);
		if (r == 0 && any && c->new_mode && !S_ISDIR(c->new_mode))
			r = take_away(l, path, e);
		if (any)
			tell(l, path);
		return r;
	}
	if (!kind || S_ISDIR(c->old_mode) ||
	    (c->kind == CHANGE_CREATE && (kind == JUDGE_TEST || S_ISDIR(c->new_mode))))
		return 0;
	tell(l, path);
	if (c->kind == CHANGE_CREATE || c->kind == CHANGE_REPLACE)
		r = take_away(l, path, e);
	return r == 0 && c->kind != CHANGE_CREATE ? lay(l, path, e) : r;
}

/* What is compiled is made anew from what is judged. */
static bool is_text(const char *path)
{
	scoped(drop_fd) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
	char head[4] = "";
	struct stat st;

	return fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && read(fd, head, sizeof(head)) >= 0 &&
	       memcmp(head, "\177ELF", 4) != 0;
}

/* Scripts in any case, so that nothing that runs before them can write them. */
static int lay_scripts(struct laying *l, struct aisbx_error *e)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < l->judges->n; i++) {
		const struct judge *j = &l->judges->items[i];
		scoped(drop_mem) char *path = j->kind == JUDGE_SCRIPT && !strpbrk(j->pattern, "*?")
						      ? path_resolve(j->dir, j->pattern)
						      : NULL;
		const char *below = path ? path_below(path, l->real) : NULL;
		scoped(drop_mem) char *here = below ? path_resolve(l->project, *below ? below : ".") : NULL;

		if (path && is_text(path))
			r = lay(l, here ? here : path, e);
	}
	return r;
}

static int lay_all(struct laying *l, const struct lookup *p, struct aisbx_error *e)
{
	scoped(change_list_finish) struct change_list changes = { 0 };
	int r = box_diff((struct box_state *)&p->state, &p->box, p->snapshot, NULL, "", &changes, NULL, e);

	for (size_t i = 0; r == 0 && i < changes.n; i++)
		r = see(l, &changes.items[i], e);
	return r < 0 ? r : lay_scripts(l, e);
}

static int add_mounts(const struct laying *l, struct strlist *ro, struct aisbx_error *e)
{
	for (size_t i = 0; i < l->laid.n; i++) {
		if (!buf_is_utf8(l->laid.items[i])) /* the run could not be told in JSON */
			return aisbx_refuse(
				e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EILSEQ,
				"the box changed '%s', which decides a check, and its name is not UTF-8",
				path_tail(l->laid.items[i], PATH_TOLD));
		add_mount(l->laid.items[i], ro);
	}
	return ro->failed || l->told->failed
		       ? aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "use your own files for the check")
		       : 0;
}

int judges_lay(const struct caller *by, const char *point, const char *fork, const struct judges *j,
	       struct strlist *ro, struct strlist *ret_told, struct aisbx_error *e)
{
	struct laying l = { .by = by, .fork = fork, .judges = j, .told = ret_told };
	scoped(lookup_finish) struct lookup p = LOOKUP_INIT;
	int r = j->failed ? aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "use your own files for the check")
			  : lookup_open(point, false, &p, e);

	l.project = p.box.project;
	l.real = l.project ? realpath(l.project, NULL) : NULL;
	if (r == 0 && l.project && !l.real)
		r = aisbx_fail(e, AISBX_AREA_BOX, errno, "find the project '%s'",
			       path_tail(l.project, PATH_TOLD));
	if (r == 0 && l.project && j->n)
		r = lay_all(&l, &p, e);
	if (r == 0)
		r = add_mounts(&l, ro, e);
	strlist_finish(&l.laid);
	free(l.real);
	return r;
}
