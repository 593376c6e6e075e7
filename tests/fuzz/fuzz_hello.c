/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes the reader of ClientHellos: a verdict does not change when more bytes come, nothing shorter is
 * complete, and a name is text that was in it.
 */
#include <stdlib.h>
#include <string.h>

#include "net/hello.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must(bool truth)
{
	if (!truth)
		__builtin_trap();
}

static enum hello_verdict read_exact(const uint8_t *data, size_t len, struct hello *ret)
{
	uint8_t *exact = malloc(len ? len : 1);
	enum hello_verdict v;

	must(exact != NULL);
	memcpy(exact, data, len);
	v = hello_read(exact, len, ret);
	free(exact);
	return v;
}

/* As it would have come in pieces: a verdict is given once and for all, and not before what is needed is
 * there. */
static void check_pieces(const uint8_t *data, size_t len, enum hello_verdict last)
{
	struct hello h;
	size_t n = 0;

	for (int reads = 0; n <= len; reads++) {
		enum hello_verdict v = read_exact(data, n, &h);

		must(reads <= 2 * HELLO_MAX_RECORDS + 4);
		if (v != HELLO_MORE) {
			must(v == last);
			return;
		}
		must(h.need > n && h.need <= HELLO_MAX);
		n = h.need;
	}
	must(last != HELLO_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct hello h;
	enum hello_verdict v = hello_read(data, len, &h);

	check_pieces(data, len, v);
	if (v == HELLO_MORE)
		must(h.need > len);
	if (v != HELLO_OK)
		return 0;
	must(h.len <= len && h.len <= HELLO_MAX && h.sni_len < HELLO_NAME_MAX && strlen(h.sni) == h.sni_len);
	must(read_exact(data, h.len, &h) == HELLO_OK);
	must(read_exact(data, h.len - 1, &h) == HELLO_MORE);
	return 0;
}
