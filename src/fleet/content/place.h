/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A tree being put in its place: in a directory beside, which gets its name when everything is there. Every
 * name is resolved below that directory, and no link is followed.
 */
#ifndef FLEET_CONTENT_PLACE_H
#define FLEET_CONTENT_PLACE_H

#include <sys/stat.h>

#include "fleet/content/files.h"
#include "fleet/content/tree.h"

struct content_target {
	char *path;   /* owned; where it goes, absolute */
	char *beside; /* owned; name of the directory beside */
	int parent;   /* owned */
	int fd;       /* owned; of the directory beside */
	bool is_exact;
	bool was_there;    /* an earlier pull was stopped */
	uint64_t left_out; /* attributes that cannot be here */
};

#define CONTENT_TARGET_INIT            \
	{                              \
		.parent = -1, .fd = -1 \
	}

int content_target_open(const char *path, const uint8_t id[CONTENT_ID], struct content_target *ret,
			struct aisbx_error *e);
void content_target_finish(struct content_target *t);

/* The file PATH below FD; or a negative errno. */
int content_open_below(int fd, const char *path, int flags);
/* A file for writing, even if an earlier pull has set its mode already. */
int content_target_file(const struct content_target *t, const char *path);

/* Directories, and files of their size without content. */
int content_target_make(const struct content_target *t, const struct content_tree *tree,
			struct aisbx_error *e);
/* Links, further names, fifos and whiteouts; then owners, modes, attributes and times of all. */
int content_target_end(struct content_target *t, const struct content_tree *tree, struct aisbx_error *e);
/* Under its name, and on the disk. STAMPS gets one for each entry. */
int content_target_name(const struct content_target *t, const struct content_tree *tree,
			struct content_stamp *stamps, struct aisbx_error *e);

#endif
