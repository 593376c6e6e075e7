/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The request "chunk": blobs become chunks. A blob stays as it is until its index is on the disk, and its
 * bytes are checked on the way, so it can be stopped anywhere.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cut.h"
#include "base/error.h"
#include "base/io.h"
#include "base/scope.h"
#include "helpers/image/chunks.h"
#include "helpers/image/hash.h"
#include "helpers/image/verbs.h"
#include "image/wire.h"

#define LEAST (32u << 10) /* smaller blobs stay files */

struct chunking {
	struct blobs blobs;
	uint64_t whole, stored; /* bytes of blobs, and what they take more than before */
	size_t done;
};

/* One blob on its way. */
struct source {
	const char *digest; /* borrowed */
	int fd;
	uint64_t size;
	uint8_t *data;  /* owned; room for CHUNK_MOST */
	size_t at, end; /* what is not cut yet */
	bool is_end;    /* the file has no more */
	void *hash;     /* owned */
	struct cut cut;
};

static void source_finish(struct source *s)
{
	close_fd(&s->fd);
	free(s->data);
	hash_destroy(s->hash);
}

static int fill(struct source *s, struct aisbx_error *e)
{
	memmove(s->data, s->data + s->at, s->end - s->at);
	s->end -= s->at;
	s->at = 0;
	while (!s->is_end && s->end < CHUNK_MOST) {
		ssize_t n = read(s->fd, s->data + s->end, CHUNK_MOST - s->end);

		if (n < 0 && errno != EINTR)
			return aisbx_fail(e, AISBX_AREA_BOX, errno, "read the blob %s", s->digest);
		s->is_end = n == 0;
		if (n > 0) {
			hash_add(s->hash, s->data + s->end, (size_t)n);
			s->end += (size_t)n;
		}
	}
	return 0;
}

/*
 * 0: it can become chunks. 1: it stays a file, because it is small, or one compressed stream: from the first
 * difference on, nothing in such a stream is equal to another.
 */
static int source_open(const struct blobs *b, const char *digest, struct source *s, struct aisbx_error *e)
{
	static const uint8_t gzip[] = { 0x1f, 0x8b }, zstd[] = { 0x28, 0xb5, 0x2f, 0xfd };
	bool packed;
	struct stat st;
	int r;

	s->digest = digest;
	s->fd = openat(b->dir, digest_hex(digest), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (s->fd < 0 && errno == ENOENT)
		return 1; /* it was not kept, or is chunks already */
	if (s->fd < 0 || fstat(s->fd, &st) < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, errno, "open the blob %s", digest);
	if (!S_ISREG(st.st_mode) || st.st_size < LEAST)
		return 1;
	s->size = (uint64_t)st.st_size;
	s->data = malloc(CHUNK_MOST);
	s->hash = hash_create();
	if (!s->data || !s->hash)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "read the blob %s", digest);
	r = fill(s, e);
	if (r < 0)
		return r;
	packed = !memcmp(s->data, gzip, sizeof(gzip)) || !memcmp(s->data, zstd, sizeof(zstd));
	cut_init(&s->cut, packed);
	return packed && cut_first_part(s->data, s->end) == s->end ? 1 : 0;
}

/* It replaces one that is damaged. */
static int write_index(const struct chunk_adder *a, const char *digest, const struct chunk_index *i,
		       struct aisbx_error *e)
{
	const struct blobs *b = a->blobs;
	scoped(buf_finish) struct buf text = { 0 };
	scoped(drop_fd) int fd = -1;
	char name[CHUNK_TMP_NAME];
	int r = chunk_index_write(i, &text);

	snprintf(name, sizeof(name), "%sindex", a->prefix);
	if (r == 0) {
		fd = openat(b->tmp, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444);
		r = fd < 0 ? -errno : io_write_all(fd, text.data, text.len);
	}
	if (r == 0 && (fsync(fd) < 0 || renameat(b->tmp, name, b->indexes, digest_hex(digest)) < 0 ||
		       fsync(b->indexes) < 0))
		r = -errno;
	if (r < 0 && fd >= 0)
		unlinkat(b->tmp, name, 0);
	return r < 0 ? aisbx_fail(e, AISBX_AREA_BOX, -r, "write the index of the blob %s", digest) : 0;
}

