/* SPDX-License-Identifier: Apache-2.0 */
/* Whose a file of an image is here, and which of its extended attributes it may have. No system calls. */
#ifndef HELPERS_IMAGE_OWNER_H
#define HELPERS_IMAGE_OWNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define OWNER_IDS   65536u /* how many ids a box has, when they are shifted */
#define OWNER_OTHER 65534u /* who gets what belongs to another one */

struct owner {
	uid_t uid; /* on disk, if we can choose it */
	gid_t gid;
	mode_t mode;
	char note[40]; /* for IMAGE_OWNER_XATTR; "": none is needed */
};

/* Which ids there are for the files of an image. */
enum owner_ids {
	OWNER_ALL, /* every one, or if they are shifted those up to OWNER_IDS */
	OWNER_ONE, /* everything is ours */
	OWNER_SUB, /* 0 is we ourselves, the others up to OWNER_IDS are ids that are subordinate to us */
};

/*
 * With OWNER_ONE and OWNER_SUB, a file that would run as us for anybody loses its setuid or setgid bit, and
 * the note tells the mode it had.
 */
struct owner owner_of(uint32_t uid, uint32_t gid, mode_t mode, bool is_dir, uint32_t id_shift,
		      enum owner_ids ids);

/* How much longer a value may become. */
#define XATTR_MORE 8
/*
 * Whether the attribute may be set; VALUE (with room for XATTR_MORE bytes) and *LEN become what is right
 * here. CAPABILITIES: we can give them, in our own user namespace at least.
 */
bool xattr_fits(const char *name, char *value, size_t *len, uint32_t id_shift, enum owner_ids ids,
		bool capabilities);

#endif
