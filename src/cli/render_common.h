/* SPDX-License-Identifier: Apache-2.0 */
/* What the renderers share: reading a result, colours, and the symbol of each kind of change. */
#ifndef CLI_RENDER_COMMON_H
#define CLI_RENDER_COMMON_H

#include <jansson.h>

#define GREEN  "\033[32m"
#define RED    "\033[31m"
#define YELLOW "\033[33m"
#define DIM    "\033[2m"
#define BOLD   "\033[1m"
#define PLAIN  "\033[0m"

/* A member of OBJECT; "" or 0 if it is missing. */
const char *text_of(const json_t *object, const char *key);
json_int_t number_of(const json_t *object, const char *key);

/* How a kind of change is shown. The list ends with one without a kind, for those that are not in it. */
struct change_mark {
	const char *kind, *mark, *colour;
};
extern const struct change_mark change_marks[];
const struct change_mark *change_mark_of(const char *kind);

/* CODE if standard output supports colours, else "". */
const char *paint(const char *code);

/* "3 files (1.2 MiB) that git ignores are not in this", if there are any in RESULT. */
/* The number of entries missing from the list KEY, if it is not complete. */
void print_more(const json_t *result, const char *key);
void print_ignored(FILE *f, const json_t *result);

#endif
