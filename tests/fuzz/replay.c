/* SPDX-License-Identifier: Apache-2.0 */
/* Feeds every file of the directories it is given to a fuzz target, once: the corpus as an ordinary test. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "base/scope.h"

#define INPUT_ROOM (1u << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static int replay(const char *path)
{
	scoped(drop_file) FILE *f = fopen(path, "re");
	scoped(drop_mem) char *all = malloc(INPUT_ROOM);
	scoped(drop_mem) uint8_t *exact = NULL;
	size_t len = f && all ? fread(all, 1, INPUT_ROOM, f) : 0;

	/* A block of the very size, so that a sanitizer sees one byte too many. */
	exact = malloc(len ? len : 1);
	if (!f || !all || !exact) {
		fprintf(stderr, "replay: cannot read %s\n", path);
		return -1;
	}
	memcpy(exact, all, len);
	fprintf(stderr, "replay: %s\n", path); /* before: the last line names what crashed */
	return LLVMFuzzerTestOneInput(exact, len);
}

int main(int argc, char **argv)
{
	unsigned int count = 0;

	for (int i = 1; i < argc; i++) {
		scoped(drop_dir) DIR *dir = opendir(argv[i]);
		struct dirent *entry;

		while (dir && (entry = readdir(dir))) {
			scoped(drop_mem) char *path = path_join(argv[i], entry->d_name);

			if (entry->d_name[0] == '.')
				continue;
			if (!path || replay(path) < 0)
				return 1;
			count++;
		}
	}
	fprintf(stderr, "replay: %u inputs\n", count);
	return count ? 0 : 1; /* a corpus that is not there tests nothing */
}
