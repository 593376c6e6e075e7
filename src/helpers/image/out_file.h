/* SPDX-License-Identifier: Apache-2.0 */
/* A file that is there whole or not at all: written under another name beside it, then renamed. */
#ifndef HELPERS_IMAGE_OUT_FILE_H
#define HELPERS_IMAGE_OUT_FILE_H

#include <stddef.h>

#include "aisbx/error.h"

struct out_file {
	int dir;               /* owned */
	int fd;                /* owned */
	char *name;            /* owned */
	char part[300];        /* its name while it is written; "" if there is none */
	struct aisbx_error *e; /* borrowed */
};

#define OUT_FILE_INIT               \
	{                           \
		.dir = -1, .fd = -1 \
	}

/* NAME in the directory DIR, a descriptor that is borrowed. What is there must not be there: -EEXIST. */
int out_file_begin(int dir, const char *name, struct out_file *ret, struct aisbx_error *e);
/* A tar_sink_fn: CTX is the struct out_file; errors are described in its E. */
int out_file_write(void *ctx, const void *data, size_t len);
/* On disk, under its name. */
int out_file_end(struct out_file *o);
/* Removes what was not ended. */
void out_file_finish(struct out_file *o);

#endif
