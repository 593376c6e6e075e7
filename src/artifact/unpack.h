/* SPDX-License-Identifier: Apache-2.0 */
/* Reads what aisbx-file packed: a file or a directory as one stream, which is not trusted. */
#ifndef ARTIFACT_UNPACK_H
#define ARTIFACT_UNPACK_H

#include <limits.h>
#include <stdbool.h>

#include "aisbx/error.h"
#include "base/sha256.h"
#include "helpers/file/wire.h"

struct unpack {
	int fd;             /* borrowed; a file */
	uint64_t at, end;   /* what is left of it */
	struct sha256 *sum; /* borrowed; NULL, or what gets every byte that is read */
	bool begun;
	struct file_entry e; /* where it stands */
	char name[PATH_MAX]; /* relative to what was packed; "" for that itself, which comes first */
	char target[PATH_MAX];
};

/* 1: the next entry; its content, if it is a file, must be read or skipped. 0: the end. */
int unpack_next(struct unpack *p, struct aisbx_error *e);
/* As many bytes of the content as ROOM has; LEFT: of it, begins with e.size. */
int unpack_read(struct unpack *p, uint64_t *left, char *room, size_t cap, size_t *ret_n,
		struct aisbx_error *e);

#endif
