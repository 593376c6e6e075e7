/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A consistent copy of a real tree while others write to it: what changed while it was copied is copied
 * again, until nothing did. Contents are shared if the file system can.
 */
#ifndef LAYER_PIN_H
#define LAYER_PIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "aisbx/error.h"

struct pin_count {
	size_t files;          /* and directories, links */
	uint64_t bytes;        /* of files */
	size_t unreadable;     /* not readable for us: in the copy they are empty and not accessible */
	bool shared;           /* no content had to be copied */
	struct timespec since; /* later changes are not in it */
};

struct pin_how {
	bool owners;         /* give owners: only root can */
	bool (*stops)(void); /* NULL, or whether to give up: -EINTR */
	/* NULL, or called now and then with the progress */
	void (*tell)(void *ctx, const struct pin_count *so_far);
	void *ctx;
};

/* TO, an empty directory, becomes a copy of FROM. On failure the caller removes what is there. */
int pin_copy(const char *from, const char *to, const struct pin_how *how, struct pin_count *ret,
	     struct aisbx_error *e);

#endif
