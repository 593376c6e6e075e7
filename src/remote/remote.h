/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A command line that is carried to another machine by ssh. Used at both ends by the program aisbx-remote,
 * which has to build wherever there is POSIX: no header of Linux, nothing of the sandbox.
 */
#ifndef REMOTE_REMOTE_H
#define REMOTE_REMOTE_H

#include <stdbool.h>
#include <stddef.h>

/* As aisbx itself: an own failure can be told from the command's status. */
#define REMOTE_EXIT 125
/* Bytes of a message in its encoded form: systems take no longer single argument than 128 KiB. */
#define REMOTE_MAX 120000u

/* What is carried. Strings in a decoded call point into MEM. */
struct remote_call {
	const char *dir; /* where the command runs */
	char **env;      /* NAME=VALUE; ends with NULL */
	char **words;    /* arguments of aisbx; ends with NULL */
	char *mem;       /* owned, as are both lists; NULL in a call that is to be sent */
};

/*
 * As letters, digits, '+', '/' and '=': a shell at the other end, whichever it is, has nothing to take apart.
 * Heap; NULL: no memory.
 */
char *remote_encode(const struct remote_call *c);
/* Strict: false for everything that remote_encode would not give. */
bool remote_decode(const char *text, struct remote_call *ret);
void remote_call_finish(struct remote_call *c);

/* Where a person wants to go: "HOST", "USER@HOST" or "ssh://[USER@]HOST[:PORT][/DIR]". */
struct remote_place {
	char host[300];  /* for ssh */
	const char *dir; /* points into the text; NULL: none */
};

/* NULL, or what is wrong with TEXT. */
const char *remote_place_read(const char *text, struct remote_place *ret);

/* Variables that count for the command there as here; ends with NULL. */
extern const char *const remote_variables[];

/* Becomes ssh; returns only when that failed, with an exit status. */
int remote_send(const char *place, const char *dir, char **words);
/* At the other end: runs what TEXT says. SELF: how this program was called. */
int remote_obey(const char *self, const char *text);

#endif
