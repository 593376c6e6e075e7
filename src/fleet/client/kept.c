/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps as much of the beginning as of the end. */
#include "fleet/client/kept.h"

#include <stdlib.h>
#include <string.h>

#include "fleet/core/memory.h"

static void add_to_tail(struct kept *k, const char *data, size_t len)
{
	const size_t room = k->room / 2;

	if (!room)
		return;
	if (!k->tail)
		k->tail = fleet_new(room);
	if (len > room) {
		data += len - room;
		len = room;
	}
	for (size_t n; len; data += n, len -= n) {
		n = len < room - k->at ? len : room - k->at;
		memcpy(k->tail + k->at, data, n);
		k->at = (k->at + n) % room;
		k->len = k->len + n < room ? k->len + n : room;
	}
}

void kept_add(struct kept *k, const char *data, size_t len)
{
	const size_t room = k->room - k->room / 2 - k->head.len, n = len < room ? len : room;

	k->total += len;
	buf_add(&k->head, data, n);
	add_to_tail(k, data + n, len - n);
}

void kept_finish(struct kept *k)
{
	buf_finish(&k->head);
	free(k->tail);
	*k = (struct kept){ .room = k->room };
}

uint64_t kept_text(const struct kept *k, struct buf *ret)
{
	const uint64_t missing = k->total - k->head.len - k->len;
	const size_t room = k->room / 2, from = k->len < room ? 0 : k->at;
	struct buf raw = { 0 };

	buf_add(&raw, k->head.data, k->head.len);
	if (missing)
		buf_addf(&raw, "\n[aisbx: %llu bytes cut here]\n", (unsigned long long)missing);
	if (k->len) {
		buf_add(&raw, k->tail + from, k->len - from);
		buf_add(&raw, k->tail, from);
	}
	buf_add_utf8(ret, raw.data, raw.len);
	buf_finish(&raw);
	return missing;
}
