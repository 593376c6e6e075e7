/* SPDX-License-Identifier: Apache-2.0 */
/* Owner, mode and extended attributes of a file in a layer, as its image has them. */
#ifndef HELPERS_IMAGE_PACK_ATTR_H
#define HELPERS_IMAGE_PACK_ATTR_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "helpers/image/tar_write.h"

/* How owners were written when the layer was made (image/wire.h). */
struct pack_ids {
	uint32_t shift; /* added to the ids of the image */
	bool one_id;    /* there was one id: an attribute has the owner, unless it is 0:0 */
	bool sub;       /* we are where ids are as in the box, whose root is an ordinary user */
};

struct pack_attrs {
	uint32_t uid, gid;
	mode_t mode;
	struct tar_xattr *xattrs; /* owned, with names and values; sorted by name */
	size_t n_xattrs;
	size_t left_out; /* attributes that an archive cannot hold */
};

void pack_attrs_finish(struct pack_attrs *a);

/* FD: the file, open for reading; -1: its extended attributes are not looked at. Negative errno. */
int pack_attrs_read(int fd, const struct stat *st, const struct pack_ids *ids, struct pack_attrs *ret);

/* "UID:GID" or "UID:GID:MODE", the mode in octal digits. Negative: anything else; then nothing is changed. */
int pack_owner_parse(const char *text, size_t len, uint32_t *uid, uint32_t *gid, mode_t *mode);

#endif
