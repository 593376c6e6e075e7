/* SPDX-License-Identifier: Apache-2.0 */
/* What a box of root, or one that stands on an image, changed outside of its project: packages, users, files;
 * as what it is. */
#ifndef BOX_SYSTEM_H
#define BOX_SYSTEM_H

#include "box/box.h"
#include "box/packages.h"
#include "layer/change.h"

/* A part of the system that is counted by itself: "/etc", "/usr", "/usr/local". */
struct box_system_dir {
	char *path; /* owned */
	size_t files;
};

struct box_system_tree {
	char *host; /* owned; what the paths of its changes are below */
	struct change_list changes;
};

struct box_system {
	struct package_changes packages;
	struct strlist users;        /* owned; new names in /etc/passwd */
	size_t files;                /* changed ones, without directories and noise */
	size_t noise;                /* logs, caches, notes of package managers */
	struct box_system_dir *dirs; /* owned; FILES by place */
	size_t n_dirs;
	struct box_system_tree *trees; /* owned */
	size_t n_trees;
};

void box_system_finish(struct box_system *s);

/* From the host as it is to B at SNAPSHOT ("": as it is). */
int box_system_compare(struct box_state *s, const struct store_box *b, const char *snapshot,
		       struct box_system *ret, struct aisbx_error *e);

/* The same of a box that stands on an image: from that image. */
int box_system_compare_image(struct box_state *s, const struct store_box *b, const char *snapshot,
			     struct box_system *ret, struct aisbx_error *e);

/* Whether a change counts as one of FILES. PATH is absolute. */
bool box_system_counts(const struct change *c, const char *path);

/* Of one that does not: programs write it by the way. OWN: it is no change of the box's at all. */
bool box_system_is_noise(const char *path, bool *ret_own);

/*
 * Commands that install and remove the packages of S by their manager: "apt-get install hello=2.10-3". Heap
 * texts.
 */
void box_system_commands(const struct package_changes *packages, struct strlist *ret);

#endif
