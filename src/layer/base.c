/* SPDX-License-Identifier: Apache-2.0 */
/* Records of base versions: reading those of a chain. */
#include "layer/base.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/path.h"
#include "base/scope.h"
#include "layer/base_disk.h"
#include "layer/record.h"

/* The texts are those of D. */
static struct base from_disk(const struct base_disk *d, const char *path, const char *dir)
{
	struct base b = { .path = path,
			  .state = d->state,
			  .whole = d->whole,
			  .who = d->who,
			  .xattrs = d->xattrs,
			  .dir = dir,
			  .blob = d->blob,
			  .sum = "",
			  .promotion = d->promotion };

	b.st.st_mode = d->mode;
	b.st.st_uid = d->uid;
	b.st.st_gid = d->gid;
	b.st.st_dev = d->dev;
	b.st.st_ino = d->ino;
	b.st.st_size = (off_t)d->size;
	b.st.st_mtim = (struct timespec){ d->mtime_s, d->mtime_ns };
	b.st.st_ctim = (struct timespec){ d->ctime_s, d->ctime_ns };
	if (d->blob[0] == BASE_SUM) {
		b.sum = d->blob + 1;
		b.blob = "";
	}
	return b;
}

void base_map_finish(struct base_map *m)
{
	pool_finish(&m->texts);
	free(m->items);
	strlist_finish(&m->dirs);
	*m = (struct base_map){ 0 };
}

/* Whether a record counts at all. */
static bool is_wanted(const struct base_filter *f, const struct base *b)
{
	return b->who == BASE_OF_RUN || !b->promotion[0] || !f || f->counts(f->ctx, b);
}

/* With texts of the map's own. */
static int add_item(struct base_map *m, struct base *b, size_t *cap)
{
	const char *before = m->n ? m->items[m->n - 1].promotion : "";
	int r = memory_check();

	if (r < 0)
		return r;
	if (m->n == *cap) {
		void *grown = realloc(m->items, (*cap ? *cap * 2 : 64) * sizeof(*m->items));

		if (!grown)
			return -ENOMEM;
		m->items = grown;
		*cap = *cap ? *cap * 2 : 64;
	}
	b->path = pool_add(&m->texts, b->path);
	b->blob = b->blob[0] ? pool_add(&m->texts, b->blob) : "";
	b->sum = b->sum[0] ? pool_add(&m->texts, b->sum) : "";
	b->promotion = !strcmp(before, b->promotion)
			       ? before
			       : pool_add(&m->texts, b->promotion); /* one writes many */
	if (!b->path || !b->blob || !b->sum || !b->promotion)
		return -ENOMEM;
	m->items[m->n++] = *b;
	return 0;
}

/* Its path below PREFIX; what is known of the top itself is not of use there. */
static int add_below(struct base_map *m, const char *prefix, struct base *b, size_t *cap)
{
	scoped(drop_mem) char *path = NULL;

	if (!strcmp(b->path, "."))
		return 0;
	path = path_join(prefix, b->path);
	if (!path)
		return -ENOMEM;
	b->path = path;
	return add_item(m, b, cap);
}

/* ALL: also what does not count, and the conditions. */
static int read_records(struct base_map *m, struct record_reader *records, const char *dir,
			const char *prefix, const struct base_filter *filter, bool all, size_t *cap)
{
	bool lacks = false; /* a condition of the next one is not met */
	struct base_disk d;
	const char *path;
	int r = 0;

	while (r == 0 && (path = record_step(records, &d, sizeof(d)))) {
		struct base b;

		d.blob[sizeof(d.blob) - 1] = d.promotion[sizeof(d.promotion) - 1] = '\0';
		b = from_disk(&d, path, dir);
		lacks |= !all && !is_wanted(filter, &b);
		if (b.who == BASE_ALSO && !all)
			continue;
		if (!lacks)
			r = prefix ? add_below(m, prefix, &b, cap) : add_item(m, &b, cap);
		lacks = false;
	}
	return r < 0 ? r : records->failed;
}

