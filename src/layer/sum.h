/* SPDX-License-Identifier: Apache-2.0 */
/* A content told by its sum: where it was not kept, but may be asked for again. */
#ifndef LAYER_SUM_H
#define LAYER_SUM_H

#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#define SUM_MAX 31 /* as text, with its NUL */
#define SUM_BUDGET \
	((uint64_t)128 << 20) /* who sums up many contents goes no further: after that nobody knows */

/* The content of the file AT/NAME, or, if MODE says that it is a link, where that leads. Negative errno. */
int sum_of_file(int at, const char *name, mode_t mode, char ret[SUM_MAX]);

/* The same while BUDGET lasts, which is charged. "" for what has none, is too much or cannot be read. */
void sum_within(int at, const char *name, const struct stat *st, uint64_t *budget, char ret[SUM_MAX]);

#endif
