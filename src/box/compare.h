/* SPDX-License-Identifier: Apache-2.0 */
/* What changed between two points of a project, as somebody asks for it: by lines, as a patch, without
 * secrets. */
#ifndef BOX_COMPARE_H
#define BOX_COMPARE_H

#include "base/buf.h"
#include "box/diff.h"
#include "box/drift.h"
#include "box/system.h"

struct box_compare_request {
	const char *box;            /* borrowed, as all of these; BOX[@SNAPSHOT] */
	const char *other;          /* NULL: from the real project to BOX; else from BOX to this */
	const char *cwd;            /* of the caller: a project that was moved is looked for there, too */
	bool ignored;               /* include files that git ignores */
	bool patch;                 /* also as a patch */
	bool stat;                  /* also count lines */
	struct drift_options drift; /* how long to look for drift */
};

struct box_comparison {
	char *project; /* owned; what paths are below; NULL: none */
	struct change_list changes;
	struct box_lines *lines; /* owned; of each change; NULL: nobody asked */
	struct buf patch;        /* owned */
	struct box_ignored left; /* left out */
	struct drift_report drift;
	struct box_system system; /* without another one: what differs outside of the project */
};

void box_comparison_finish(struct box_comparison *c);
int box_compare(const struct box_compare_request *req, struct box_comparison *ret, struct aisbx_error *e);

#endif
