/* SPDX-License-Identifier: Apache-2.0 */
/* What a person accepted of a review: reads the choice, and leaves only that in the plan. */
#include "promote/review.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"

void promote_selection_finish(struct promote_selection *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->list[i].parts);
	free(s->list);
	*s = (struct promote_selection){ 0 };
}

/* A number from 1 on, as one from 0 on. */
static bool read_number(const char **at, size_t *ret)
{
	size_t n = 0;
	const char *from = *at;

	for (; **at >= '0' && **at <= '9' && n < 100000000; ++*at)
		n = n * 10 + (size_t)(**at - '0');
	if (*at == from || n == 0)
		return false;
	*ret = n - 1;
	return true;
}

static bool read_choice(const char *text, struct review_choice *ret)
{
	const char *at = text;

	if (!read_number(&at, &ret->item))
		return false;
	ret->whole = !*at;
	if (ret->whole)
		return true;
	if (*at != ':')
		return false;
	ret->parts = calloc(strlen(text), sizeof(*ret->parts)); /* each takes a character at least */
	if (!ret->parts)
		return false;
	do {
		at++;
		if (*at == 'm') {
			ret->mode = true;
			at++;
		} else if (!read_number(&at, &ret->parts[ret->n_parts++])) {
			return false;
		}
	} while (*at == ',');
	return !*at;
}

int promote_selection_add(struct promote_selection *s, const char *text, struct aisbx_error *e)
{
	struct review_choice choice = { 0 }, *grown;

	if (!read_choice(text, &choice)) {
		free(choice.parts);
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "'%.40s' accepts nothing: write ITEM, or ITEM:PART,PART", text);
	}
	grown = reallocarray(s->list, s->n + 1, sizeof(*grown));
	if (!grown) {
		free(choice.parts);
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "read what was accepted");
	}
	s->list = grown;
	s->list[s->n++] = choice;
	return 0;
}

static int refuse_choice(const char *path, struct aisbx_error *e)
{
	return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
			    "what was accepted of '%s' is not in the review", path);
}

static int write_text(const char *file, const struct buf *text, mode_t mode)
{
	scoped(drop_fd) int fd =
		open(file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode & 0600);

	for (size_t at = 0; fd >= 0 && at < text->len;) {
		ssize_t n = write(fd, text->data + at, text->len - at);

		if (n < 0)
			return -errno;
		at += (size_t)n;
	}
	return fd < 0 ? -errno : 0;
}

static int read_old(const char *file, struct buf *ret)
{
	scoped(drop_fd) int fd = open(file, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	char chunk[16384];
	ssize_t n;

	if (fd < 0)
		return -errno;
	while ((n = read(fd, chunk, sizeof(chunk))) > 0)
		buf_add(ret, chunk, (size_t)n);
	return n < 0 ? -errno : ret->failed ? -ENOMEM : 0;
}

/* The target's version with the accepted parts takes the place of the box's. */
static int make_text(struct merge_step *s, const struct review_item *item, const bool *accepted,
		     const char *dir, size_t at)
{
	scoped(buf_finish) struct buf old = { 0 };
	scoped(buf_finish) struct buf made = { 0 };
	scoped(drop_mem) char *file = NULL;
	int r = read_old(item->old_file, &old);

	if (r == 0)
		r = hunk_list_apply(&item->hunks, accepted, old.len ? old.data : "", old.len, &made);
	if (r == 0 && asprintf(&file, "%s/%zu.chosen", dir, at) < 0) {
		file = NULL;
		r = -ENOMEM;
	}
	if (r == 0)
		r = write_text(file, &made, 0600);
	if (r < 0)
		return r;
	free(s->merged);
	s->merged = take_mem(&file);
	s->text = s->chosen = true;
	return 0;
}

static int choose_parts(struct merge_plan *plan, const struct review_item *item,
			const struct review_choice *c, const char *dir, struct aisbx_error *e)
{
	struct merge_step *s = &plan->steps[item->step];
	scoped(drop_mem) bool *accepted = calloc(item->hunks.n + 1, sizeof(*accepted));
	int r;

	if (!accepted)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "accept parts of '%s'", s->path);
	if (!item->hunks.n || (c->mode && !item->mode))
		return refuse_choice(s->path, e);
	for (size_t i = 0; i < c->n_parts; i++) {
		if (c->parts[i] >= item->hunks.n)
			return refuse_choice(s->path, e);
		accepted[c->parts[i]] = true;
	}
	r = make_text(s, item, accepted, dir, item->step);
	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, -r, "accept parts of '%s'", s->path);
	if (item->mode && !c->mode) { /* the permissions stay the target's */
		s->take &= ~(unsigned int)DIFF_MODE;
		s->now.st_mode = s->old.st_mode;
	}
	return 0;
}

/* What belongs to an item that is accepted as a whole. */
static void keep_item(const struct merge_plan *plan, const struct review_item *item, bool *keep)
{
	for (size_t i = 0; i <= item->inside && item->step + i < plan->n; i++)
		keep[item->step + i] = true;
}

static bool is_below(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	return !strncmp(path, dir, n) && path[n] == '/';
}

/* Directories that do not exist yet come along with what is accepted in them. */
static int keep_parents(const struct merge_plan *plan, bool *keep, struct aisbx_error *e)
{
	scoped(drop_mem) size_t *open = calloc(plan->n + 1, sizeof(*open)); /* those that the step is in */
	size_t depth = 0;

	if (!open)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "select changes");
	for (size_t i = 0; i < plan->n; i++) {
		const struct merge_step *s = &plan->steps[i];

		while (depth && !is_below(s->path, plan->steps[open[depth - 1]].path))
			depth--;
		for (size_t k = depth; keep[i] && s->op == MERGE_INSIDE && k-- > 0 && !keep[open[k]];)
			keep[open[k]] = true;
		if (S_ISDIR(s->now.st_mode) && (s->op == MERGE_CREATE || s->op == MERGE_INSIDE))
			open[depth++] = i;
	}
	return 0;
}

int promote_select(struct merge_plan *plan, const struct promote_review *review,
		   const struct promote_selection *s, const char *dir, struct aisbx_error *e)
{
	scoped(drop_mem) bool *keep = calloc(plan->n + 1, sizeof(*keep));
	scoped(drop_mem) bool *seen = calloc(review->n + 1, sizeof(*seen));
	int r = 0;

	if (!keep || !seen)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "select changes");
	for (size_t i = 0; r == 0 && i < s->n; i++) {
		const struct review_choice *c = &s->list[i];

		if (c->item >= review->n || seen[c->item])
			return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
					    "item %zu is accepted twice, or is not in the review",
					    c->item + 1);
		seen[c->item] = true;
		keep_item(plan, &review->items[c->item], keep);
		if (!c->whole)
			r = choose_parts(plan, &review->items[c->item], c, dir, e);
	}
	if (r == 0)
		r = keep_parents(plan, keep, e);
	for (size_t i = 0; r == 0 && i < plan->n; i++)
		plan->steps[i].idle = !keep[i];
	if (r == 0)
		merge_drop_idle(plan);
	return r;
}
