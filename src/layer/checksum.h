/* SPDX-License-Identifier: Apache-2.0 */
/* A content identified by its checksum: if it is not stored, but may be compared later. */
#ifndef LAYER_CHECKSUM_H
#define LAYER_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#define CHECKSUM_MAX 31 /* as text, with its NUL */
#define CHECKSUM_BUDGET \
	((uint64_t)128 << 20) /* limit for hashing many contents: beyond it the checksum is unknown */

/* The content of the file AT/NAME, or, if MODE is that of a link, its target. Negative errno. */
int checksum_of_file(int at, const char *name, mode_t mode, char ret[CHECKSUM_MAX]);

/* The same within BUDGET, which is charged. "" if it has no content, is too large or cannot be read. */
void checksum_within(int at, const char *name, const struct stat *st, uint64_t *budget,
		     char ret[CHECKSUM_MAX]);

#endif
