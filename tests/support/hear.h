/* SPDX-License-Identifier: Apache-2.0 */
/* What a renderer says on both streams, where neither is a terminal. */
#ifndef TESTS_HEAR_H
#define TESTS_HEAR_H

#include <fcntl.h>
#include <jansson.h>
#include <unistd.h>

#include "support/test.h"

struct said {
	char out[8192], err[8192];
};

/* What RENDER says of each of TEXTS, which are JSON, on both streams. */
static void hear(void (*render)(const json_t *), const char *const *texts, size_t n, struct said *ret)
{
	FILE *streams[2] = { stdout, stderr };
	char *to[2] = { ret->out, ret->err };
	int files[2], saved[2];

	memset(ret, 0, sizeof(*ret));
	for (int i = 0; i < 2; i++) {
		char path[] = "/tmp/test-render-XXXXXX";

		fflush(streams[i]);
		files[i] = mkstemp(path);
		saved[i] = dup(fileno(streams[i]));
		assert_true(files[i] >= 0 && saved[i] >= 0);
		unlink(path);
		dup2(files[i], fileno(streams[i]));
	}
	for (size_t i = 0; i < n; i++) {
		json_t *j = json_loads(texts[i], 0, NULL);

		if (j)
			render(j);
		json_decref(j);
	}
	for (int i = 0; i < 2; i++) {
		fflush(streams[i]);
		dup2(saved[i], fileno(streams[i]));
		assert_true(pread(files[i], to[i], sizeof(ret->out) - 1, 0) >= 0);
		close(files[i]);
		close(saved[i]);
	}
}

#endif
