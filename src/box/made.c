/* SPDX-License-Identifier: Apache-2.0 */
/* Looks only at the newest layers of a box, so that its time does not depend on the size of the project. */
#include "box/made.h"

#include <fcntl.h>

#include "base/scope.h"
#include "box/lookup.h"
#include "box/point.h"

/* A snapshot may come while a program runs: then what it made before is one layer below. */
#define LAYERS 2

struct timespec box_made_clock(void)
{
	struct timespec now = { 0 };

	clock_gettime(CLOCK_REALTIME_COARSE, &now);
	return now;
}

int box_made_since(const char *key, const struct timespec *since, const struct redactor *hide,
		   struct outputs *ret, struct aisbx_error *e)
{
	const struct outputs_to nowhere = { .fd = -1, .since = since };
	scoped(lookup_finish) struct lookup found = LOOKUP_INIT;
	scoped(box_point_finish) struct box_point point = { 0 };
	int r = lookup_open_box(key, false, &found, e);

	if (r < 0 || !found.box.project)
		return r;
	r = box_point_read(&found.state, &found.box, "", &point, e);
	for (size_t i = 0; r == 0 && i < LAYERS && i < point.ups.n && !ret->n; i++) {
		outputs_finish(ret);
		r = outputs_collect(AT_FDCWD, point.ups.items[point.ups.n - 1 - i], &nowhere, hide, ret, e);
	}
	return r;
}
