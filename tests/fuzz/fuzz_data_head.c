/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes what a client says first on a data connection: all at once, and byte by byte, as a connection may
 * bring it. Both come to the same end, nothing is taken that is not wanted, and what is accepted is a token.
 */
#include <stdint.h>
#include <string.h>

#include "server/rpc/data.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must(bool truth)
{
	if (!truth)
		__builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct data_head whole = { 0 }, slow = { 0 };
	const size_t n = len < DATA_HEAD ? len : DATA_HEAD;
	bool once = data_head_add(&whole, (const char *)data, n), each = true;

	for (size_t i = 0; each && i < n; i++) {
		must(data_head_wants(&slow) == DATA_HEAD - i);
		each = data_head_add(&slow, (const char *)data + i, 1);
	}
	must(once == each);
	if (once)
		must(whole.len == n && data_head_wants(&whole) == DATA_HEAD - n &&
		     !memcmp(whole.text, slow.text, sizeof(whole.text)));
	if (once && n == DATA_HEAD)
		must(data_is_token(whole.text) && !memcmp(whole.text, data, DATA_TOKEN) &&
		     !data_head_add(&whole, "0", 1));
	return 0;
}
