/* SPDX-License-Identifier: Apache-2.0 */
/* Reading what is stored as chunks. Each chunk is checked when it is read. */
#include "helpers/image/chunks.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <blake3.h>
#include <zstd.h>

#include "base/error.h"
#include "base/io.h"
#include "base/scope.h"

void chunk_id(const void *data, size_t len, uint8_t ret[CHUNK_ID_BYTES])
{
	blake3_hasher h;

	blake3_hasher_init(&h);
	blake3_hasher_update(&h, data, len);
	blake3_hasher_finalize(&h, ret, CHUNK_ID_BYTES);
}

/* 'r' and the bytes, or 'z' and a zstd frame of them. */
static int decode(const struct buf *file, const struct chunk_ref *ref, uint8_t *ret)
{
	uint8_t id[CHUNK_ID_BYTES];

	if (!file->len)
		return -EBADMSG;
	if (file->data[0] == 'r' && file->len == ref->len + 1u)
		memcpy(ret, file->data + 1, ref->len);
	else if (file->data[0] != 'z' ||
		 ZSTD_decompress(ret, ref->len, file->data + 1, file->len - 1) != ref->len)
		return -EBADMSG;
	chunk_id(ret, ref->len, id);
	return memcmp(id, ref->id, sizeof(id)) != 0 ? -EBADMSG : 0;
}

int chunk_read(int chunks, const struct chunk_ref *ref, uint8_t *ret)
{
	scoped(buf_finish) struct buf file = { 0 };
	char name[CHUNK_NAME];
	scoped(drop_fd) int fd = -1;
	int r;

	chunk_name(ref->id, name);
	fd = openat(chunks, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	r = io_read_all(fd, CHUNK_MOST + 1, &file);
	return r < 0 ? r : decode(&file, ref, ret);
}

static int cannot_read(const struct chunk_ref *ref, const char *digest, int err, struct aisbx_error *e)
{
	char name[CHUNK_NAME];

	chunk_name(ref->id, name);
	if (err != ENOENT && err != EBADMSG)
		return aisbx_fail(e, AISBX_AREA_BOX, err, "read the chunk %s of the blob %s", name, digest);
	return aisbx_refuse(e, AISBX_KIND_CONFLICT, AISBX_AREA_BOX, EBADMSG,
			    "the chunk %s of the blob %s %s; it was changed on disk: remove the image and "
			    "fetch or pack it again",
			    name, digest, err == ENOENT ? "is missing" : "is damaged");
}

int chunks_stream(const struct blobs *b, const char *digest, const struct chunk_index *i,
		  int (*take)(void *ctx, const void *data, size_t len, struct aisbx_error *e), void *ctx,
		  struct aisbx_error *e)
{
	scoped(drop_mem) uint8_t *chunk = malloc(CHUNK_MOST);
	int r = chunk ? 0 : aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "read the blob %s", digest);

	for (size_t k = 0; r == 0 && k < i->n; k++) {
		r = chunk_read(b->chunks, &i->refs[k], chunk);
		r = r < 0 ? cannot_read(&i->refs[k], digest, -r, e) : take(ctx, chunk, i->refs[k].len, e);
	}
	return r;
}

static int append(void *ctx, const void *data, size_t len, struct aisbx_error *e)
{
	int r = io_write_all(*(int *)ctx, data, len);

	return r < 0 ? aisbx_fail(e, AISBX_AREA_BOX, -r, "put a blob together") : 0;
}

int chunks_assemble(const struct blobs *b, const char *digest, int *ret_fd, struct aisbx_error *e)
{
	scoped(chunk_index_finish) struct chunk_index i = { 0 };
	scoped(drop_fd) int fd = -1;
	int r = chunk_index_load(b->indexes, digest_hex(digest), &i);

	if (r == -ENOENT)
		return r;
	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, -r, "read the index of the blob %s", digest);
	fd = openat(b->tmp, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, errno, "put the blob %s together", digest);
	r = chunks_stream(b, digest, &i, append, &fd, e);
	if (r == 0 && lseek(fd, 0, SEEK_SET) < 0)
		r = aisbx_fail(e, AISBX_AREA_BOX, errno, "put the blob %s together", digest);
	if (r == 0)
		*ret_fd = take_fd(&fd);
	return r;
}

bool chunks_has(const struct blobs *b, const char *digest, uint64_t *ret_size)
{
	scoped(chunk_index_finish) struct chunk_index i = { 0 };

	if (chunk_index_load(b->indexes, digest_hex(digest), &i) < 0)
		return false;
	if (ret_size)
		*ret_size = i.size;
	return true;
}
