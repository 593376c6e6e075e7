/* SPDX-License-Identifier: Apache-2.0 */
/* Questions about the history, and their answers for people and programs. */
#ifndef FLEET_COLLECT_QUERY_H
#define FLEET_COLLECT_QUERY_H

#include <stdbool.h>
#include <stdio.h>

#include "fleet/collect/centre.h"

/* What WHERE lets through, newest first, at most LIMIT; as a table, or one JSON text a line. */
int query_history(struct centre *c, const char *where, const char *limit, bool json, FILE *out,
		  struct aisbx_error *e);
/* Conflicts, newest first; with ALL also those that are resolved. */
int query_conflicts(struct centre *c, bool all, bool json, FILE *out, struct aisbx_error *e);
/* A view of figures: "boxes_per_hour" and so on; NULL: the list of them. */
int query_figures(struct centre *c, const char *name, bool json, FILE *out, struct aisbx_error *e);

#endif
