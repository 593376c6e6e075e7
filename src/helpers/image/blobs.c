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
#include "helpers/image/hash.h"
#include "image/wire.h"
#include "sys/confine.h"

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
	b.max_bytes = max_bytes;
	*ret = b;
	b = (struct blobs)BLOBS_INIT;
	return 0;
}

void blobs_close(struct blobs *b)
{
	close_fd(&b->dir);
	close_fd(&b->tmp);
}

int blobs_confine(const char *dir, struct aisbx_error *e)
{
	scoped(drop_mem) char *tmp = NULL;
	const char *writable[] = { dir, NULL, NULL };
	const char *without = getenv("AISBX_WITHOUT");
	int r;

	if (asprintf(&tmp, "%s/../tmp", dir) < 0) {
		tmp = NULL;
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "confine %s", IMAGE_HELPER);
	}
	writable[1] = tmp;
	r = confine_self(writable, e);
	return r < 0 && without && !strcmp(without, "landlock") ? 0 : r;
}

bool blobs_has(const struct blobs *b, const char *digest, uint64_t *ret_size)
{
	struct stat st;

	if (!digest_is_sha256(digest) || fstatat(b->dir, digest_hex(digest), &st, AT_SYMLINK_NOFOLLOW) < 0 ||
	    !S_ISREG(st.st_mode))
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
	if (fd < 0 && errno == ENOENT)
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