static int cut_all(struct source *s, struct chunk_adder *a, struct chunk_index *i, struct aisbx_error *e)
{
	int r = 0;

	while (r == 0 && s->at < s->end) {
		size_t n = cut_find(&s->cut, s->data + s->at, s->end - s->at);
		struct chunk_ref ref;

		r = chunk_add(a, s->data + s->at, n, &ref, e);
		if (r == 0 && (r = chunk_index_add(i, &ref)) < 0)
			r = aisbx_fail(e, AISBX_AREA_BOX, -r, "cut the blob %s", s->digest);
		s->at += n;
		if (r == 0 && !s->is_end && s->end - s->at < s->cut.most)
			r = fill(s, e);
		tell_progress("chunk", s->digest, i->size, s->size);
	}
	return r;
}

static int chunk_one(struct chunking *c, const char *digest, struct aisbx_error *e)
{
	scoped(source_finish) struct source s = { .fd = -1 };
	scoped(chunk_adder_finish) struct chunk_adder a = { 0 };
	scoped(chunk_index_finish) struct chunk_index i = { 0 };
	char found[DIGEST_CAP];
	int r = source_open(&c->blobs, digest, &s, e);

	if (r)
		return r < 0 ? r : 0;
	r = chunk_adder_begin(&c->blobs, &a, e);
	if (r == 0)
		r = cut_all(&s, &a, &i, e);
	if (r < 0)
		return r;
	hash_end(s.hash, found);
	if (strcmp(found, digest) != 0)
		return aisbx_refuse(e, AISBX_KIND_CONFLICT, AISBX_AREA_BOX, EBADMSG,
				    "the blob %s has other content than its name says (it is %s)", digest,
				    found);
	r = chunk_adder_end(&a, e);
	if (r == 0)
		r = write_index(&a, digest, &i, e);
	if (r == 0 && unlinkat(c->blobs.dir, digest_hex(digest), 0) < 0)
		r = aisbx_fail(e, AISBX_AREA_BOX, errno, "remove the blob %s", digest);
	c->whole += i.size;
	c->stored += a.stored;
	c->done += r == 0;
	return r;
}

/* As long as it works, gc removes no chunk that it found there: aisbx holds this lock, too, but may be
 * killed.
 */
static int keep_chunks(const struct blobs *b, struct aisbx_error *e)
{
	scoped(drop_fd) int images = openat(b->tmp, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (images < 0 || flock(images, LOCK_SH) < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, errno, "lock the directory of images");
	return take_fd(&images);
}

int verb_chunk(const json_t *request, json_t **ret_ok, struct aisbx_error *e)
{
	const char *dir = json_string_value(json_object_get(request, "blobs"));
	const json_t *digests = json_object_get(request, "digests"), *item;
	struct chunking c = { .blobs = BLOBS_INIT };
	scoped(drop_fd) int lock = -1;
	size_t k;
	int r;

	if (!dir || !json_is_array(digests) || json_array_size(digests) > IMAGE_MAX_LAYERS)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "a request for chunks needs blobs and digests");
	r = blobs_open(dir, 0, &c.blobs, e);
	if (r == 0) {
		lock = keep_chunks(&c.blobs, e);
		r = lock < 0 ? lock : 0;
	}
	if (r == 0)
		r = blobs_make_chunks(dir, &c.blobs, e);
	if (r == 0)
		r = blobs_confine(dir, e);
	json_array_foreach(digests, k, item)
	{
		if (r == 0 && !digest_is_sha256(json_string_value(item)))
			r = aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
					 "a request for chunks has an invalid digest");
		if (r == 0)
			r = chunk_one(&c, json_string_value(item), e);
	}
	blobs_close(&c.blobs);
	if (r < 0)
		return r;
	*ret_ok = json_pack("{s:I,s:I,s:I}", "blobs", (json_int_t)c.done, "bytes", (json_int_t)c.whole,
			    "stored", (json_int_t)c.stored);
	return *ret_ok ? 0 : aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "store chunks");
}
