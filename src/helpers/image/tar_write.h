/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes tar archives that depend on nothing but what they hold: ustar headers, and before them a PAX header
 * only for what does not fit there. Times are whole seconds; names of owners are empty.
 */
#ifndef HELPERS_IMAGE_TAR_WRITE_H
#define HELPERS_IMAGE_TAR_WRITE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define TAR_BLOCK 512u
/* A larger PAX header is refused by the readers of other programs. */
#define TAR_PAX_MAX (1u << 20)

/* Where the bytes of an archive go. Negative errno. */
typedef int tar_sink_fn(void *ctx, const void *data, size_t len);

struct tar_xattr {
	const char *name;  /* borrowed */
	const void *value; /* borrowed */
	size_t len;
};

struct tar_entry {
	const char *path; /* borrowed; relative; of a directory without the slash at its end */
	const char
		*target; /* borrowed; of a symbolic link, or the path of the first name of a file; or NULL */
	char type;   /* '0' file, '1' another name of a file, '2' symbolic link, '5' directory, '6' FIFO */
	mode_t mode; /* permissions */
	uint32_t uid, gid;
	int64_t mtime;
	uint64_t size;                  /* of a file */
	const struct tar_xattr *xattrs; /* borrowed; sorted by name */
	size_t n_xattrs;
};

/*
 * The headers of an entry. The SIZE bytes of a file come next, by the caller, and then tar_write_padding.
 * Negative errno: -E2BIG for a PAX header over TAR_PAX_MAX, -EINVAL for an attribute whose name has a '='.
 */
int tar_write_entry(const struct tar_entry *entry, tar_sink_fn *sink, void *ctx);
/* After the content of a file of SIZE bytes. */
int tar_write_padding(uint64_t size, tar_sink_fn *sink, void *ctx);
/* After the last entry. */
int tar_write_end(tar_sink_fn *sink, void *ctx);

#endif
