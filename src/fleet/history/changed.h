/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a promotion changed, as its event tells the centre: there it is seen whether two machines changed the
 * same file of the same project, starting from the same content.
 */
#ifndef FLEET_HISTORY_CHANGED_H
#define FLEET_HISTORY_CHANGED_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * Adds to BODY of promotion ID in DIR: "changed", {"PATH": [WAS, IS]}, where both are names of contents, or
 * "new", "gone", or "" if not known; "not_compared", how many more there are; and "project", where git
 * fetches it from. Returns about how long what was added is; 0: nothing, as when it was undone, or is no
 * more.
 */
size_t changed_tell(json_t *body, const char *dir, const char *id);

/* A project is cloned by many names: URL without scheme, person, password and ".git". False: it has none. */
bool changed_origin(const char *url, char *ret, size_t cap);

#endif
