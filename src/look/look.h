/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The glass: a command on the real machine, as it is, that can read and change nothing. A Landlock domain and
 * a seccomp filter around one process and all its children; no namespace, no mount, no file, nothing to clean
 * up. It hides no names, and does not limit time or memory.
 */
#ifndef LOOK_LOOK_H
#define LOOK_LOOK_H

#include <stdbool.h>
#include <stddef.h>

#include "aisbx/error.h"
#include "base/str.h"

/* The Landlock version with all needed rights: signals and abstract sockets are scoped since then. */
#define LOOK_LANDLOCK_ABI 6

/* 0, or why the glass is not available. */
int look_available(struct aisbx_error *e);

/*
 * Puts this process behind the glass, permanently. ENV says whose home it is. Checks that a write, a secret,
 * a signal and a socket are refused. RET_LISTENER: NULL, or gets the descriptor for notifications of writes
 * and refused calls. SCRATCH: NULL, or a directory that may be changed; then there is a listener, which hears
 * of refused calls only. Descriptors except 0 to 2 are closed on exec.
 */
int look_enter(const char *const *env, const char *scratch, int *ret_listener, struct aisbx_error *e);

/*
 * outcome.c: this process becomes the command, behind the glass. Returns only on failure; then exit with
 * *RET_STATUS.
 */
int look_become(const char *const *env, const char *cwd, char *const *words, int *ret_status,
		struct aisbx_error *e);

/*
 * ENV without secrets, with variables that keep programs from trying to write. Borrows its strings; the list
 * is the caller's, NULL if memory ran out.
 */
const char **look_environment(const char *const *env);

/* places.c: what is not shown. */
struct look_places {
	/* real paths, sorted; paths that this user cannot read anyway are left out */
	struct strlist hidden;
	struct strlist
		homes; /* real paths of this user, shown although they may be in /home, which is hidden */
};
int look_places_read(const char *const *env, struct look_places *ret, struct aisbx_error *e);
void look_places_finish(struct look_places *p);
/*
 * Grants reading of everything else. Leaves descriptors open, which close on exec: closing each takes time.
 */
int look_show(int ruleset, const struct look_places *p, struct aisbx_error *e);
/* Grants everything of ACCESS below DIR. */
int look_show_all(int ruleset, const char *dir, unsigned long long access, struct aisbx_error *e);

struct sock_filter;
/* filter.c: a copy on the heap; NULL if memory ran out. */
enum look_hears {
	LOOK_NOBODY,  /* refused calls fail */
	LOOK_WRITES,  /* somebody hears of writes and refused calls */
	LOOK_REFUSED, /* of refused calls */
};
struct sock_filter *look_filter(enum look_hears who, unsigned short *ret_count);
/* "?" when the number is not in the table. */
const char *look_call_name(int nr);

#endif
