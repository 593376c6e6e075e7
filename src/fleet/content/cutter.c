/* SPDX-License-Identifier: Apache-2.0 */
/* Cutting by content (base/cut.h): 512 KiB usually; 64 KiB for trees, of which each push has a new one. */
#include "fleet/content/cutter.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "fleet/content/files.h"

#define FILE_BITS 19
#define TREE_BITS 16
#define ROOM      (8u << 20)
/* A change so soon before it was read may be followed by one with the same time: of the kernel's clock. */
#define TICK_NS 100000000ll
#define TRIES   3

_Static_assert(CONTENT_CHUNK_MOST >= (4u << FILE_BITS), "the largest chunk of a file is one");

int content_cutter_init(struct content_cutter *ret, struct content_sender *s, struct aisbx_error *e)
{
	*ret = (struct content_cutter){ .sender = s, .room = malloc(ROOM) };
	cut_init_usual(&ret->cut, FILE_BITS);
	cut_init_usual(&ret->tree_cut, TREE_BITS);
	return ret->room ? 0 : aisbx_fail(e, AISBX_AREA_LAYER, ENOMEM, "cut files");
}

void content_cutter_finish(struct content_cutter *c)
{
	free(c->room);
	c->room = NULL;
}

static int fail(const struct content_entry *n, int err, struct aisbx_error *e)
{
	return aisbx_fail(e, AISBX_AREA_LAYER, err, "read '%.300s'", n->path);
}

static int add_chunk(struct content_cutter *c, struct content_entry *n, const uint8_t *data, size_t len,
		     struct aisbx_error *e)
{
	struct content_ref ref;
	int r = content_sender_add(c->sender, data, len, &ref, e);

	if (r < 0)
		return r;
	return content_entry_add_ref(n, &ref) < 0 ? fail(n, ENOMEM, e) : 0;
}

static int add_hole(struct content_entry *n, uint64_t len, struct aisbx_error *e)
{
	while (len) {
		struct content_ref ref = { .len = len < CONTENT_HOLE_MOST ? (uint32_t)len
									  : CONTENT_HOLE_MOST };

		if (content_entry_add_ref(n, &ref) < 0)
			return fail(n, ENOMEM, e);
		len -= ref.len;
	}
	return 0;
}

/* Up to LEN bytes from AT on; fewer at the end of the file only. */
static ssize_t fill(int fd, uint8_t *room, size_t len, uint64_t at)
{
	size_t got = 0;

	while (got < len) {
		ssize_t n = pread(fd, room + got, len - got, (off_t)(at + got));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		got += (size_t)n;
	}
	return (ssize_t)got;
}

/* The bytes from AT to END, cut by content. What is missing because the file became shorter is left out. */
static int cut_range(struct content_cutter *c, int fd, struct content_entry *n, uint64_t at, uint64_t end,
		     struct aisbx_error *e)
{
	size_t have = 0, done = 0;
	bool is_end = false;

	while (!is_end || done < have) {
		size_t len;
		int r;

		if (!is_end && have - done < c->cut.most) {
			ssize_t got;
			size_t want;

			memmove(c->room, c->room + done, have - done);
			have -= done;
			done = 0;
			want = end - at < ROOM - have ? (size_t)(end - at) : ROOM - have;
			got = fill(fd, c->room + have, want, at);
			if (got < 0)
				return fail(n, (int)-got, e);
			have += (size_t)got;
			at += (uint64_t)got;
			c->read += (uint64_t)got;
			is_end = (size_t)got < want || at == end;
			if (!have)
				break;
		}
		len = cut_find(&c->cut, c->room + done, have - done);
		r = add_chunk(c, n, c->room + done, len, e);
		if (r < 0)
			return r;
		done += len;
	}
	return 0;
}

static int cut_large(struct content_cutter *c, int fd, struct content_entry *n, uint64_t size,
		     struct aisbx_error *e)
{
	for (uint64_t at = 0; at < size;) {
		off_t data = lseek(fd, (off_t)at, SEEK_DATA), hole;
		uint64_t before = n->size;
		int r;

		if (data < 0 && errno == ENXIO) /* nothing but a hole is left */
			return add_hole(n, size - at, e);
		if (data < 0)
			return fail(n, errno, e);
		r = add_hole(n, (uint64_t)data - at, e);
		if (r < 0)
			return r;
		hole = lseek(fd, data, SEEK_HOLE);
		if (hole < 0 || (uint64_t)hole > size)
			hole = (off_t)size;
		r = cut_range(c, fd, n, (uint64_t)data, (uint64_t)hole, e);
		if (r < 0)
			return r;
		if (n->size - before < (uint64_t)hole - at) /* it has become shorter */
			return 0;
		at = (uint64_t)hole;
	}
	return 0;
}

static int cut_once(struct content_cutter *c, int fd, struct content_entry *n, uint64_t size,
		    struct aisbx_error *e)
{
	ssize_t got;

	n->n_refs = 0;
	n->size = 0;
	free(n->refs);
	n->refs = NULL;
	if (size >= CONTENT_WHOLE)
		return cut_large(c, fd, n, size, e);
	got = fill(fd, c->room, (size_t)size, 0);
	if (got < 0)
		return fail(n, (int)-got, e);
	c->read += (uint64_t)got;
	return got ? add_chunk(c, n, c->room, (size_t)got, e) : 0;
}

int content_cut_file(struct content_cutter *c, int fd, struct content_entry *n, bool *ret_is_sure,
		     struct aisbx_error *e)
{
	bool is_sure = false;

	for (int i = 0; i < TRIES && !is_sure; i++) {
		struct content_stamp before, after;
		struct timespec now;
		struct stat st;
		int r;

		clock_gettime(CLOCK_REALTIME, &now);
		if (fstat(fd, &st) < 0)
			return fail(n, errno, e);
		content_stamp_of(&st, &before);
		r = cut_once(c, fd, n, before.size, e);
		if (r < 0)
			return r;
		if (fstat(fd, &st) < 0)
			return fail(n, errno, e);
		content_stamp_of(&st, &after);
		is_sure = content_stamp_is_same(&before, &after);
		if (is_sure && before.ctime + TICK_NS > (int64_t)now.tv_sec * 1000000000ll + now.tv_nsec) {
			*ret_is_sure = false; /* good as it is, but not to be remembered */
			return 0;
		}
	}
	*ret_is_sure = is_sure;
	return 0;
}

int content_cut_tree(struct content_cutter *c, const void *data, size_t len, struct content_root *ret,
		     struct aisbx_error *e)
{
	const uint8_t *at = data;

	while (len) {
		size_t n = cut_find(&c->tree_cut, at, len);
		struct content_ref ref;
		int r = content_sender_add(c->sender, at, n, &ref, e);

		if (r < 0)
			return r;
		r = content_root_add_ref(ret, &ref);
		if (r < 0)
			return aisbx_fail(e, AISBX_AREA_LAYER, -r, "store the tree");
		at += n;
		len -= n;
	}
	return 0;
}
