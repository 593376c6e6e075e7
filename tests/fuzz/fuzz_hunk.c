/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes hunk_list_read, which reads the patch of a text that a box wrote. Whatever is accepted: no part
 * applied leaves the text as it is, and each part is printed as a patch that is accepted again.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "promote/hunk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must(bool truth)
{
	if (!truth)
		__builtin_trap();
}

static void check_part(const struct hunk_list *l, size_t at)
{
	scoped(buf_finish) struct buf text = { 0 };
	scoped(hunk_list_finish) struct hunk_list again = { 0 };

	hunk_print_part(l, at, &text);
	must(buf_str(&text) && hunk_list_read(text.data, text.len, &again) == 0);
	must(again.n == 1 && again.parts[0].n_old == l->parts[at].n_old &&
	     again.parts[0].n_new == l->parts[at].n_new);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	scoped(hunk_list_finish) struct hunk_list l = { 0 };
	scoped(buf_finish) struct buf same = { 0 };
	scoped(buf_finish) struct buf any = { 0 };
	scoped(drop_mem) bool *accepted = NULL;
	const char *text = (const char *)data;

	if (hunk_list_read(text, len, &l) < 0) {
		must(!l.n);
		return 0;
	}
	accepted = calloc(l.n + 1, 1);
	must(accepted && hunk_list_apply(&l, accepted, text, len, &same) == 0 && same.len == len);
	must(!len || !memcmp(same.data, data, len));
	memset(accepted, true, l.n);
	hunk_list_apply(&l, accepted, text, len, &any); /* of some other text: whatever it says, it ends */
	for (size_t i = 0; i < l.n && i < 64; i++)
		check_part(&l, i);
	return 0;
}
