/* SPDX-License-Identifier: Apache-2.0 */
/* Counts blocks of every file once, and remembers those files that have several names. */
#include "layer/disk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/scope.h"
#include "layer/usage.h"

/* A file with several names, by open addressing. */
struct linked {
	ino_t ino;    /* 0: an empty place */
	size_t first; /* the layer that had it first */
	bool others;
};

struct measure {
	struct layer_disk *layers; /* borrowed */
	size_t now;                /* the layer that is being counted */
	struct linked *places;     /* owned */
	size_t n, cap;
	uint64_t once;
};

static struct linked *place_of(struct linked *places, size_t cap, ino_t ino)
{
	size_t i = (size_t)((uint64_t)ino * 0x9e3779b97f4a7c15ull >> 20) & (cap - 1);

	while (places[i].ino && places[i].ino != ino)
		i = (i + 1) & (cap - 1);
	return &places[i];
}

static int grow(struct measure *m)
{
	size_t cap = m->cap ? m->cap * 2 : 256;
	struct linked *places = calloc(cap, sizeof(*places));

	if (!places)
		return -ENOMEM;
	for (size_t i = 0; i < m->cap; i++)
		if (m->places[i].ino)
			*place_of(places, cap, m->places[i].ino) = m->places[i];
	free(m->places);
	m->places = places;
	m->cap = cap;
	return 0;
}

static int count(void *ctx, const struct stat *st)
{
	struct measure *m = ctx;
	uint64_t bytes = (uint64_t)st->st_blocks * 512;
	struct linked *l;

	if (S_ISDIR(st->st_mode) || st->st_nlink < 2) {
		m->layers[m->now].own += bytes;
		return 0;
	}
	if (m->n * 2 >= m->cap && grow(m) < 0)
		return -ENOMEM;
	l = place_of(m->places, m->cap, st->st_ino);
	if (!l->ino) {
		*l = (struct linked){ st->st_ino, m->now, false };
		m->n++;
		m->layers[m->now].own += bytes;
		return 0;
	}
	if (!l->others) {
		m->layers[l->first].own -= bytes;
		m->layers[l->first].shared += bytes;
		m->once += bytes;
		l->others = true;
	}
	m->layers[m->now].shared += bytes;
	return 0;
}

int layer_disk_measure(const char *dir, const char *const *ids, size_t n, struct layer_disk *ret,
		       uint64_t *ret_once, struct aisbx_error *e)
{
	scoped(drop_fd) int layers = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct measure m = { .layers = ret };
	const struct usage_how how = { .own = true, .most = USAGE_ALL, .each = count, .ctx = &m };
	int r = layers < 0 ? -errno : 0;

	for (size_t i = 0; i < n; i++)
		ret[i] = (struct layer_disk){ 0 };
	for (; r == 0 && m.now < n; m.now++) {
		scoped(drop_fd) int fd =
			openat(layers, ids[m.now], O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		struct usage ignored;

		if (fd < 0 && errno == ENOENT)
			continue;
		r = fd < 0 ? -errno : usage_count(fd, &how, &ignored);
		if (r == -ELOOP) /* deeper than anybody counts: what was counted is told */
			r = 0;
	}
	free(m.places);
	*ret_once = m.once;
	return r < 0 ? aisbx_fail(e, AISBX_AREA_LAYER, -r, "measure layers") : 0;
}
