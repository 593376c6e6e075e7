/* SPDX-License-Identifier: Apache-2.0 */
/* Which chunks are needed: those that an index names. */
#include "box/image_chunks.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/dir.h"
#include "base/error.h"
#include "base/log.h"
#include "base/scope.h"
#include "image/chunk_index.h"
#include "image/helper.h"

#define CHUNKS  "chunks"
#define INDEXES "indexes"

void image_chunks_make(struct images *i, const struct image_layers *l, images_progress_fn *progress,
		       void *ctx)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	json_t *digests = json_array();
	json_auto_t *request = NULL;
	json_auto_t *ok = NULL;

	for (size_t k = 0; k < l->n; k++)
		json_array_append_new(digests, json_string(l->items[k].digest));
	request = json_pack("{s:s, s:s, s:o}", "do", "chunk", "blobs", i->blobs, "digests", digests);
	if (request && image_ask(request, progress, ctx, &ok, &e) < 0)
		log_debug("blobs stay files: %s", e.text);
}

bool image_chunks_has(int images, const char *hex)
{
	char path[256];

	snprintf(path, sizeof(path), INDEXES "/%.200s", hex);
	return faccessat(images, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

void image_chunks_forget(int images, const char *hex)
{
	char path[256];

	snprintf(path, sizeof(path), INDEXES "/%.200s", hex);
	unlinkat(images, path, 0);
}

/* Names of chunks. */
struct names {
	uint8_t (*ids)[CHUNK_ID_BYTES]; /* owned */
	size_t n, room;
};

static void names_finish(struct names *s)
{
	free(s->ids);
}

static int add_all(struct names *s, const struct chunk_index *i)
{
	if (s->room - s->n < i->n) {
		size_t room = 2 * s->room + i->n;
		void *ids = reallocarray(s->ids, room, sizeof(*s->ids));

		if (!ids)
			return -ENOMEM;
		s->ids = ids;
		s->room = room;
	}
	for (size_t k = 0; k < i->n; k++)
		memcpy(s->ids[s->n++], i->refs[k].id, CHUNK_ID_BYTES);
	return 0;
}

static int by_id(const void *a, const void *b)
{
	return memcmp(a, b, CHUNK_ID_BYTES);
}

static DIR *open_at(int at, const char *name, int *ret_r)
{
	int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	return dir_take(fd < 0 ? -errno : fd, ret_r);
}

/* What the indexes that KEEP accepts (NULL: all) name, sorted. */
static int collect(int images, bool (*keep)(void *ctx, const char *hex), void *ctx, struct names *ret,
		   uint64_t *whole, size_t *unreadable)
{
	int r = 0;
	scoped(drop_dir) DIR *d = open_at(images, INDEXES, &r);
	const struct dirent *entry;

	if (!d)
		return r == -ENOENT ? 0 : r;
	while (r == 0 && (entry = dir_next(d, &r))) {
		scoped(chunk_index_finish) struct chunk_index i = { 0 };
		int bad = chunk_index_load(dirfd(d), entry->d_name, &i);

		if (bad == -ENOMEM)
			return bad;
		*unreadable += bad < 0;
		*whole += i.size;
		if (bad == 0 && (!keep || keep(ctx, entry->d_name)))
			r = add_all(ret, &i);
	}
	if (r == 0 && ret->n)
		qsort(ret->ids, ret->n, sizeof(*ret->ids), by_id);
	return r;
}

static bool from_hex(const char *hex, size_t n, uint8_t *ret)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < n; i++) {
		const char *high = hex[2 * i] ? strchr(digits, hex[2 * i]) : NULL;
		const char *low = high && hex[2 * i + 1] ? strchr(digits, hex[2 * i + 1]) : NULL;

		if (!low)
			return false;
		ret[i] = (uint8_t)((high - digits) << 4 | (low - digits));
	}
	return hex[2 * n] == '\0';
}

/* What is called something else is no chunk, and is not needed. */
static bool is_named(const struct names *s, const char *dir, const char *name)
{
	uint8_t id[CHUNK_ID_BYTES];

	return s->n && from_hex(dir, 1, id) && from_hex(name, CHUNK_ID_BYTES - 1, id + 1) &&
	       bsearch(id, s->ids, s->n, sizeof(*s->ids), by_id);
}

/* Every chunk in turn. */
static int each(int images, const struct names *needed,
		int (*act)(void *ctx, int dir, const char *name, bool is_needed), void *ctx)
{
	int r = 0;
	scoped(drop_dir) DIR *all = open_at(images, CHUNKS, &r);
	const struct dirent *entry, *one;

	if (!all)
		return r == -ENOENT ? 0 : r;
	while (r == 0 && (entry = dir_next(all, &r))) {
		scoped(drop_dir) DIR *d = open_at(dirfd(all), entry->d_name, &r);

		while (d && r == 0 && (one = dir_next(d, &r)))
			r = act(ctx, dirfd(d), one->d_name, is_named(needed, entry->d_name, one->d_name));
	}
	return r;
}

static int remove_unneeded(void *ctx, int dir, const char *name, bool is_needed)
{
	(void)ctx;
	return is_needed || unlinkat(dir, name, 0) == 0 || errno == ENOENT ? 0 : -errno;
}

int image_chunks_sweep(int images, size_t *unreadable, struct aisbx_error *e)
{
	scoped(names_finish) struct names needed = { 0 };
	uint64_t whole = 0;
	size_t bad = 0;
	int r = collect(images, NULL, NULL, &needed, &whole, &bad);

	*unreadable += bad;
	if (r == 0 && !bad)
		r = each(images, &needed, remove_unneeded, NULL);
	return r < 0 ? aisbx_fail(e, AISBX_AREA_BOX, -r, "remove chunks of images") : 0;
}

static int add_size(void *ctx, int dir, const char *name, bool is_needed)
{
	struct image_chunks_sizes *s = ctx;
	struct stat st;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return 0;
	s->disk += (uint64_t)st.st_blocks * 512;
	s->unneeded += is_needed ? 0 : (uint64_t)st.st_blocks * 512;
	return 0;
}

int image_chunks_measure(int images, bool (*keep)(void *ctx, const char *hex), void *ctx,
			 struct image_chunks_sizes *ret, struct aisbx_error *e)
{
	scoped(names_finish) struct names needed = { 0 };
	size_t unreadable = 0;
	int r;

	*ret = (struct image_chunks_sizes){ 0 };
	r = collect(images, keep, ctx, &needed, &ret->whole, &unreadable);
	if (r == 0)
		r = each(images, &needed, add_size, ret);
	if (unreadable)
		ret->unneeded = 0; /* gc removes none then */
	return r < 0 ? aisbx_fail(e, AISBX_AREA_BOX, -r, "measure chunks of images") : 0;
}
