/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Users of an image: names are looked up in its own /etc/passwd and /etc/group, as its layers have them,
 * never in this machine's. What is read is hostile: no link is followed, nothing is read without an end.
 */
#ifndef IMAGE_USER_H
#define IMAGE_USER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "aisbx/error.h"
#include "base/buf.h"

#define IMAGE_MAX_GROUPS 32u

struct image_user {
	uint32_t uid, gid;
	uint32_t groups[IMAGE_MAX_GROUPS], n_groups; /* supplementary ones */
	char home[1024];                             /* as /etc/passwd says; "": it says nothing */
};

/*
 * UPS: the directories of changes of the layers, newest first. USER is as in an image's config: "" is root;
 * "UID" and "UID:GID" need no file. A name that is not there is refused; so is an id of 65536 or more, for
 * which no box has room.
 */
int image_user_find(const char *const *ups, size_t n_ups, const char *user, struct image_user *ret,
		    struct aisbx_error *e);

/* The same in texts of these files, which may be empty. */
int image_user_read(const struct buf *passwd, const struct buf *group, const char *user,
		    struct image_user *ret, struct aisbx_error *e);

/*
 * Appends what regular file REL ("etc/passwd") contains, at most MAX bytes, as a box with these layers sees
 * it. -ENOENT: there is none, or something else is in its place, or a link on the way. Negative errno.
 */
int image_file_read(const char *const *ups, size_t n_ups, const char *rel, size_t max, struct buf *ret);

/* Whether a box with these layers has anything at REL, also a link. One on the way to it is not followed. */
bool image_has(const char *const *ups, size_t n_ups, const char *rel);

#endif
