/* SPDX-License-Identifier: Apache-2.0 */
/* What the renderers share: reading a result, colours, and the symbol of each kind of change. */
#ifndef CLI_RENDER_COMMON_H
#define CLI_RENDER_COMMON_H

#include <jansson.h>

#include "cli/color.h"

/* A member of OBJECT; "" or 0 if it is missing. */
const char *text_of(const json_t *object, const char *key);
json_int_t number_of(const json_t *object, const char *key);

/* How long ago MS, since 1970, was: "now", "3 s", "2 min", "5 h", "12 days". */
const char *age_text(json_int_t ms, char *buf, size_t cap);
/* The same as words: "2 minutes ago". */
const char *ago_text(json_int_t ms, char *buf, size_t cap);
/* MS since 1970 as a local date and time. */
const char *date_text(json_int_t ms, char *buf, size_t cap);
/* "1 file", "3 files"; the many of ONE is with an s. */
const char *count_text(json_int_t n, const char *one, char *buf, size_t cap);

/* The policy of an image in words: "at most chown, no network". Heap; NULL: it has none, or no memory. */
char *policy_text(const json_t *policy);

/* How a kind of change is shown. The list ends with one without a kind, for those that are not in it. */
struct change_mark {
	const char *kind, *mark, *colour;
};
extern const struct change_mark change_marks[];
const struct change_mark *change_mark_of(const char *kind);

/* The number of entries missing from the list KEY, if it is not complete. */
void print_more(const json_t *result, const char *key);
/* "3 files (1.2 MiB) that git ignores are not in this", if there are any in RESULT. */
void print_ignored(FILE *f, const json_t *result);

#endif
