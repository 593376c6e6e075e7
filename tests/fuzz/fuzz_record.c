/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes record_next, which reads journals and bases from the disk: the first byte of an input chooses the
 * size of the fixed part, the rest is the file. Whatever is accepted lies within it, and written again gives
 * the same bytes.
 */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "layer/base.h"
#include "layer/journal.h"
#include "layer/record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t len, size_t max_len, unsigned int seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t len, size_t max_len);

static const size_t sizes[] = {
	0,   1,   8, sizeof(struct journal_file), sizeof(struct journal_item), sizeof(struct journal_head),
	120, 4096
};

#define ROOM 4096

static void must(bool truth)
{
	if (!truth)
		__builtin_trap();
}

static size_t size_of(uint8_t choice)
{
	return sizes[choice % (sizeof(sizes) / sizeof(*sizes))];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	size_t size = size_of(len ? data[0] : 0), at = 0, before = 0;
	struct buf file = { .data = len > 1 ? malloc(len - 1) : NULL, .len = len > 1 ? len - 1 : 0 };
	struct buf again = { 0 };
	uint8_t fixed[ROOM];
	const char *text;

	if (file.len && !file.data)
		return 0;
	if (file.len)
		memcpy(file.data, data + 1,
		       file.len); /* of its own, so that one byte too many is seen on both sides */
	while ((text = record_next(&file, &at, fixed, size))) {
		must(at > before && at <= file.len);
		must(text >= file.data + before + size && text + strlen(text) + 1 == file.data + at);
		record_add(&again, fixed, size, text);
		before = at;
	}
	must(at == before); /* of what is not accepted nothing is passed over */
	must(again.failed || (again.len == at && (!at || !memcmp(again.data, file.data, at))));
	must(record_end(&file) >= at && record_end(&file) <= file.len);
	buf_finish(&again);
	buf_finish(&file);
	return 0;
}

#ifdef FUZZING
/* Most mutants get true sums: random bytes alone would hardly get past the first of them. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t len, size_t max_len, unsigned int seed)
{
	uint32_t head[2];
	size_t at = 1;

	len = LLVMFuzzerMutate(data, len, max_len);
	if (seed % 8 == 0)
		return len;
	while (at < len && len - at >= sizeof(head)) {
		uint32_t sum = 0x811c9dc5;
		size_t room = len - at - sizeof(head);

		memcpy(head, data + at, sizeof(head));
		if (head[0] > room && seed % 8 < 6)
			head[0] = (uint32_t)room;
		if (head[0] > room)
			break;
		if (head[0] && seed % 8 < 4)
			data[at + sizeof(head) + head[0] - 1] = 0;
		for (size_t i = 0; i < head[0]; i++)
			sum = (sum ^ data[at + sizeof(head) + i]) * 0x01000193;
		head[1] = sum;
		memcpy(data + at, head, sizeof(head));
		at += sizeof(head) + head[0];
	}
	return len;
}
#endif
