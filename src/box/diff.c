/* SPDX-License-Identifier: Apache-2.0 */
/* Compares the states of boxes and snapshots, by files and by lines. */
#include "box/diff.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"
#include "box/point.h"
#include "layer/changed_since.h"
#include "layer/text.h"

#define BINARY_SPAN 8000
#define BATCH       1024

bool box_diff_is_idle(const char *name)
{
	static const char *const names[] = { "index",      "index.lock",     "objects", "ORIG_HEAD",
					     "FETCH_HEAD", "COMMIT_EDITMSG", "gc.log" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

/* Takes out of GITS the git directories in which EYE shows no more than what git does by itself, as for 'git
 * status'. */
static int leave_idle(struct open_view *open_view, struct strlist *gits, struct aisbx_error *e)
{
	size_t kept = 0;

	for (size_t i = 0; i < gits->n; i++) {
		scoped(strlist_finish) struct strlist names = { 0 };
		struct view_entry seen;
		bool idle;
		int r = view_find(open_view, gits->items[i], &seen);

		idle = r == 0 && S_ISDIR(seen.thing.st.st_mode);
		if (idle)
			r = view_names(open_view, seen.ref, gits->items[i], false, &names);
		if (r < 0)
			return aisbx_fail(e, AISBX_AREA_BOX, -r, "look into '%s'", gits->items[i]);
		for (size_t k = 0; k < names.n; k++)
			idle &= box_diff_is_idle(names.items[k]);
		if (idle)
			free(gits->items[i]);
		else
			gits->items[kept++] = gits->items[i];
	}
	gits->n = kept;
	if (gits->items)
		gits->items[kept] = NULL;
	return 0;
}

/* The layers of VIEW hold all that differs, so what they know of a repository is what happened to it. */
static int leave_out(const struct view *view, struct change_list *list, struct box_ignored *ignored,
		     struct aisbx_error *e)
{
	scoped(view_close) struct open_view open_view = OPEN_VIEW_INIT;
	int r = view_open(view, &open_view, e);

	if (r == 0)
		r = leave_idle(&open_view, &list->gits, e);
	if (r == 0 && ignored)
		r = box_ignored_in_list(&open_view, list, ignored, e);
	return r;
}

int box_diff_points(const struct box_point *a, const struct box_point *b, struct change_list *ret,
		    struct box_ignored *ignored, struct aisbx_error *e)
{
	const struct view base = box_point_base(b);
	int r = change_list_read(a ? &a->view : &base, &b->view, ret, e);

	if (b->n_image) /* a system, not somebody's work tree: what a .gitignore in it names counts */
		ignored = NULL;
	return r < 0 || (!ignored && !ret->gits.n) ? r : leave_out(&b->view, ret, ignored, e);
}

/* Both without a project: then it is their roots, whatever images those are of. */
static bool has_same_tree(const struct store_box *a, const struct store_box *b)
{
	return a->project && b->project ? !strcmp(a->project, b->project)
					: !a->project && !b->project && a->image[0] && b->image[0];
}

int box_diff(struct box_state *s, const struct store_box *b, const char *snapshot,
	     const struct store_box *other, const char *other_snapshot, struct change_list *ret,
	     struct box_ignored *ignored, struct aisbx_error *e)
{
	scoped(box_point_finish) struct box_point first = { 0 };
	scoped(box_point_finish) struct box_point second = { 0 };
	int r;

	if ((!b->project && !b->image[0]) || (other && !has_same_tree(b, other)))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EINVAL,
				    "the boxes have different projects");
	r = box_point_read(s, b, snapshot, &first, e);
	if (r == 0 && other)
		r = box_point_read(s, other, other_snapshot, &second, e);
	return r < 0 ? r : box_diff_points(other ? &first : NULL, other ? &second : &first, ret, ignored, e);
}

/* Takes FILE. */
static enum box_answer has_nul(char *file)
{
	scoped(drop_mem) char *path = file;
	scoped(drop_fd) int fd =
		path ? open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC) : -1;
	char start[BINARY_SPAN];
	size_t len = 0;
	ssize_t n = fd < 0 ? -1 : 0;

	while (fd >= 0 && len < sizeof(start) && (n = read(fd, start + len, sizeof(start) - len)) > 0)
		len += (size_t)n;
	return n < 0 ? BOX_UNKNOWN : memchr(start, '\0', len) ? BOX_YES : BOX_NO;
}

