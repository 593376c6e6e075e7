/* SPDX-License-Identifier: Apache-2.0 */
/* Indexes of chunks, to bytes and back. */
#include "image/chunk_index.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"
#include "base/sha256.h"

#define HEAD    (sizeof(CHUNK_INDEX_MAGIC) + 16)
#define ONE     (CHUNK_ID_BYTES + 4)
#define MOST_OF (HEAD + (size_t)CHUNK_INDEX_MOST * ONE + SHA256_BYTES)

void chunk_index_finish(struct chunk_index *i)
{
	free(i->refs);
	*i = (struct chunk_index){ 0 };
}

int chunk_index_add(struct chunk_index *i, const struct chunk_ref *ref)
{
	if (i->n == CHUNK_INDEX_MOST)
		return -EFBIG;
	if (i->n == i->room) {
		size_t room = i->room ? 2 * i->room : 64;
		struct chunk_ref *refs = reallocarray(i->refs, room, sizeof(*refs));

		if (!refs)
			return -ENOMEM;
		i->refs = refs;
		i->room = room;
	}
	i->refs[i->n++] = *ref;
	i->size += ref->len;
	return 0;
}

static void seal(const void *data, size_t len, uint8_t ret[SHA256_BYTES])
{
	struct sha256 s;

	sha256_init(&s);
	sha256_add(&s, data, len);
	sha256_end(&s, ret);
}

int chunk_index_write(const struct chunk_index *i, struct buf *ret)
{
	uint64_t numbers[2] = { htole64(i->size), htole64(i->n) };
	uint8_t sum[SHA256_BYTES];

	buf_add(ret, CHUNK_INDEX_MAGIC, sizeof(CHUNK_INDEX_MAGIC));
	buf_add(ret, numbers, sizeof(numbers));
	for (size_t k = 0; k < i->n; k++) {
		uint32_t len = htole32(i->refs[k].len);

		buf_add(ret, i->refs[k].id, CHUNK_ID_BYTES);
		buf_add(ret, &len, sizeof(len));
	}
	if (ret->failed)
		return -ENOMEM;
	seal(ret->data, ret->len, sum);
	buf_add(ret, sum, sizeof(sum));
	return ret->failed ? -ENOMEM : 0;
}

int chunk_index_read(const void *data, size_t len, struct chunk_index *ret)
{
	scoped(chunk_index_finish) struct chunk_index i = { 0 };
	const uint8_t *at = data;
	uint64_t numbers[2];
	uint8_t sum[SHA256_BYTES];

	if (len < HEAD + SHA256_BYTES || memcmp(at, CHUNK_INDEX_MAGIC, sizeof(CHUNK_INDEX_MAGIC)) != 0)
		return -EBADMSG;
	memcpy(numbers, at + sizeof(CHUNK_INDEX_MAGIC), sizeof(numbers));
	numbers[0] = le64toh(numbers[0]);
	numbers[1] = le64toh(numbers[1]);
	if (numbers[1] > CHUNK_INDEX_MOST || len != HEAD + numbers[1] * ONE + SHA256_BYTES)
		return -EBADMSG;
	seal(at, len - SHA256_BYTES, sum);
	if (memcmp(sum, at + len - SHA256_BYTES, sizeof(sum)) != 0)
		return -EBADMSG;
	at += HEAD;
	for (uint64_t k = 0; k < numbers[1]; k++, at += ONE) {
		struct chunk_ref ref;
		int r;

		memcpy(ref.id, at, CHUNK_ID_BYTES);
		memcpy(&ref.len, at + CHUNK_ID_BYTES, sizeof(ref.len));
		ref.len = le32toh(ref.len);
		if (!ref.len || ref.len > CHUNK_MOST)
			return -EBADMSG;
		r = chunk_index_add(&i, &ref);
		if (r < 0)
			return r;
	}
	if (i.size != numbers[0])
		return -EBADMSG;
	*ret = i;
	i = (struct chunk_index){ 0 };
	return 0;
}

int chunk_index_load(int dir, const char *name, struct chunk_index *ret)
{
	scoped(drop_fd) int fd =
		dir < 0 ? -1 : openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	scoped(buf_finish) struct buf text = { 0 };
	struct stat st;
	int r;

	if (dir < 0)
		return -ENOENT;
	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode) || (uint64_t)st.st_size > MOST_OF)
		return -EBADMSG;
	r = io_read_all(fd, MOST_OF, &text);
	return r < 0 ? r : chunk_index_read(text.data, text.len, ret);
}

void chunk_name(const uint8_t id[CHUNK_ID_BYTES], char ret[CHUNK_NAME])
{
	io_hex(id, 1, ret);
	ret[2] = '/';
	io_hex(id + 1, CHUNK_ID_BYTES - 1, ret + 3);
}
