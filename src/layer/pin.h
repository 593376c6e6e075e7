/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A copy of a real tree that is as the tree was at one moment, though others go on writing there: what
 * changed while it was copied is copied again, until nothing did. Contents are shared where the file system
 * can.
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
	size_t unreadable;     /* not for us to read: in the copy they are as closed, and hold nothing */
	bool shared;           /* no content had to be copied */
	struct timespec since; /* what changes later is not in it */
};

struct pin_how {
	bool owners;                                             /* give owners: only root can */
	bool (*stops)(void);                                     /* NULL, or whether to give it up: -EINTR */
	void (*tell)(void *ctx, const struct pin_count *so_far); /* NULL, or hears of it now and then */
	void *ctx;
};

/* TO, an empty directory, becomes like FROM. On failure what is there is for the caller to remove. */
int pin_copy(const char *from, const char *to, const struct pin_how *how, struct pin_count *ret,
	     struct aisbx_error *e);

#endif
