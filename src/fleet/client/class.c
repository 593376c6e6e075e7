/* SPDX-License-Identifier: Apache-2.0 */
/* Sorts labels, and refuses what is none. */
#include "fleet/client/class.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"

/* More do not fit into a class. */
#define MOST 32

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int class_of_labels(const char *labels, char ret[FLEET_NAME], struct aisbx_error *e)
{
	scoped(drop_mem) char *copy = strdup(labels ? labels : "");
	char *list[MOST], *at = copy, *word;
	char class[FLEET_NAME] = "";
	size_t n = 0, len = 0;
	bool good = copy != NULL;

	while (good && (word = strsep(&at, ",")))
		if (n < MOST && *word)
			list[n++] = word;
		else
			good = false;
	if (good)
		qsort(list, n, sizeof(*list), compare);
	for (size_t i = 0; i < n && good; i++) {
		if (i && !strcmp(list[i], list[i - 1]))
			continue;
		len += (size_t)snprintf(class + len, sizeof(class) - len, "%s%s", len ? "," : "", list[i]);
		good = len < sizeof(class) &&
		       (strchr(list[i], '=') || (n == 1 && !strcmp(list[i], FLEET_ANY)));
	}
	if (!good || !fleet_is_class(class))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "'%.80s' are no labels; write --on zone=a, several with commas, --on "
				    "node=NAME, or --on any",
				    labels ? labels : "");
	snprintf(ret, FLEET_NAME, "%s", class);
	return 0;
}