enum box_answer box_diff_is_binary(const struct change_list *l, const struct change *c)
{
	enum box_answer now = S_ISREG(c->new_mode) ? has_nul(change_new_file(l, c)) : BOX_NO;

	if (now != BOX_NO || !S_ISREG(c->old_mode) || (S_ISREG(c->new_mode) && c->kind != CHANGE_MODIFY))
		return now;
	return has_nul(change_old_file(l, c));
}

static bool is_text_mode(mode_t mode)
{
	return S_ISREG(mode) || S_ISLNK(mode);
}

static bool changes_text(const struct change *c)
{
	return (c->kind == CHANGE_CREATE || c->kind == CHANGE_MODIFY || c->kind == CHANGE_DELETE ||
		c->kind == CHANGE_REPLACE || c->kind == CHANGE_MODE) &&
	       (is_text_mode(c->old_mode) || is_text_mode(c->new_mode));
}

/* Pairs to compare, of some changes at a time: their paths take more memory than all else. */
struct batch {
	struct text_pair pairs[2 * BATCH];
	size_t of[2 * BATCH]; /* to which change each belongs */
	struct strlist files; /* owned; what the pairs point to */
	size_t n;
};

/* The path is the batch's; NULL when there is none. */
static const char *keep_file(struct batch *b, char *file)
{
	scoped(drop_mem) char *path = file;

	if (path)
		strlist_add(&b->files, path);
	return path && !b->files.failed ? b->files.items[b->files.n - 1] : NULL;
}

static void add_pair(struct batch *b, size_t i, const char *old, const char *now, const char *name)
{
	b->pairs[b->n] = (struct text_pair){ .old_file = old, .new_file = now, .name = name };
	b->of[b->n++] = i;
}

/* Change I: a link in the place of a file is, as with git, one gone and another made. */
static void add_pairs(struct batch *b, const struct change_list *l, size_t i)
{
	const struct change *c = &l->items[i];
	const char *old, *now;

	if (c->kind == CHANGE_MODE && !((c->old_mode ^ c->new_mode) & S_IXUSR))
		return; /* git knows of modes only whether a file can be executed */
	old = is_text_mode(c->old_mode) ? keep_file(b, change_old_file(l, c)) : NULL;
	now = is_text_mode(c->new_mode) ? keep_file(b, change_new_file(l, c)) : NULL;
	if (old && now && (c->old_mode & S_IFMT) == (c->new_mode & S_IFMT)) {
		add_pair(b, i, old, now, c->path);
		return;
	}
	if (old)
		add_pair(b, i, old, NULL, c->path);
	if (now)
		add_pair(b, i, NULL, now, c->path);
}

static int compare_batch(struct batch *b, struct buf *patch, bool *bare, struct box_lines *ret,
			 struct aisbx_error *e)
{
	int r = b->files.failed ? aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "compare the lines") : 0;

	if (r == 0 && b->n)
		r = text_patch(b->pairs, b->n, patch, bare, e);
	for (size_t k = 0; r == 0 && k < b->n; k++) {
		ret[b->of[k]].counted &= b->pairs[k].status == TEXT_CLEAN;
		ret[b->of[k]].added += b->pairs[k].added;
		ret[b->of[k]].removed += b->pairs[k].removed;
	}
	strlist_finish(&b->files);
	b->n = 0;
	return r;
}

int box_diff_lines(const struct change_list *l, struct buf *patch, struct box_lines *ret,
		   struct aisbx_error *e)
{
	scoped(drop_mem) struct batch *b = calloc(1, sizeof(*b));
	bool bare = false;
	int r = b ? 0 : aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "compare the lines of %zu changes", l->n);

	for (size_t i = 0; r == 0 && i < l->n; i++) {
		ret[i] = (struct box_lines){ .asked = changes_text(&l->items[i]) };
		ret[i].counted = ret[i].asked;
		if (ret[i].asked)
			add_pairs(b, l, i);
		if ((i + 1) % BATCH == 0)
			r = compare_batch(b, patch, &bare, ret, e);
	}
	return r == 0 ? compare_batch(b, patch, &bare, ret, e) : r;
}

int box_stale(const struct store_box *b, struct strlist *ret, struct aisbx_error *e)
{
	if (!b->project)
		return 0;
	return changed_since_list(b->project, (struct timespec){ b->watermark_s, b->watermark_ns }, ret, e);
}
