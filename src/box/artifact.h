/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files and directories of a box that are kept beyond it: their content by its sum in STATE/artifacts, a row
 * for each in the store. Nothing but their removal takes them away.
 */
#ifndef BOX_ARTIFACT_H
#define BOX_ARTIFACT_H

#include "base/str.h"
#include "box/box.h"
#include "box/lost.h"
#include "box/pack.h"

/* Of one, and of all together. */
#define BOX_ARTIFACT_BYTES  (1ll << 30)
#define BOX_ARTIFACTS_BYTES (16ll << 30)

/* A file without a name for what the box hands over. */
int box_artifact_draft(const struct box_shelf *s, int *ret_fd, struct aisbx_error *e);
/*
 * Keeps what is in DRAFT, a pack of LEN bytes: looks through it for secrets (but for those in ALLOWED, NULL:
 * none), fills in type, sum, size, files and media of ROW, and adds it.
 */
int box_artifact_keep(struct box_shelf *s, int draft, uint64_t len, const struct strlist *allowed,
		      struct store_saved *row, struct aisbx_error *e);
/* Its content, or the pack of a directory. */
int box_artifact_open(const struct box_shelf *s, const struct store_saved *row, int *ret_fd,
		      struct aisbx_error *e);
int box_artifact_remove(struct box_shelf *s, const struct store_saved *row, struct aisbx_error *e);
/* Content that no row leads to; only what a crash left. */
int box_artifacts_sweep(struct box_shelf *s, struct box_lost *lost, struct aisbx_error *e);

/* artifact_get.c */
struct box_artifact_wish {
	const char *to; /* where to put it; an absolute path */
	bool force;     /* over a file or link that is there */
	bool traps;     /* though there are traps in it; else nothing is put there */
};
int box_artifact_get(const struct box_shelf *s, const struct store_saved *row,
		     const struct box_artifact_wish *wish, struct aisbx_error *e);

#endif
