/* SPDX-License-Identifier: Apache-2.0 */
/* Calls aisbx-merge, and calls it again after an item that it died of. */
#include "layer/text.h"

#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"
#include "layer/merge_helper.h"

#define MAX_PATCH ((size_t)16 << 20) /* it is kept in memory, and the box says how long it is */

/* What is asked of the helper, item by item. */
struct talk {
	size_t n;
	struct text_merge *merges; /* or NULL, and then: */
	struct text_pair *pairs;
	const char *ours_label, *theirs_label;
	struct buf *patch; /* borrowed, or NULL */
	bool is_bare;      /* what was last put into the patch is a header without lines */
};

static void ask(const struct talk *t, size_t i, struct buf *b)
{
	if (t->merges) {
		const struct text_merge *m = &t->merges[i];
		const char *words[] = { "merge", m->base ? m->base : "-", m->ours,        m->theirs,
					m->out,  t->ours_label,           t->theirs_label };

		for (size_t k = 0; k < sizeof(words) / sizeof(*words); k++)
			merge_helper_add_word(b, words[k]);
	} else {
		const struct text_pair *p = &t->pairs[i];

		merge_helper_add_word(b, p->status == TEXT_FAILED
						 ? "differ"
						 : "diff"); /* failed: the helper died of it before */
		merge_helper_add_word(b, p->old_file ? p->old_file : "-");
		merge_helper_add_word(b, p->new_file ? p->new_file : "-");
		merge_helper_add_word(b, p->name);
		merge_helper_add_word(b, p->name);
	}
}

/* The requests from item FIRST on. */
static int start(const struct talk *t, size_t first, struct merge_helper *ret, struct aisbx_error *e)
{
	scoped(buf_finish) struct buf b = { 0 };
	scoped(drop_mem) char *out = NULL;

	for (size_t i = first; i < t->n; i++)
		ask(t, i, &b);
	if (!t->merges)
		return merge_helper_start(&b, NULL, ret, e);
	out = strdup(t->merges[first].out);
	if (!out)
		return aisbx_fail(e, AISBX_AREA_LAYER, ENOMEM, "merge %zu files", t->n);
	return merge_helper_start(&b, dirname(out), ret, e);
}

static int hear_pair(struct talk *t, struct text_pair *p, const char *line, struct merge_helper *h,
		     struct aisbx_error *e)
{
	struct buf *b = t->patch;
	size_t before = b ? b->len : 0, len, added, removed;
	unsigned int status;

	if (sscanf(line, "%u %zu %zu %zu", &status, &len, &added, &removed) != 4 || status > TEXT_FAILED)
		return aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_LAYER, EBADMSG,
				    "%s gave an invalid answer", HELPER);
	if (b && len > MAX_PATCH - b->len)
		return aisbx_refuse(
			e, AISBX_KIND_LIMIT, AISBX_AREA_LAYER, EFBIG,
			"the patch is larger than %zu MiB; --stat only counts its lines, and 'aisbx promote "
			"--to DIR' puts the files into a copy of the project that you can compare",
			MAX_PATCH >> 20);
	/* git would take a line about a binary file right behind a bare header for part of it. */
	if (b && len && status != TEXT_CLEAN && t->is_bare)
		buf_add(b, "\n", 1);
	if (!merge_helper_take(h, len, b)) {
		if (b)
			b->len = before;
		return 0;
	}
	if (b && len)
		t->is_bare = status == TEXT_CLEAN && added + removed == 0;
	p->status = (int)status;
	p->added = added;
	p->at = b ? b->len - len : 0;
	p->len = b ? len : 0;
	p->removed = removed;
	return 1;
}

/* 1: item I has its answer. 0: the answers have ended. */
static int hear(struct talk *t, size_t i, struct merge_helper *h, struct aisbx_error *e)
{
	scoped(drop_mem) char *line = NULL;
	size_t cap = 0;
	ssize_t n = getline(&line, &cap, h->answers);

	if (n <= 0 || line[n - 1] != '\n')
		return 0;
	if (!t->merges)
		return hear_pair(t, &t->pairs[i], line, h, e);
	if (line[0] < '0' + TEXT_CLEAN || line[0] > '0' + TEXT_FAILED)
		return aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_LAYER, EBADMSG,
				    "%s gave an invalid answer", HELPER);
	t->merges[i].status = line[0] - '0';
	return 1;
}

/* One helper, from item *AT on; moves *AT behind what it has answered. */
static int talk_once(struct talk *t, size_t *at, struct aisbx_error *e)
{
	struct merge_helper h = { 0 };
	int status, r;

	r = start(t, *at, &h, e);
	if (r < 0)
		return r;
	while (*at < t->n && (r = hear(t, *at, &h, e)) > 0)
		++*at;
	status = merge_helper_end(&h);
	if (r < 0 || *at == t->n || WIFSIGNALED(status))
		return r < 0 ? r : 0;
	return merge_helper_fail_early(status, e);
}

/* The helper died of item I. Whether to ask once more, for the line that only names the files. */
static bool bury(struct talk *t, size_t i)
{
	bool again;

	if (t->merges) {
		t->merges[i].status = TEXT_FAILED;
		unlink(t->merges[i].out); /* it may hold half of the text */
		return false;
	}
	again = t->pairs[i].status != TEXT_FAILED;
	t->pairs[i].status = TEXT_FAILED;
	return again;
}

static int talk(struct talk *t, struct aisbx_error *e)
{
	for (size_t at = 0; at < t->n;) {
		int r = talk_once(t, &at, e);

		if (r < 0)
			return r;
		if (at < t->n && !bury(t, at))
			at++;
	}
	return 0;
}

int text_merge_all(struct text_merge *list, size_t n, const char *ours_label, const char *theirs_label,
		   struct aisbx_error *e)
{
	struct talk t = { .n = n, .merges = list, .ours_label = ours_label, .theirs_label = theirs_label };

	return talk(&t, e);
}

int text_patch(struct text_pair *list, size_t n, struct buf *ret, bool *bare, struct aisbx_error *e)
{
	struct talk t = { .n = n, .pairs = list, .patch = ret, .is_bare = bare && *bare };
	int r;

	for (size_t i = 0; i < n; i++)
		list[i].status = TEXT_CLEAN;
	r = talk(&t, e);
	if (bare)
		*bare = t.is_bare;
	return r == 0 && ret && ret->failed ? aisbx_fail(e, AISBX_AREA_LAYER, ENOMEM, "store the patch") : r;
}
