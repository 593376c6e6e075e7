/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files that a program left in its own directory of a box that has ended: listed, and copied out on
 * request.
 */
#ifndef BOX_OUTPUTS_H
#define BOX_OUTPUTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "aisbx/error.h"
#include "policy/trap.h"
#include "secret/redact.h"

struct outputs_file {
	char *path; /* owned; relative to the directory; arbitrary bytes */
	uint64_t size;
	const char *media; /* type of its content, if it can be shown: "image/png"; NULL: not known */
	/* errno for which it was not copied; 0: it was, or copying was not requested */
	int error;
	bool secret;             /* the error is that it contains a secret that was given to the box */
	const struct trap *trap; /* NULL, or why it would be a trap at its destination */
};

struct outputs {
	struct outputs_file *files; /* owned; sorted by path */
	size_t n;
	uint64_t not_listed; /* files beyond the limit of the list, and non-regular files */
	uint64_t unread;     /* directories that could not be read, or are nested too deep */
};

/* Maximum number of listed files, and of bytes copied in all: a file may claim any size. */
#define OUTPUTS_MAX_FILES 1000u
#define OUTPUTS_MAX_BYTES (256ull << 20)
/* Of those that may have changed, so many names are looked at. */
#define OUTPUTS_MAX_LOOKS 50000u

/* A directory to which the files are copied. */
struct outputs_to {
	int fd;          /* borrowed; -1: nowhere */
	const char *dir; /* borrowed; its absolute path */
	bool traps;      /* copy traps, too */
	/* borrowed; NULL, or only files that changed since then, in a directory that may change meanwhile;
	 * what tools keep for themselves is passed over */
	const struct timespec *since;
};

/*
 * Reads directory NAME of TMP_FD, in which nothing changes any more, unless TO says so. Nothing at TO is
 * overwritten, and of the mode only the executable bit is kept. A file in which HIDE (NULL: nothing) finds a
 * secret is not copied, nor is a trap unless requested. Fails as a whole only if memory runs out.
 */
int outputs_collect(int tmp_fd, const char *name, const struct outputs_to *to, const struct redactor *hide,
		    struct outputs *ret, struct aisbx_error *e);
/* The type of a file's content, by its first bytes; application/octet-stream if not known. */
const char *outputs_media(int fd);
void outputs_finish(struct outputs *h);

#endif
