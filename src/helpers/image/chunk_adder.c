/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Adding chunks. Whatever has its name in the directory of chunks was on the disk before it got it, so a
 * power failure leaves no damaged one there. One that was damaged later is replaced.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <zstd.h>

#include "base/error.h"
#include "base/io.h"
#include "base/scope.h"
#include "helpers/image/chunks.h"

#define LEVEL 3
/* A file takes whole blocks: what saves less is not worth to be unpacked each time. */
#define WORTH(len) ((len) - (len) / 16)

static int fail(int err, struct aisbx_error *e)
{
	return aisbx_fail(e, AISBX_AREA_BOX, err, "store chunks of a blob");
}

int chunk_adder_begin(const struct blobs *b, struct chunk_adder *ret, struct aisbx_error *e)
{
	scoped(chunk_adder_finish) struct chunk_adder a = { .blobs = b };
	uint64_t word = 0;

	a.old = malloc(CHUNK_MOST);
	a.packed = malloc(ZSTD_COMPRESSBOUND(CHUNK_MOST) + 1);
	if (!a.old || !a.packed)
		return fail(ENOMEM, e);
	if (getrandom(&word, sizeof(word), 0) != sizeof(word))
		return fail(errno, e);
	snprintf(a.prefix, sizeof(a.prefix), "chunk-%016llx-", (unsigned long long)word);
	*ret = a;
	a = (struct chunk_adder){ 0 };
	return 0;
}

static void tmp_name(const struct chunk_adder *a, const struct chunk_ref *ref, char ret[CHUNK_TMP_NAME])
{
	char name[CHUNK_NAME];

	chunk_name(ref->id, name);
	name[2] = '-';
	snprintf(ret, CHUNK_TMP_NAME, "%s%s", a->prefix, name);
}

static int write_new(struct chunk_adder *a, const char *name, const uint8_t *data, size_t len)
{
	scoped(drop_fd) int fd = openat(a->blobs->tmp, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444);
	size_t n = ZSTD_compress(a->packed + 1, ZSTD_COMPRESSBOUND(CHUNK_MOST), data, len, LEVEL);
	bool packed = !ZSTD_isError(n) && n < WORTH(len);
	int r;

	if (fd < 0)
		return -errno;
	a->packed[0] = packed ? 'z' : 'r';
	if (!packed) {
		memcpy(a->packed + 1, data, len);
		n = len;
	}
	r = io_write_all(fd, a->packed, n + 1);
	if (r < 0)
		unlinkat(a->blobs->tmp, name, 0);
	else
		a->stored += n + 1;
	return r;
}

int chunk_add(struct chunk_adder *a, const uint8_t *data, size_t len, struct chunk_ref *ret,
	      struct aisbx_error *e)
{
	struct chunk_ref ref = { .len = (uint32_t)len };
	char name[CHUNK_TMP_NAME];
	int r;

	chunk_id(data, len, ref.id);
	*ret = ref;
	if (chunk_read(a->blobs->chunks, &ref, a->old) == 0)
		return 0;
	tmp_name(a, &ref, name);
	r = write_new(a, name, data, len);
	if (r == -EEXIST) /* twice in this blob */
		return 0;
	if (r == 0 && (r = chunk_index_add(&a->fresh, &ref)) < 0)
		unlinkat(a->blobs->tmp, name, 0);
	return r < 0 ? fail(-r, e) : 0;
}

int chunk_adder_end(struct chunk_adder *a, struct aisbx_error *e)
{
	char from[CHUNK_TMP_NAME], to[CHUNK_NAME];

	if (!a->fresh.n)
		return 0;
	if (syncfs(a->blobs->tmp) < 0)
		return fail(errno, e);
	for (; a->named < a->fresh.n; a->named++) {
		tmp_name(a, &a->fresh.refs[a->named], from);
		chunk_name(a->fresh.refs[a->named].id, to);
		if (renameat(a->blobs->tmp, from, a->blobs->chunks, to) < 0)
			return fail(errno, e);
	}
	return syncfs(a->blobs->chunks) < 0 ? fail(errno, e) : 0;
}

void chunk_adder_finish(struct chunk_adder *a)
{
	char name[CHUNK_TMP_NAME];

	for (size_t k = a->named; k < a->fresh.n; k++) {
		tmp_name(a, &a->fresh.refs[k], name);
		unlinkat(a->blobs->tmp, name, 0);
	}
	chunk_index_finish(&a->fresh);
	free(a->old);
	free(a->packed);
	*a = (struct chunk_adder){ 0 };
}
