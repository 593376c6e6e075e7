/* SPDX-License-Identifier: Apache-2.0 */
/* An experiment whose branches run apart, each as an experiment of its own, and are compared here by the same
 * rule. */
#ifndef OP_TRY_APART_H
#define OP_TRY_APART_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "aisbx/error.h"

/*
 * ARGUMENTS of `try` as {"mode", "most", "keep", "parallel": 0 or so many at once, "branches": [{"name",
 * "command", "arguments"}]}: those of `try` with this branch alone. A new reference.
 */
int op_try_split(const json_t *arguments, json_t **ret, struct aisbx_error *e);
/*
 * The report on branch I, from 0, of SPLIT: as SAID, the result of its own experiment, has it. If that has
 * none it has failed, or was STOPPED, and WHY says why. A new reference.
 */
json_t *op_try_report(const json_t *split, size_t i, const json_t *said, bool stopped, const char *why);
/*
 * The result of `try`, of REPORTS in the order of the branches; boxes are not known yet. FIRST: which passed
 * first, from 1; 0: none. SIGNAL: that ended it, or 0. A new reference, or NULL without memory.
 */
json_t *op_try_join(const json_t *split, const json_t *reports, size_t first, int signal, double wall_ms,
		    int *ret_status);

#endif
