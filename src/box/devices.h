/* SPDX-License-Identifier: Apache-2.0 */
/* Devices of the machine that a box is shown: which, and whether it may. */
#ifndef BOX_DEVICES_H
#define BOX_DEVICES_H

#include "box/run_options.h"

#define BOX_DEVICES_MAX 128 /* of one box */

/* Whether the options or the profile of SPEC ask for any: then there must be room for BOX_DEVICES_MAX more
 * mounts. */
bool box_has_devices(const struct run_spec *spec, const struct run_options *w);
/* Adds them to the mounts of SPEC. One that the options name must be there, and the caller must be able to
 * open it. */
int box_devices_add(struct run_spec *spec, const char *cwd, const struct run_options *w,
		    struct aisbx_error *e);

#endif
