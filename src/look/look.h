/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The glass: a command on the real machine, as it is, that can read and change nothing. A Landlock domain and a seccomp
 * filter around one process and all it starts; no namespace, no mount, no file, nothing to clean up. It hides no names,
 * and does not limit time or memory.
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
 * Puts this process behind the glass, for good. ENV tells whose home it is. Reads back that a write, a secret, a signal and
 * a socket are refused. RET_LISTENER: NULL, or gets the descriptor that hears of writes and refused calls before they are
 * made. Descriptors but 0 to 2 are closed on exec.
 */
int look_enter(const char *const *env, int *ret_listener, struct aisbx_error *e);

/* ENV without secrets, with what keeps programs from trying to write. Borrows its words; the list is the caller's, NULL when
 * memory ran out. */
const char **look_environment(const char *const *env);

/* places.c: real paths of what is not shown, sorted; what this user cannot read anyhow is left out. */
int look_places(const char *const *env, struct strlist *ret_hidden, struct aisbx_error *e);
/* Grants reading of everything but HIDDEN. */
int look_show(int ruleset, const struct strlist *hidden, struct aisbx_error *e);

struct sock_filter;
/* filter.c: a copy on the heap, for who waits for notifications or for nobody; NULL when memory ran out. */
struct sock_filter *look_filter(bool watched, unsigned short *ret_count);
/* "?" when the number is not in the table. */
const char *look_call_name(int nr);

#endif
