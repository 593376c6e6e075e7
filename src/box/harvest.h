/* SPDX-License-Identifier: Apache-2.0 */
/* What a program left in its own directory of a box that is gone: listed, and copied out when somebody wants
 * it. */
#ifndef BOX_HARVEST_H
#define BOX_HARVEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "aisbx/error.h"
#include "policy/trap.h"
#include "secret/redact.h"

struct harvest_file {
	char *path; /* owned; below the directory; bytes of the box's choice */
	uint64_t size;
	const char *media;       /* type of its content, if it can be shown: "image/png"; NULL: not known */
	int error;               /* errno for which it was not copied; 0: it was, or nobody asked */
	bool secret;             /* the error is that it holds a secret the box was given */
	const struct trap *trap; /* NULL, or the error is that it would be obeyed there unasked */
};

struct harvest {
	struct harvest_file *files; /* owned; sorted by path */
	size_t n;
	uint64_t not_listed; /* files past the most that are listed, and what is no regular file */
	uint64_t unread;     /* directories that could not be read, or lie too deep */
};

/* So many are listed, and so much is copied in all: a file may claim to be larger than
 * everything there is. */
#define HARVEST_MAX_FILES 1000u
#define HARVEST_MAX_BYTES (256ull << 20)

/* A directory to which the files are copied. */
struct harvest_to {
	int fd;          /* borrowed; -1: nowhere */
	const char *dir; /* borrowed; its absolute path */
	bool traps;      /* also what is a trap there */
};

/*
 * Reads directory NAME of TMP_FD, in which nobody changes anything any more. Nothing that is at TO is
 * overwritten, and no mark but "may be executed" is kept. A file that holds what HIDE looks for (NULL:
 * nothing) is not copied, and neither is a trap that nobody wished for. Never fails as a whole but for want
 * of memory.
 */
int harvest_collect(int tmp_fd, const char *name, const struct harvest_to *to, const struct redactor *hide,
		    struct harvest *ret, struct aisbx_error *e);
/* The type of a file's content, by its first bytes; application/octet-stream where nothing else is known. */
const char *harvest_media(int fd);
void harvest_finish(struct harvest *h);

#endif
