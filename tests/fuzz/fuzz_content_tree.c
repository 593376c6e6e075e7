/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes the reader of trees: what it takes is harmless, and is written again as it was. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fleet/content/tree.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must(int truth)
{
	if (!truth)
		__builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct content_tree t = { 0 }, twice = { 0 };
	struct buf again = { 0 };

	if (content_tree_read(data, len, &t, &e) < 0) {
		must(!t.entries && !t.n && e.text[0]);
		return 0;
	}
	for (size_t i = 0; i < t.n; i++) {
		const char *path = t.entries[i].path;

		must(path[0] != '/' && strcmp(path, "..") != 0 && strncmp(path, "../", 3) != 0 &&
		     !strstr(path, "/../"));
		must(!i || content_path_compare(t.entries[i - 1].path, path) < 0);
		must(strlen(path) < 3 || strcmp(path + strlen(path) - 3, "/..") != 0);
		must(t.entries[i].type != CONTENT_NAME || t.entries[t.entries[i].same].type == CONTENT_FILE);
	}
	/* A path may share less with the one before than it could: so not the same bytes, but the same tree.
	 */
	must(content_tree_write(&t, &again) == 0 && again.len <= len);
	must(content_tree_read(again.data, again.len, &twice, &e) == 0 && twice.n == t.n &&
	     twice.bytes == t.bytes);
	buf_finish(&again);
	content_tree_finish(&t);
	content_tree_finish(&twice);
	return 0;
}
