/* SPDX-License-Identifier: Apache-2.0 */
/* The directory of blobs: its places, and reading what is there. Writing is in blob_writer.c. */
#include "helpers/image/blobs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/io.h"
#include "base/scope.h"
#include "base/str.h"
#include "helpers/image/chunks.h"
#include "helpers/image/hash.h"
#include "image/wire.h"
#include "sys/confine.h"

#define CHUNKS  "chunks"
#define INDEXES "indexes"

/* Opens a directory of ours and makes it where it is missing. */
static int open_place(int at, const char *path, int *ret_fd, struct aisbx_error *e)
{
	int fd;

	if (mkdirat(at, path, 0700) < 0 && errno != EEXIST)
		return aisbx_fail(e, AISBX_AREA_BOX, errno, "create '%s' for images", path);
	fd = openat(at, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, errno, "open '%s' for images", path);
	*ret_fd = fd;
	return 0;
}

int blobs_open(const char *dir, uint64_t max_bytes, struct blobs *ret, struct aisbx_error *e)
{
	scoped(blobs_close) struct blobs b = BLOBS_INIT;
	scoped(drop_fd) int top = -1;
	int r = open_place(AT_FDCWD, dir, &top, e);

	if (r == 0)
		r = open_place(top, "sha256", &b.dir, e);
	if (r == 0)
		r = open_place(top, "../tmp", &b.tmp, e);
	if (r < 0)
		return r;
	b.chunks = openat(top, "../" CHUNKS, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	b.indexes = openat(top, "../" INDEXES, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	b.max_bytes = max_bytes;
	*ret = b;
	b = (struct blobs)BLOBS_INIT;
	return 0;
}

void blobs_close(struct blobs *b)
{
	close_fd(&b->dir);
	close_fd(&b->tmp);
	close_fd(&b->chunks);
	close_fd(&b->indexes);
}

int blobs_make_chunks(const char *dir, struct blobs *b, struct aisbx_error *e)
{
	scoped(drop_fd) int top = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int r = top < 0 ? aisbx_fail(e, AISBX_AREA_BOX, errno, "open '%s'", dir) : 0;

	if (r == 0 && b->chunks < 0)
		r = open_place(top, "../" CHUNKS, &b->chunks, e);
	if (r == 0 && b->indexes < 0)
		r = open_place(top, "../" INDEXES, &b->indexes, e);
	for (unsigned int i = 0; r == 0 && i < 256; i++) { /* a confined process makes no directories */
		char name[3];

		snprintf(name, sizeof(name), "%02x", i);
		if (mkdirat(b->chunks, name, 0700) < 0 && errno != EEXIST)
			r = aisbx_fail(e, AISBX_AREA_BOX, errno, "create '%s/" CHUNKS "/%s'", dir, name);
	}
	return r;
}

char *blobs_tmp_path(const char *dir, struct aisbx_error *e)
{
	char *path = NULL;

	if (asprintf(&path, "%s/../tmp", dir) >= 0)
		return path;
	aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "open '%s'", dir);
	return NULL;
}

int blobs_confine(const char *dir, struct aisbx_error *e)
{
	static const char *const beside[] = { "tmp", CHUNKS, INDEXES };
	scoped(strlist_finish) struct strlist writable = { 0 };
	const char *without = getenv("AISBX_WITHOUT");
	int r;

	strlist_add(&writable, dir);
	for (size_t i = 0; i < sizeof(beside) / sizeof(*beside); i++) {
		scoped(drop_mem) char *path = NULL;

		if (asprintf(&path, "%s/../%s", dir, beside[i]) < 0)
			path = NULL;
		if (!path || access(path, F_OK) == 0)
			strlist_add(&writable, path ? path : "");
		writable.failed |= !path;
	}
	if (writable.failed)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "confine %s", IMAGE_HELPER);
	r = confine_self((const char *const *)writable.items, e);
	return r < 0 && without && !strcmp(without, "landlock") ? 0 : r;
}

