/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of progress, some ten a second at most for each layer. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/time.h"
#include "helpers/image/verbs.h"

#define LAYERS     16u /* at once; more only mean more lines */
#define PAUSE_US   100000u
#define NAME_BYTES 24u /* of "sha256:HEX": enough to tell layers apart */

struct told {
	char layer[NAME_BYTES];
	uint64_t at_us;
};

/* Whether the last line about LAYER is long enough ago; from now on it is this one. */
static bool is_due(const char *layer, bool must)
{
	static struct told recent[LAYERS]; /* the only state: one request, one thread */
	struct told *oldest = recent;
	uint64_t now = time_us();

	for (size_t i = 0; i < LAYERS; i++) {
		if (!strncmp(recent[i].layer, layer, NAME_BYTES - 1)) {
			oldest = &recent[i];
			break;
		}
		if (recent[i].at_us < oldest->at_us)
			oldest = &recent[i];
	}
	if (!must && !strncmp(oldest->layer, layer, NAME_BYTES - 1) && now - oldest->at_us < PAUSE_US)
		return false;
	snprintf(oldest->layer, sizeof(oldest->layer), "%s", layer);
	oldest->at_us = now;
	return true;
}

void tell_progress(const char *what, const char *layer, uint64_t done, uint64_t total)
{
	json_t *line;

	if (!is_due(layer, !done || done == total))
		return;
	line = json_pack("{s:{s:s,s:s,s:I,s:I}}", "progress", "what", what, "layer", layer, "done",
			 (json_int_t)done, "total", (json_int_t)total);
	if (line)
		json_dumpf(line, stdout, JSON_COMPACT);
	putchar('\n');
	fflush(stdout);
	json_decref(line);
}
