/* SPDX-License-Identifier: Apache-2.0 */
/* Turns a plan into items that a person can judge, with their differences, and a digest of all of it. */
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
#include "base/sha256.h"
#include "layer/checksum.h"
#include "layer/copy.h"
#include "layer/text.h"

/* A batch for the helper: its patch stays below the helper's limit. */
#define BATCH_BYTES ((off_t)4 << 20)

void promote_review_finish(struct promote_review *r)
{
	for (size_t i = 0; i < r->n; i++) {
		buf_finish(&r->items[i].patch);
		hunk_list_finish(&r->items[i].hunks);
		free(r->items[i].old_file);
	}
	free(r->items);
	*r = (struct promote_review){ 0 };
}

static bool is_below(const struct merge_step *s, const struct merge_step *dir)
{
	size_t n = strlen(dir->path);

	return !strncmp(s->path, dir->path, n) && s->path[n] == '/';
}

/* A directory that comes along with what is in it. */
static bool is_implied(const struct merge_plan *plan, size_t at)
{
	const struct merge_step *s = &plan->steps[at];

	return S_ISDIR(s->now.st_mode) && (s->op == MERGE_CREATE || s->op == MERGE_INSIDE) &&
	       at + 1 < plan->n && plan->steps[at + 1].op == MERGE_INSIDE &&
	       is_below(&plan->steps[at + 1], s);
}

static int find_items(const struct merge_plan *plan, struct promote_review *r, struct aisbx_error *e)
{
	struct review_item *whole = NULL; /* a directory in place of something else */

	r->items = calloc(plan->n ? plan->n : 1, sizeof(*r->items));
	if (!r->items)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "review the changes");
	for (size_t i = 0; i < plan->n; i++) {
		const struct merge_step *s = &plan->steps[i];

		if (s->op == MERGE_INSIDE && whole && is_below(s, &plan->steps[whole->step])) {
			whole->inside++;
			continue;
		}
		if (s->op == MERGE_NOTHING || s->box == CHANGE_TOUCH || is_implied(plan, i))
			continue;
		r->items[r->n++] = (struct review_item){ .step = i };
		whole = s->op == MERGE_REPLACE && S_ISDIR(s->now.st_mode) ? &r->items[r->n - 1] : NULL;
	}
	return 0;
}

/* The making of one review. */
struct making {
	const struct merge_plan *plan;
	const struct merge_sides *sides;
	const char *dir;
	struct promote_review *review;
	struct sha256 sum;
	size_t text; /* bytes of differences so far */
};

static bool has_content(mode_t mode)
{
	return S_ISREG(mode) || S_ISLNK(mode);
}

static bool brings_content(const struct merge_step *s)
{
	return s->op != MERGE_ATTRS && s->op != MERGE_DELETE && has_content(s->now.st_mode) &&
	       (s->text || s->take & DIFF_CONTENT);
}

/* The path on disk of what will be written for S; heap, or NULL with *RET_ERR. */
static char *new_file(const struct making *m, const struct merge_step *s, int *ret_err)
{
	struct view_entry seen;
	char *file;
	int r;

	*ret_err = -ENOMEM;
	if (s->text && s->merged)
		return strdup(s->merged);
	r = view_find(m->sides->box, s->source ? s->source : s->path, &seen);
	if (r < 0 || !seen.thing.exists) {
		*ret_err = r < 0 ? r : -ESTALE;
		return NULL;
	}
	file = view_file(m->sides->box, &seen, s->source ? s->source : s->path);
	return file;
}

