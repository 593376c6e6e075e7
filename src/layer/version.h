/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One path as it once was, and the combination of three such versions: for finding the common base of two
 * boxes.
 */
#ifndef LAYER_VERSION_H
#define LAYER_VERSION_H

#include "layer/base.h"

struct version {
	enum base_state state;
	bool whole;
	struct stat st;
	uint64_t xattrs;
	const char *file; /* borrowed, mostly from the scratch directory; NULL: the content was not kept */
	bool is_blob;     /* that is a record's */
	char sum[CHECKSUM_MAX]; /* of a content that is not stored; "": not even that */
};

/* Where versions are made. */
struct version_scratch {
	const char *dir;      /* borrowed; a directory with an empty one, "blobs", for texts */
	struct strlist files; /* owned; names of contents */
	unsigned int n;
	struct aisbx_error *e; /* borrowed */
};

void version_scratch_finish(struct version_scratch *d);

int version_of_base(struct version_scratch *d, const struct base *b, struct version *ret);
/* As a record of PATH, which is borrowed. Not of a thing. */
int version_to_base(struct version_scratch *d, const struct version *v, const char *path, struct base *ret);
/* What lies at PATH, of which THING is told. */
int version_of_thing(struct version_scratch *d, const struct thing *t, const char *path, struct version *ret);

/* 1 when both are the same but for times; 0; negative errno. */
int version_same(const struct version *a, const struct version *b);
/* 1 if IN has all changes from ROOT to V. */
int version_contains(struct version_scratch *d, const struct version *in, const struct version *v,
		     const struct version *root);
/* The changes from O to A and from O to B together. BASE_UNKNOWN if that is only possible with conflicts. */
int version_merge(struct version_scratch *d, const struct version *o, const struct version *a,
		  const struct version *b, struct version *ret);

#endif
