/* SPDX-License-Identifier: Apache-2.0 */
/* Runs whose changes go with them, also on a machine whose tmpfs cannot hold these: see scratch_layer.c. */
#ifndef BOX_SCRATCH_LAYER_H
#define BOX_SCRATCH_LAYER_H

#include "base/str.h"
#include "driver/driver.h"

/* As driver_run; where the driver needs one, with a layer below the state directory that is gone afterwards.
 */
int box_run_scratch_layer(const struct driver *driver, struct run_spec *spec,
			  struct driver_result *ret_result, struct aisbx_error *e);

/*
 * The directories with such layers that exist and belong to this user alone; directories of others beside
 * them are ignored.
 */
int box_scratch_layer_dirs(const char *state, struct strlist *ret, struct aisbx_error *e);

/* Removes what killed runs left; adds how many to RET_N. */
int box_sweep_scratch_layers(const char *state, size_t *ret_n, struct aisbx_error *e);

#endif
