/* SPDX-License-Identifier: Apache-2.0 */
/* Names whose TLS is never ended, because it could not work: their clients accept one certificate only, or
 * show their own. */
#ifndef NET_NEVER_ENDED_H
#define NET_NEVER_ENDED_H

#include <stdbool.h>

/*
 * NAME is canonical. MORE are patterns of the person's own ("name", "*.name"; NULL-terminated, may be NULL).
 * The answer is why, or NULL. A rule with a method or path, or a secret, for such a name is refused where it
 * is written: it could not be kept.
 */
const char *net_never_ended(const char *name, const char *const *more);
/* "name" or "*.name" (names below it, not itself). */
bool net_name_matches(const char *name, const char *pattern);

#endif
