/* SPDX-License-Identifier: Apache-2.0 */
/* What boxes, snapshots, images and templates take on disk, and with whom they share it. */
#ifndef BOX_DU_H
#define BOX_DU_H

#include "base/str.h"
#include "box/box.h"

/* So many names of those it shares with; more are counted. */
#define BOX_DU_NAMES 5u

struct du_item {
	const char *kind;      /* constant: "box", "snapshot", "image" or "template" */
	char *name;            /* owned; a snapshot: BOX@NAME */
	char id[STORE_ID_MAX]; /* "" for a template */
	uint64_t bytes;        /* of all its layers */
	uint64_t own;          /* of it, what only this one has: that is free when it is removed */
	uint64_t blobs;        /* of an image: what it takes among the blobs */
	struct strlist with;   /* owned; "box 'NAME'" of others that stand on the same layers */
	size_t n_with;
};

struct du {
	struct du_item *items; /* owned */
	size_t n;
	uint64_t layers;          /* bytes of all layers on disk */
	uint64_t saved;           /* bytes that equal files would take more if they were not stored once */
	uint64_t blobs;           /* bytes of all blobs on disk, with their chunks */
	uint64_t chunked, chunks; /* bytes of blobs that are stored as chunks, and of these on disk */
	uint64_t free; /* bytes that gc would free: layers and blobs that nobody needs, expired boxes */
};

void du_finish(struct du *d);
/*
 * Of whom we act for. KEYS: only these, by name or id; empty: all. The sums are of all, whatever KEYS are;
 * for an owner they are of what it sees.
 */
int box_du(const struct strlist *keys, struct du *ret, struct aisbx_error *e);

#endif
