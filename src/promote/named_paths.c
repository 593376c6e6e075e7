/* SPDX-License-Identifier: Apache-2.0 */
/* Paths that a person names for a promotion: one that is nowhere was written wrong, and is not "nothing to
 * do". */
#include "promote/named_paths.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"

static bool is_there(struct open_view *v, const char *rel)
{
	struct view_entry seen = { 0 };

	return view_find(v, rel, &seen) < 0 ||
	       seen.thing.exists; /* what cannot be looked at is told of later */
}

/* What is beside it, changed in the box or not. */
static void hint_near(struct open_view *box, const char *rel, struct aisbx_error *e)
{
	const char *slash = strrchr(rel, '/'), *name = slash ? slash + 1 : rel, *near;
	scoped(drop_mem) char *dir = strndup(rel, slash ? (size_t)(slash - rel) : 0);
	scoped(strlist_finish) struct strlist names = { 0 };
	struct view_entry at = { .ref = view_top(box) };

	if (!dir || (*dir && view_find(box, dir, &at) < 0) || view_names(box, at.ref, dir, true, &names) < 0)
		names.n = 0;
	near = str_nearest(name, (const char *const *)names.items, names.n);
	if (dir && near && strlen(near) < 200 && buf_is_utf8(near))
		aisbx_hint(e, "did you mean '%s%s%s'?", dir, *dir ? "/" : "", near);
	else
		aisbx_hint(e, "'aisbx diff BOX' lists what the box changed");
}

int named_paths_check(struct open_view *box, struct open_view *target, const struct strlist *paths,
		      struct aisbx_error *e)
{
	for (size_t i = 0; paths && i < paths->n; i++) {
		const char *rel = paths->items[i];

		if (!strcmp(rel, ".") || is_there(box, rel) || is_there(target, rel) || view_knows(box, rel))
			continue;
		aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_BOX, ENOENT,
			     "neither the box nor the project has '%s'", path_tail(rel, PATH_TOLD));
		hint_near(box, rel, e);
		return e->code;
	}
	return 0;
}