/* By path; of one path in the order they were written. */
static int by_path_and_age(const void *a, const void *b)
{
	const struct base *x = a, *y = b;
	int order = strcmp(x->path, y->path);

	if (order != 0)
		return order;
	return x->st.st_nlink < y->st.st_nlink ? -1
					       : x->st.st_nlink > y->st.st_nlink; /* the order of writing */
}

/*
 * Of each path one: the last that a promotion wrote, else the first of a run. Everything below a
 * directory is recorded if it ever was: at first perhaps only something in it was changed, later all of it.
 */
static void choose(struct base_map *m)
{
	size_t kept = 0;

	for (size_t i = 0, end; i < m->n; i = end) {
		const struct base *best = NULL;
		struct base chosen; /* a copy: it may lie where it goes */
		bool whole = false;

		for (end = i; end < m->n && !strcmp(m->items[end].path, m->items[i].path);)
			end++;
		for (size_t k = i; k < end; k++) {
			const struct base *b = &m->items[k];

			if (b->who == BASE_PROMOTED || !best)
				best = b;
			whole |= b->whole;
		}
		chosen = *best;
		chosen.whole = whole;
		m->items[kept++] = chosen;
	}
	m->n = kept;
}

static int read_all(const char *const *dirs, const char *const *prefixes, size_t n,
		    const struct base_filter *filter, bool all, struct base_map *ret, struct aisbx_error *e)
{
	struct base_map m = { 0 };
	size_t cap = 0;
	int r = 0;

	for (size_t i = 0; r == 0 && i < n; i++)
		strlist_add(&m.dirs, dirs[i]);
	if (m.dirs.failed)
		r = -ENOMEM;
	for (size_t i = 0; r == 0 && i < n; i++) {
		scoped(record_close) struct record_reader records = RECORD_READER_INIT;
		scoped(drop_mem) char *path = path_join(dirs[i], "bases");

		r = path ? record_open(AT_FDCWD, path, &records) : -ENOMEM;
		if (r == -ENOENT || r == -ENOTDIR)
			r = 0;
		else if (r == 0)
			r = read_records(&m, &records, m.dirs.items[i], prefixes ? prefixes[i] : NULL, filter,
					 all, &cap);
	}
	if (r < 0)
		base_map_finish(&m);
	if (r == -ENOBUFS)
		return memory_refuse(e, AISBX_AREA_LAYER);
	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_LAYER, -r,
				  "read the base versions of the files that the box changed");
	for (size_t i = 0; i < m.n; i++)
		m.items[i].st.st_nlink = i; /* free in a record */
	if (m.n)
		qsort(m.items, m.n, sizeof(*m.items), by_path_and_age);
	*ret = m;
	return 0;
}

int base_map_read(const char *const *dirs, size_t n, const struct base_filter *filter, struct base_map *ret,
		  struct aisbx_error *e)
{
	return base_map_read_below(dirs, NULL, n, filter, ret, e);
}

int base_map_read_below(const char *const *dirs, const char *const *prefixes, size_t n,
			const struct base_filter *filter, struct base_map *ret, struct aisbx_error *e)
{
	int r = read_all(dirs, prefixes, n, filter, false, ret, e);

	if (r == 0)
		choose(ret);
	return r;
}

int base_history_read(const char *const *dirs, size_t n, struct base_map *ret, struct aisbx_error *e)
{
	return read_all(dirs, NULL, n, NULL, true, ret, e);
}

/* The first that is not before PATH. */
static size_t lower_bound(const struct base_map *m, const char *path)
{
	size_t low = 0, high = m->n;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (strcmp(m->items[middle].path, path) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct base *base_find(const struct base_map *m, const char *path)
{
	size_t at = lower_bound(m, path);

	return at < m->n && !strcmp(m->items[at].path, path) ? &m->items[at] : NULL;
}

size_t base_count_in(const struct base_map *m, const char *dir)
{
	scoped(drop_mem) char *prefix = path_join(dir, "");
	size_t n = prefix ? strlen(prefix) : 0, found = 0;

	for (size_t i = prefix ? lower_bound(m, prefix) : m->n;
	     i < m->n && !strncmp(m->items[i].path, prefix, n); i++)
		found += m->items[i].state != BASE_ABSENT && !strchr(m->items[i].path + n, '/');
	return found;
}
