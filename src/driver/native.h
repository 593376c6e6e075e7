/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The native driver as others use it that build on it: they set spec->jail.runtime, and the jail leaves the
 * inner walls to that. Inside driver/ only.
 */
#ifndef DRIVER_NATIVE_H
#define DRIVER_NATIVE_H

#include "driver/driver.h"
#include "jail/build.h"

/* As in the table; spec->jail.runtime may be set, and is NULL afterwards. */
int native_prepare(struct run_spec *spec, struct aisbx_error *e);
int native_probe(struct driver_here *ret, struct aisbx_error *e);
/* With spec->box.ready, in which case the input is none of the caller's: -ECANCELED, it was made; -ESTALE,
 * and E as it was: what stood was another one than SPEC needs, and is gone. */
int native_run(struct run_spec *spec, struct driver_result *ret_result, struct aisbx_error *e);
int native_join(struct run_spec *spec, int live_fd, struct driver_result *ret_result, struct aisbx_error *e);
uint32_t native_id_shift(void);
bool native_unknown_group(const char *project, char *ret, size_t cap);

/* oci.c: completes the plan of a box whose inner walls spec->jail.runtime builds. */
int oci_complete_plan(const struct run_spec *spec, struct jail_plan_builder *b, struct aisbx_error *e);

#endif
