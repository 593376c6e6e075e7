/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing a blob: a temporary file with a lock, hashed on the way, that gets its name when all of it is on
 * disk and is what it should be. A file whose name is known before can be continued by a later attempt.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/io.h"
#include "base/scope.h"
#include "helpers/image/blobs.h"
#include "helpers/image/hash.h"

#define TRIES 100

static int fail(struct blob_writer *w, int err, struct aisbx_error *e)
{
	return aisbx_fail(e, AISBX_AREA_BOX, err, "write the blob %s",
			  *w->expected ? w->expected : "of an image");
}

/* The file of that name is still the one that we have locked: nobody gave it its final name, nobody swept. */
static bool is_ours(const struct blob_writer *w)
{
	struct stat ours, there;

	return fstat(w->fd, &ours) == 0 &&
	       fstatat(w->blobs->tmp, w->name, &there, AT_SYMLINK_NOFOLLOW) == 0 &&
	       ours.st_ino == there.st_ino && ours.st_dev == there.st_dev;
}

/* Opens and locks NAME in tmp. 1: somebody else has it. */
static int try_file(struct blob_writer *w, int flags)
{
	for (int i = 0; i < TRIES; i++) {
		close_fd(&w->fd);
		w->fd = openat(w->blobs->tmp, w->name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | flags,
			       0600);
		if (w->fd < 0)
			return -errno;
		if (flock(w->fd, LOCK_EX | LOCK_NB) < 0)
			return errno == EWOULDBLOCK ? 1 : -errno;
		if (is_ours(w))
			return 0;
	}
	return -EBUSY;
}

static int open_file(struct blob_writer *w, bool resume)
{
	uint64_t word;
	int r = 1;

	if (resume && *w->expected) {
		snprintf(w->name, sizeof(w->name), "%s.part", digest_hex(w->expected));
		r = try_file(w, 0);
		if (r == -EACCES) /* for who is not root: somebody else has just ended it, which makes it
				     read-only */
			r = 1;
	}
	for (int i = 0; (r == 1 || r == -EEXIST) && i < TRIES; i++) {
		if (getrandom(&word, sizeof(word), 0) != sizeof(word))
			return -errno;
		snprintf(w->name, sizeof(w->name), "blob-%016llx", (unsigned long long)word);
		r = try_file(w, O_EXCL);
	}
	return r == 1 ? -EBUSY : r;
}

/* Hashes what an earlier attempt left and goes to its end. */
static int take_up(struct blob_writer *w, struct aisbx_error *e)
{
	char chunk[65536];
	ssize_t n;

	while ((n = read(w->fd, chunk, sizeof(chunk))) != 0) {
		if (n < 0 && errno != EINTR)
			return fail(w, errno, e);
		if (n > 0)
			hash_add(w->hash, chunk, (size_t)n);
		w->size += n > 0 ? (uint64_t)n : 0;
	}
	return w->size > w->most ? blob_restart(w, e) : 0;
}

int blob_begin(struct blobs *b, const char *digest, uint64_t size, bool resume, struct blob_writer *ret,
	       struct aisbx_error *e)
{
	scoped(blob_drop) struct blob_writer w = { .blobs = b, .fd = -1, .most = size };
	int r;

	if (digest && !digest_is_sha256(digest))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EINVAL,
				    "'%.100s' is no sha256 digest", digest);
	if (digest)
		memcpy(w.expected, digest, DIGEST_CAP);
	w.hash = hash_create();
	if (!w.hash)
		return fail(&w, ENOMEM, e);
	r = open_file(&w, resume);
	if (r < 0) {
		*w.name = '\0'; /* not ours */
		return fail(&w, -r, e);
	}
	r = take_up(&w, e);
	if (r < 0)
		return r;
	*ret = w;
	w = (struct blob_writer)BLOB_WRITER_INIT;
	return 0;
}

static int check_room(const struct blob_writer *w, size_t len, struct aisbx_error *e)
{
	if (w->most != UINT64_MAX && (w->size > w->most || len > w->most - w->size))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EBADMSG,
				    "the blob %s has more than the %llu bytes that are said of it",
				    w->expected, (unsigned long long)w->most);
	if (w->blobs->max_bytes && (w->blobs->written > w->blobs->max_bytes ||
				    w->size + len > w->blobs->max_bytes - w->blobs->written))
		return aisbx_refuse(e, AISBX_KIND_LIMIT, AISBX_AREA_BOX, EFBIG,
				    "the image has more than the %llu bytes that are allowed",
				    (unsigned long long)w->blobs->max_bytes);
	return 0;
}

int blob_write(struct blob_writer *w, const void *data, size_t len, struct aisbx_error *e)
{
	int r = check_room(w, len, e);

	if (r < 0)
		return r;
	r = io_write_all(w->fd, data, len);
	if (r < 0)
		return fail(w, -r, e);
	hash_add(w->hash, data, len);
	w->size += len;
	return 0;
}

int blob_restart(struct blob_writer *w, struct aisbx_error *e)
{
	if (ftruncate(w->fd, 0) < 0 || lseek(w->fd, 0, SEEK_SET) < 0)
		return fail(w, errno, e);
	hash_restart(w->hash);
	w->size = 0;
	return 0;
}

static int check_end(struct blob_writer *w, char digest[DIGEST_CAP], struct aisbx_error *e)
{
	hash_end(w->hash, digest);
	if (w->most != UINT64_MAX && w->size != w->most)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EBADMSG,
				    "the blob %s has %llu bytes, not those %llu that are said of it",
				    *w->expected ? w->expected : digest, (unsigned long long)w->size,
				    (unsigned long long)w->most);
	if (*w->expected && strcmp(w->expected, digest) != 0)
		return aisbx_refuse(
			e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EBADMSG,
			"the blob %s has other content than its digest says (it is %s): it is not taken",
			w->expected, digest);
	return 0;
}

int blob_end(struct blob_writer *w, char ret_digest[DIGEST_CAP], struct aisbx_error *e)
{
	char digest[DIGEST_CAP];
	int r = check_end(w, digest, e);

	if (r == 0 && (fchmod(w->fd, 0444) < 0 || fsync(w->fd) < 0 ||
		       renameat(w->blobs->tmp, w->name, w->blobs->dir, digest_hex(digest)) < 0))
		r = fail(w, errno, e);
	if (r == 0) {
		*w->name = '\0'; /* it has another one now */
		w->blobs->written += w->size;
		if (fsync(w->blobs->dir) < 0)
			r = fail(w, errno, e);
	}
	if (r == 0 && ret_digest)
		memcpy(ret_digest, digest, DIGEST_CAP);
	blob_abort(w, false);
	return r;
}

void blob_abort(struct blob_writer *w, bool keep)
{
	if (*w->name && !keep)
		unlinkat(w->blobs->tmp, w->name, 0);
	close_fd(&w->fd);
	hash_destroy(w->hash);
	*w = (struct blob_writer)BLOB_WRITER_INIT;
}

int blobs_add(struct blobs *b, const void *data, size_t len, char ret_digest[DIGEST_CAP],
	      struct aisbx_error *e)
{
	scoped(blob_drop) struct blob_writer w = BLOB_WRITER_INIT;
	char digest[DIGEST_CAP];
	int r;

	digest_of(data, len, digest);
	memcpy(ret_digest, digest, DIGEST_CAP);
	if (blobs_is_good(b, digest, len))
		return 0;
	r = blob_begin(b, digest, len, false, &w, e);
	if (r == 0)
		r = blob_write(&w, data, len, e);
	return r == 0 ? blob_end(&w, NULL, e) : r;
}
