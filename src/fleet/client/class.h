/* SPDX-License-Identifier: Apache-2.0 */
/* Labels as people write them, to the class of a job. */
#ifndef FLEET_CLIENT_CLASS_H
#define FLEET_CLIENT_CLASS_H

#include "aisbx/error.h"
#include "fleet/core/types.h"

/* "zone=a,gpu=1" to "gpu=1,zone=a": in the order of the alphabet, each once. */
int class_of_labels(const char *labels, char ret[FLEET_NAME], struct aisbx_error *e);

#endif
