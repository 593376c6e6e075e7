/* SPDX-License-Identifier: Apache-2.0 */
/* ignore PROJECT SCRATCH [LAYER]...: paths from standard input, each with a NUL behind it, directories with a
 * slash at their end; prints those that git would ignore, in the same way. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "layer/ignore.h"

int main(int argc, char **argv)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct ignore_item *items = NULL;
	struct open_view open_view = OPEN_VIEW_INIT;
	struct view view = { .host = argv[1],
			     .ups = (const char *const *)argv + 3,
			     .n_ups = argc > 3 ? (size_t)argc - 3 : 0 };
	size_t n = 0, cap = 0;
	char *word = NULL;
	ssize_t len;
	int r;

	if (argc < 3)
		return 2;
	while ((len = getdelim(&word, &cap, '\0', stdin)) > 1) {
		bool is_dir = word[len - 2] == '/';

		items = realloc(items, (n + 1) * sizeof(*items));
		if (!items)
			abort();
		word[len - 1 - is_dir] = '\0';
		items[n++] = (struct ignore_item){ .path = strdup(word), .is_dir = is_dir };
	}
	r = view_open(&view, &open_view, &e);
	if (r == 0) {
		r = ignore_find(&open_view, items, n, argv[2], &e);
		view_close(&open_view);
	}
	if (r < 0)
		fprintf(stderr, "%s\n", e.text);
	for (size_t i = 0; i < n; i++) {
		if (r == 0 && items[i].ignored)
			printf("%s%s%c", items[i].path, items[i].is_dir ? "/" : "", '\0');
		free((char *)items[i].path);
	}
	free(items);
	free(word);
	return r < 0;
}
