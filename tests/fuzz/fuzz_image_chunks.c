/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes the reader of indexes of chunks: as they are, and with the checksum that they should have. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/sha256.h"
#include "image/chunk_index.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must(int truth)
{
	if (!truth)
		__builtin_trap();
}

static void try(const void *data, size_t len)
{
	struct chunk_index i = { 0 };
	struct buf again = { 0 };
	uint64_t sum = 0;

	if (chunk_index_read(data, len, &i) < 0) {
		must(!i.refs && !i.n && !i.size);
		return;
	}
	for (size_t k = 0; k < i.n; k++) {
		must(i.refs[k].len && i.refs[k].len <= CHUNK_MOST);
		sum += i.refs[k].len;
	}
	must(sum == i.size && i.n <= CHUNK_INDEX_MOST);
	must(chunk_index_write(&i, &again) == 0 && again.len == len && !memcmp(again.data, data, len));
	buf_finish(&again);
	chunk_index_finish(&i);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct buf sealed = { 0 };
	uint8_t sum[SHA256_BYTES];
	struct sha256 s;

	try(data, len);
	sha256_init(&s);
	sha256_add(&s, data, len);
	sha256_end(&s, sum);
	buf_add(&sealed, data, len);
	buf_add(&sealed, sum, sizeof(sum));
	must(!sealed.failed);
	try(sealed.data, sealed.len);
	buf_finish(&sealed);
	return 0;
}
