/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The glass: a command on the real machine, as it is, that can read and change nothing. A Landlock domain and
 * a seccomp filter around one process and all it starts; no namespace, no mount, no file, nothing to clean
 * up. It hides no names, and does not limit time or memory.
 */
#ifndef LOOK_LOOK_H
#define LOOK_LOOK_H

#include <stdbool.h>
#include <stddef.h>

#include "aisbx/error.h"
#include "base/str.h"

/* Where the kernel gets these rights all: signals and abstract sockets are scoped from here on. */
#define LOOK_LANDLOCK_ABI 6

/* 0, or why there can be no glass here. */
int look_available(struct aisbx_error *e);

/*
 * Puts this process behind the glass, for good. ENV tells whose home it is. Reads back that a write, a
 * secret, a signal and a socket are refused. RET_LISTENER: NULL, or gets the descriptor that hears of writes
 * and refused calls before they are made. Descriptors but 0 to 2 are closed on exec.
 */
int look_enter(const char *const *env, int *ret_listener, struct aisbx_error *e);

/* outcome.c: this process becomes the command, behind the glass. Returns only when that failed; then nothing
 * but to exit with *RET_STATUS is left. */
int look_become(const char *const *env, const char *cwd, char *const *words, int *ret_status,
		struct aisbx_error *e);

/* ENV without secrets, with what keeps programs from trying to write. Borrows its words; the list is the
 * caller's, NULL when memory ran out. */
const char **look_environment(const char *const *env);

/* places.c: what is not shown. */
struct look_places {
	struct strlist hidden; /* real paths, sorted; what this user cannot read anyhow is left out */
	struct strlist
		homes; /* real paths of this user's, shown although they may lie in /home, which is hidden */
};
int look_places_read(const char *const *env, struct look_places *ret, struct aisbx_error *e);
void look_places_finish(struct look_places *p);
/* Grants reading of everything but that. Leaves descriptors open, which close on exec: to close each takes
 * its time. */
int look_show(int ruleset, const struct look_places *p, struct aisbx_error *e);

struct sock_filter;
/* filter.c: a copy on the heap, for who waits for notifications or for nobody; NULL when memory ran out. */
struct sock_filter *look_filter(bool watched, unsigned short *ret_count);
/* "?" when the number is not in the table. */
const char *look_call_name(int nr);

#endif
