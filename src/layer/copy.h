/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of files: content with its holes, and attributes. By descriptor only; each returns 0 or a negative
 * errno. */
#ifndef LAYER_COPY_H
#define LAYER_COPY_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

/* What copy_attrs copies. */
enum {
	COPY_MODE = 2, /* and owner */
	COPY_XATTR = 4,
	COPY_TIME = 8,
};

struct copy_how {
	int64_t id_delta;   /* added to owners, also to those in access lists; 0: as they are */
	bool owners;        /* give owners: only root can */
	bool overlay;       /* a layer for a layer: keep overlayfs' own xattrs */
	gid_t group;        /* without owners: 0, or the group it gets instead of its own */
	unsigned int leave; /* COPY_ bits of what TO keeps */
};

/* R says that there is no such file, or none that belongs to the tree: a link leads elsewhere. */
static inline bool copy_is_gone(int r)
{
	return r == -ENOENT || r == -ENOTDIR || r == -ELOOP;
}

/* Opens for reading, without following links, whatever permissions its owner set if that is us. */
int copy_open(int at, const char *name);

/* readlinkat(2), likewise; not ended by a NUL. */
ssize_t copy_readlink(int at, const char *name, char *ret, size_t cap);

/* fgetxattr(2), likewise. */
ssize_t copy_getxattr(int fd, const char *name, void *ret, size_t cap);

/* SIZE bytes: shared if the file system can, otherwise copied without holes. */
int copy_data(int from, int to, off_t size);

/* Owner, mode, extended attributes, times. Extended attributes that only TO has are removed. */
int copy_attrs(int from, int to, const struct copy_how *how);

/* Whether an extended attribute belongs to a person, or is only valid in its own place. */
bool copy_takes_xattr(const char *name, bool overlay);

/* DELTA is added to the ids of the access list VALUE, the value of "system.posix_acl_...". */
void copy_shift_acl(char *value, size_t len, int64_t delta);

/* A checksum of a person's extended attributes; 0 for none. ID_DELTA as above. */
int copy_xattr_sum(int fd, int64_t id_delta, uint64_t *ret);

/* A new symbolic link AT/NAME like FROM_AT/FROM, with its owner and times. */
int copy_link(int from_at, const char *from, int at, const char *name, const struct copy_how *how);

#endif