/* A copy, because the target may change while it is read: what is shown and what is added up are the same. */
static int copy_old(const struct making *m, const struct merge_step *s, size_t at, char **ret)
{
	scoped(drop_fd) int from = -1;
	scoped(drop_fd) int to = -1;
	scoped(drop_mem) char *file = NULL;
	struct view_entry seen;
	struct stat st;
	int r = view_find(m->sides->target, s->path, &seen);

	if (r < 0 || !seen.thing.exists)
		return r < 0 ? r : -ESTALE;
	if (asprintf(&file, "%s/%zu.old", m->dir, at) < 0) {
		file = NULL;
		return -ENOMEM;
	}
	if (S_ISLNK(s->old.st_mode)) {
		struct copy_how how = { 0 };

		r = copy_link(seen.thing.at, seen.thing.name, AT_FDCWD, file, &how);
	} else {
		from = copy_open(seen.thing.at, seen.thing.name);
		if (from < 0)
			return from;
		if (fstat(from, &st) < 0)
			return -errno;
		if (st.st_ino != s->old.st_ino || st.st_dev != s->old.st_dev)
			return -ESTALE;
		to = open(file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
		r = to < 0 ? -errno : copy_data(from, to, st.st_size);
		if (r == 0 && fchmod(to, (s->old.st_mode & 0777) | 0600) < 0)
			r = -errno;
	}
	if (r == 0)
		*ret = take_mem(&file);
	return r;
}

static void add_text(struct sha256 *sum, const char *text)
{
	sha256_add(sum, text, strlen(text) + 1);
}

/* The content of a side that is too large to be copied: read where it is. */
static int add_old_in_place(struct making *m, const struct merge_step *s)
{
	char sum[CHECKSUM_MAX] = "";
	struct view_entry seen;
	int r = view_find(m->sides->target, s->path, &seen);

	if (r == 0 && !seen.thing.exists)
		r = -ESTALE;
	if (r == 0)
		r = checksum_of_file(seen.thing.at, seen.thing.name, s->old.st_mode, sum);
	add_text(&m->sum, sum);
	return r;
}

static int add_file(struct making *m, const char *file, mode_t mode)
{
	char sum[CHECKSUM_MAX] = "";
	int r = file ? checksum_of_file(AT_FDCWD, file, mode, sum) : 0;

	add_text(&m->sum, sum);
	return r;
}

/* What S is, on both sides, into the digest. */
static int add_step(struct making *m, const struct merge_step *s, size_t at, struct review_item *item)
{
	scoped(drop_mem) char *now = NULL;
	char text[160];
	int r = 0;

	snprintf(text, sizeof(text), "%d %d %d %o %o %u %u %u", (int)s->op, (int)s->outcome, (int)s->box,
		 s->old.st_mode, s->now.st_mode, (unsigned int)s->now.st_uid, (unsigned int)s->now.st_gid,
		 s->take);
	add_text(&m->sum, s->path);
	add_text(&m->sum, text);
	if (has_content(s->old.st_mode) && item && s->old.st_size <= REVIEW_FILE_MAX) {
		r = copy_old(m, s, at, &item->old_file);
		if (r == 0)
			r = add_file(m, item->old_file, s->old.st_mode);
	} else if (has_content(s->old.st_mode)) {
		r = add_old_in_place(m, s);
	}
	if (r < 0 || !brings_content(s))
		return r;
	now = new_file(m, s, &r);
	return now ? add_file(m, now, s->now.st_mode) : r;
}

static int add_all(struct making *m, const struct box_git *git, struct aisbx_error *e)
{
	uint8_t bytes[SHA256_BYTES];
	size_t at = 0;

	for (size_t i = 0; i < m->plan->n; i++) {
		const struct merge_step *s = &m->plan->steps[i];
		struct review_item *item = NULL;
		int r;

		if (at < m->review->n && m->review->items[at].step == i)
			item = &m->review->items[at++];
		if (s->op == MERGE_NOTHING || s->box == CHANGE_TOUCH)
			continue;
		r = add_step(m, s, i, item);
		if (r == -ESTALE)
			return aisbx_refuse(e, AISBX_KIND_STALE, AISBX_AREA_BOX, ESTALE,
					    "'%s' changed while it was read; try again", s->path);
		if (r < 0)
			return aisbx_fail(e, AISBX_AREA_BOX, -r, "review '%s'", s->path);
	}
	for (size_t i = 0; git && i < git->n; i++)
		for (size_t k = 0; k < git->changes[i].n; k++) {
			add_text(&m->sum, git->changes[i].moves[k].ref);
			add_text(&m->sum, git->changes[i].moves[k].old);
			add_text(&m->sum, git->changes[i].moves[k].now);
		}
	sha256_end(&m->sum, bytes);
	for (size_t i = 0; i < (REVIEW_DIGEST - 1) / 2; i++)
		snprintf(m->review->digest + 2 * i, 3, "%02x", bytes[i]);
	return 0;
}

/* Whether the two sides can be compared as texts or links. */
static bool is_compared(const struct merge_step *s)
{
	mode_t old = s->old.st_mode & S_IFMT, now = s->op == MERGE_DELETE ? 0 : s->now.st_mode & S_IFMT;

	if ((old && !has_content(old)) || (now && !has_content(now)) || (old && now && old != now) ||
	    (!old && !now))
		return false;
	if (s->op == MERGE_ATTRS || (now && !brings_content(s)))
		return false;
	return s->old.st_size <= REVIEW_FILE_MAX && s->now.st_size <= REVIEW_FILE_MAX;
}

static int read_file(const char *file, struct buf *ret)
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

/* Parts, if all of them together give the very file that the plan has; else it is accepted as a whole. */
static int find_hunks(const struct merge_step *s, const char *now, struct review_item *item)
{
	scoped(buf_finish) struct buf old = { 0 };
	scoped(buf_finish) struct buf wanted = { 0 };
	scoped(buf_finish) struct buf made = { 0 };
	scoped(drop_mem) bool *all = NULL;
	int r;

	if (!item->old_file || !now || !S_ISREG(s->old.st_mode) || !S_ISREG(s->now.st_mode))
		return 0;
	r = read_file(item->old_file, &old);
	if (r == 0)
		r = read_file(now, &wanted);
	if (r == 0)
		r = hunk_list_read(item->patch.data, item->patch.len, &item->hunks);
	if (r == 0) {
		all = malloc(item->hunks.n + 1);
		if (!all)
			return -ENOMEM;
		memset(all, true, item->hunks.n + 1);
		r = hunk_list_apply(&item->hunks, all, old.len ? old.data : "", old.len, &made);
	}
	if (r == 0 && made.len == wanted.len && (!made.len || !memcmp(made.data, wanted.data, made.len))) {
		item->mode =
			item->hunks.n && ((s->old.st_mode ^ s->now.st_mode) & 07777) && (s->take & DIFF_MODE);
		return 0;
	}
	hunk_list_finish(&item->hunks);
	return r == -EBADMSG ? 0 : r;
}

/* A number of items, compared by one helper. */
struct batch {
	struct text_pair *pairs; /* owned */
	size_t *items;           /* owned */
	size_t n;
	off_t bytes;
};

static void batch_empty(struct batch *b)
{
	for (size_t i = 0; i < b->n; i++)
		free((char *)b->pairs[i].new_file);
	b->n = 0;
	b->bytes = 0;
}

static void batch_finish(struct batch *b)
{
	batch_empty(b);
	free(b->pairs);
	free(b->items);
}

static int take_pair(struct making *m, const struct text_pair *p, const struct buf *patch, size_t at)
{
	struct review_item *item = &m->review->items[at];

	item->binary = p->status != TEXT_CLEAN;
	if (p->status != TEXT_CLEAN || !p->len)
		return 0;
	m->text += p->len;
	buf_add(&item->patch, patch->data + p->at, p->len);
	if (!buf_str(&item->patch))
		return -ENOMEM;
	return find_hunks(&m->plan->steps[item->step], p->new_file, item);
}

static int compare_batch(struct making *m, struct batch *b, struct aisbx_error *e)
{
	scoped(buf_finish) struct buf patch = { 0 };
	int r = b->n ? text_patch(b->pairs, b->n, &patch, NULL, e) : 0;

	for (size_t i = 0; r == 0 && i < b->n; i++) {
		r = take_pair(m, &b->pairs[i], &patch, b->items[i]);
		if (r < 0)
			aisbx_fail(e, AISBX_AREA_BOX, -r, "review '%s'", b->pairs[i].name);
	}
	batch_empty(b);
	return r;
}

static int compare_all(struct making *m, struct aisbx_error *e)
{
	scoped(batch_finish) struct batch b = { .pairs = calloc(m->review->n + 1, sizeof(*b.pairs)),
						.items = calloc(m->review->n + 1, sizeof(*b.items)) };
	int r = 0;

	if (!b.pairs || !b.items)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "review the changes");
	for (size_t i = 0; r == 0 && i < m->review->n; i++) {
		struct review_item *item = &m->review->items[i];
		const struct merge_step *s = &m->plan->steps[item->step];
		char *now = NULL;

		if (!is_compared(s) || m->text + (size_t)b.bytes > REVIEW_TEXT_MAX)
			continue;
		if (s->op != MERGE_DELETE && !(now = new_file(m, s, &r)))
			return aisbx_fail(e, AISBX_AREA_BOX, -r, "review '%s'", s->path);
		r = 0;
		b.pairs[b.n] =
			(struct text_pair){ .old_file = item->old_file, .new_file = now, .name = s->path };
		b.items[b.n++] = i;
		b.bytes += s->old.st_size + s->now.st_size;
		if (b.bytes >= BATCH_BYTES)
			r = compare_batch(m, &b, e);
	}
	return r == 0 ? compare_batch(m, &b, e) : r;
}

int promote_review_make(const struct merge_plan *plan, const struct merge_sides *sides,
			const struct box_git *git, const char *dir, struct promote_review *ret,
			struct aisbx_error *e)
{
	scoped(promote_review_finish) struct promote_review made = { 0 };
	struct making m = { .plan = plan, .sides = sides, .dir = dir, .review = &made };
	int r = find_items(plan, &made, e);

	sha256_init(&m.sum);
	if (r == 0)
		r = add_all(&m, git, e);
	if (r == 0)
		r = compare_all(&m, e);
	if (r < 0)
		return r;
	*ret = made;
	made = (struct promote_review){ 0 };
	return 0;
}
