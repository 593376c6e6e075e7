/* SPDX-License-Identifier: Apache-2.0 */
/* Runs on top of an image that leave nothing. */
#ifndef BOX_IMAGE_ONCE_H
#define BOX_IMAGE_ONCE_H

#include "box/box.h"

/*
 * Runs SPEC, whose walls.image is set, in a box that is removed after the run. The image itself does not
 * change, and may be removed meanwhile: its layers stay as long as this runs.
 */
int box_run_on_image(const struct driver *driver, struct run_spec *spec, struct driver_result *ret_result,
		     struct aisbx_error *e);

#endif