bool blobs_has(const struct blobs *b, const char *digest, uint64_t *ret_size)
{
	struct stat st;

	if (!digest_is_sha256(digest))
		return false;
	if (fstatat(b->dir, digest_hex(digest), &st, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT && chunks_has(b, digest, ret_size);
	if (!S_ISREG(st.st_mode))
		return false;
	if (ret_size)
		*ret_size = (uint64_t)st.st_size;
	return true;
}

/* From the start; leaves FD there. */
static int check_content(int fd, const char *digest, struct aisbx_error *e)
{
	char found[DIGEST_CAP];
	int r = hash_fd(fd, found, NULL, e);

	if (r < 0)
		return r;
	if (strcmp(found, digest) != 0)
		return aisbx_refuse(
			e, AISBX_KIND_CONFLICT, AISBX_AREA_BOX, EBADMSG,
			"the blob %s has other content than its name says (it is %s); it was changed "
			"on disk: remove it and fetch the image again",
			digest, found);
	return lseek(fd, 0, SEEK_SET) < 0 ? aisbx_fail(e, AISBX_AREA_BOX, errno, "read %s", digest) : 0;
}

int blobs_open_blob(const struct blobs *b, const char *digest, uint64_t size, bool check, int *ret_fd,
		    uint64_t *ret_size, struct aisbx_error *e)
{
	scoped(drop_fd) int fd = -1;
	struct stat st;
	int r;

	if (!digest_is_sha256(digest))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EINVAL,
				    "'%.100s' is no sha256 digest", digest ? digest : "");
	fd = openat(b->dir, digest_hex(digest), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	r = fd < 0 && errno == ENOENT ? chunks_assemble(b, digest, &fd, e) : 0;
	if (r < 0 && r != -ENOENT)
		return r;
	if (r == -ENOENT)
		return aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_BOX, ENOENT, "the blob %s is missing",
				    digest);
	if (fd < 0 || fstat(fd, &st) < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, errno, "open the blob %s", digest);
	if (!S_ISREG(st.st_mode) || (size != UINT64_MAX && (uint64_t)st.st_size != size))
		return aisbx_refuse(e, AISBX_KIND_CONFLICT, AISBX_AREA_BOX, EBADMSG,
				    "the blob %s has %lld bytes, not those %llu that are said of it", digest,
				    (long long)st.st_size, (unsigned long long)size);
	r = check ? check_content(fd, digest, e) : 0;
	if (r < 0)
		return r;
	if (ret_size)
		*ret_size = (uint64_t)st.st_size;
	*ret_fd = take_fd(&fd);
	return 0;
}

bool blobs_is_good(const struct blobs *b, const char *digest, uint64_t size)
{
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	scoped(drop_fd) int fd = -1;

	return blobs_open_blob(b, digest, size, true, &fd, NULL, &ignored) == 0;
}

int blobs_read(const struct blobs *b, const char *digest, struct buf *ret, struct aisbx_error *e)
{
	scoped(drop_fd) int fd = -1;
	scoped(buf_finish) struct buf text = { 0 };
	char found[DIGEST_CAP];
	uint64_t size;
	int r = blobs_open_blob(b, digest, UINT64_MAX, false, &fd, &size, e);

	if (r < 0)
		return r;
	if (size > IMAGE_MAX_JSON)
		return aisbx_refuse(e, AISBX_KIND_LIMIT, AISBX_AREA_BOX, EFBIG,
				    "the blob %s is too large for a document of an image", digest);
	r = io_read_all(fd, IMAGE_MAX_JSON, &text);
	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, -r, "read the blob %s", digest);
	digest_of(text.data, text.len, found); /* of what is in memory: nobody changes that */
	if (strcmp(found, digest) != 0)
		return aisbx_refuse(e, AISBX_KIND_CONFLICT, AISBX_AREA_BOX, EBADMSG,
				    "the blob %s has other content than its name says (it is %s)", digest,
				    found);
	buf_finish(ret);
	*ret = text;
	text = (struct buf){ 0 };
	return 0;
}
