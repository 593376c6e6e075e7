/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of runs: a link STATE/runs/OWNER@NAME to the id. It stays after the end of the run, so that its log
 * is found by name; a later run of that name takes it over.
 */
#ifndef BOX_RUN_NAMES_H
#define BOX_RUN_NAMES_H

#include "run/spec.h"
#include "store/store.h"

/* From now on WISH (NULL: two words that are free) is the run ID. -EBUSY: a live run has that name. */
int run_name_take(const char *wish, const char *id, char ret[RUN_NAME_MAX], struct aisbx_error *e);
/* The newest run of that name, of the owner who asks; -ENOENT leaves E unchanged. */
int run_name_find(const char *name, char ret_id[STORE_ID_MAX], struct aisbx_error *e);
/* No run was started: nobody shall find it. */
void run_name_drop(const char *name, const char *id);
/* Removes names of runs whose logs are too old to be kept. */
void run_names_collect(void);

#endif
