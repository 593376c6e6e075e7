/* SPDX-License-Identifier: Apache-2.0 */
/* What a run was refused, as text. Inside driver/ only. */
#ifndef DRIVER_VIOLATION_H
#define DRIVER_VIOLATION_H

#include "driver/driver.h"

/* Fills in the violations of RESULT, which is finished after an error. WATCHED: paths of
 * the decoys. */
int violations_describe(struct driver_result *result, const struct run_spec *spec,
			const struct strlist *watched, struct aisbx_error *e);

#endif
