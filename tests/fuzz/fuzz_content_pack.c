/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes the readers of pack indexes and roots: as they are, and with the seal that they should have. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fleet/content/pack.h"
#include "fleet/content/root.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must(int truth)
{
	if (!truth)
		__builtin_trap();
}

static void try_index(const struct content_key *k, const void *data, size_t len)
{
	struct content_index i = { 0 };
	struct buf again = { 0 };
	size_t needs = 0, at = 0;
	int r = content_index_read(k, data, len, &i, &needs);

	if (r < 0) {
		must(!i.items && (needs > len || !needs));
		return;
	}
	for (size_t c = 0; c < i.n; c++) {
		must(i.items[c].at == at && i.items[c].ref.len && i.items[c].ref.len <= CONTENT_CHUNK_MOST);
		at += i.items[c].stored;
	}
	must(at == i.payload && at <= CONTENT_PACK_MOST);
	must(content_index_write(&i, k, &again) == 0 && again.len <= len);
	must(!memcmp(again.data, (const char *)data + len - again.len, again.len));
	buf_finish(&again);
	content_index_finish(&i);
}

static void try_root(const struct content_key *k, const void *data, size_t len)
{
	struct content_root r = { 0 };
	struct buf again = { 0 };

	if (content_root_read(k, data, len, &r) < 0) {
		must(!r.refs && !r.packs);
		return;
	}
	for (size_t i = 0; i < r.n_packs; i++)
		must(content_pack_name_is_good(r.packs[i]));
	must(content_root_write(&r, k, &again) == 0 && again.len == len && !memcmp(again.data, data, len));
	buf_finish(&again);
	content_root_finish(&r);
}

/* DATA with a seal over its last part of LEN - FROM bytes. */
static void sealed(const struct content_key *k, const uint8_t *data, size_t len, size_t from, struct buf *ret)
{
	uint8_t seal[CONTENT_ID];

	content_name(k->seal, data + from, len - from, seal);
	buf_add(ret, data, len);
	buf_add(ret, seal, sizeof(seal));
	must(!ret->failed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static const uint8_t secret[CONTENT_ID];
	struct buf text = { 0 };
	struct content_key k;

	content_key_init(secret, "fuzz", &k);
	try_index(&k, data, len);
	try_root(&k, data, len);
	sealed(&k, data, len, 0, &text);
	try_index(&k, text.data, text.len);
	try_root(&k, text.data, text.len);
	buf_finish(&text);
	return 0;
}
