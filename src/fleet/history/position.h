/* SPDX-License-Identifier: Apache-2.0 */
/* How far a node has sent its history: in a file of the node, written after the engine has acknowledged. */
#ifndef FLEET_HISTORY_POSITION_H
#define FLEET_HISTORY_POSITION_H

#include "fleet/history/row.h"

struct history_position {
	char incarnation[HISTORY_DIGEST];
	uint64_t sequence; /* of the last row that was sent; 0: none */
	struct history_mark at[HISTORY_SOURCES];
	int64_t stream_ns;        /* when the stream was made that has it */
	uint64_t stream_sequence; /* of the message there; 0: none */
};

/* A new incarnation, which continues after AT; NULL: from the beginning. */
int history_position_begin(const struct history_mark *at, struct history_position *ret,
			   struct aisbx_error *e);
/* -ENOENT: there is none, or none that can be read; E is unchanged then. */
int history_position_load(const char *path, struct history_position *ret, struct aisbx_error *e);
/* On the disk when it returns. Makes the directory of PATH. */
int history_position_save(const char *path, const struct history_position *p, struct aisbx_error *e);

#endif
