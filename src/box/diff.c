/* SPDX-License-Identifier: Apache-2.0 */
/* Compares the views of boxes and snapshots, by files and by lines. */
#include "box/diff.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"
#include "box/git.h"
#include "box/point.h"
#include "layer/stale.h"
#include "layer/text.h"

#define BINARY_SPAN 8000

/* The layers of VIEW hold all that differs, so what they know of a repository is what happened to it. */
static int leave_out(const struct view *view, struct change_list *list, struct box_ignored *ignored, struct aisbx_error *e)
{
	scoped(eye_close) struct eye eye = EYE_INIT;
	int r = eye_open(view, &eye, e);

	if (r == 0)
		r = box_git_leave_idle(&eye, &list->gits, e);
	if (r == 0 && ignored)
		r = box_ignored_in_list(&eye, list, ignored, e);
	return r;
}

int box_diff(struct box_shelf *s, const struct store_box *b, const char *snapshot, const struct store_box *other,
	     const char *other_snapshot, struct change_list *ret, struct box_ignored *ignored, struct aisbx_error *e)
{
	scoped(box_point_finish) struct box_point first = { 0 };
	scoped(box_point_finish) struct box_point second = { 0 };
	struct view host = { .host = b->project };
	int r;

	if (!b->project || (other && (!other->project || strcmp(other->project, b->project) != 0)))
		return aisbx_refuse(e, AISBX_AREA_BOX, EINVAL, "the boxes are not of the same project");
	r = box_point_read(s, b, snapshot, &first, e);
	if (r == 0 && other)
		r = box_point_read(s, other, other_snapshot, &second, e);
	if (r == 0)
		r = other ? change_list_read(&first.view, &second.view, ret, e) : change_list_read(&host, &first.view, ret, e);
	return r < 0 ? r : leave_out(other ? &second.view : &first.view, ret, ignored, e);
}

static enum box_answer has_nul(const char *file)
{
	scoped(drop_fd) int fd = open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	char start[BINARY_SPAN];
	size_t len = 0;
	ssize_t n = fd < 0 ? -1 : 0;

	while (fd >= 0 && len < sizeof(start) && (n = read(fd, start + len, sizeof(start) - len)) > 0)
		len += (size_t)n;
	return n < 0 ? BOX_UNKNOWN : memchr(start, '\0', len) ? BOX_YES : BOX_NO;
}

enum box_answer box_diff_is_binary(const struct change *c)
{
	enum box_answer now = S_ISREG(c->new_mode) ? has_nul(c->new_file) : BOX_NO;

	if (now != BOX_NO || !S_ISREG(c->old_mode) || (S_ISREG(c->new_mode) && c->kind != CHANGE_MODIFY))
		return now;
	return has_nul(c->old_file);
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

/* The pairs to compare for C: a link in the place of a file is, as with git, one gone and another made. */
static size_t make_pairs(const struct change *c, struct text_pair ret[2])
{
	const char *old = is_text_mode(c->old_mode) ? c->old_file : NULL;
	const char *now = is_text_mode(c->new_mode) ? c->new_file : NULL;
	size_t n = 0;

	if (c->kind == CHANGE_MODE && !((c->old_mode ^ c->new_mode) & S_IXUSR))
		return 0; /* git knows of modes only whether a file can be executed */
	if (old && now && (c->old_mode & S_IFMT) == (c->new_mode & S_IFMT)) {
		ret[n++] = (struct text_pair){ .old_file = old, .new_file = now, .name = c->path };
		return n;
	}
	if (old)
		ret[n++] = (struct text_pair){ .old_file = old, .name = c->path };
	if (now)
		ret[n++] = (struct text_pair){ .new_file = now, .name = c->path };
	return n;
}

int box_diff_lines(const struct change_list *l, struct buf *patch, struct box_lines *ret, struct aisbx_error *e)
{
	scoped(drop_mem) struct text_pair *pairs = calloc(l->n * 2 + 1, sizeof(*pairs));
	scoped(drop_mem) size_t *of = calloc(l->n * 2 + 1, sizeof(*of)); /* to which change each belongs */
	size_t n = 0;
	int r;

	if (!pairs || !of)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "compare the lines of %zu changes", l->n);
	for (size_t i = 0; i < l->n; i++) {
		size_t more = changes_text(&l->items[i]) ? make_pairs(&l->items[i], pairs + n) : 0;

		ret[i] = (struct box_lines){ .asked = changes_text(&l->items[i]) };
		ret[i].counted = ret[i].asked;
		while (more--)
			of[n++] = i;
	}
	r = text_patch(pairs, n, patch, e);
	for (size_t k = 0; r == 0 && k < n; k++) {
		ret[of[k]].counted &= pairs[k].status == TEXT_CLEAN;
		ret[of[k]].added += pairs[k].added;
		ret[of[k]].removed += pairs[k].removed;
	}
	return r;
}

int box_stale(const struct store_box *b, struct strlist *ret, struct aisbx_error *e)
{
	if (!b->project)
		return 0;
	return stale_list(b->project, (struct timespec){ b->watermark_s, b->watermark_ns }, ret, e);
}
