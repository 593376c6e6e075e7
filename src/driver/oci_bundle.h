/* SPDX-License-Identifier: Apache-2.0 */
/* The config.json of a bundle, as the OCI runtime specification has it. Pure. */
#ifndef DRIVER_OCI_BUNDLE_H
#define DRIVER_OCI_BUNDLE_H

#include <stdint.h>

#include "aisbx/error.h"
#include "base/buf.h"
#include "base/str.h"
#include "jail/build.h"

struct oci_bundle {
	uint32_t walls;        /* WALL_BIT() of those that are wanted */
	uint64_t caps;         /* bits of the capabilities that pid 1 has */
	const char *host;      /* borrowed; host name */
	struct strlist masked; /* owned; paths below /proc that are hidden */
	struct strlist locked; /* owned; and those that are read-only */
	/* NULL: pid 1 is ours; or the plan, whose command the runtime itself starts in a kernel of its own */
	const struct jail_plan_builder *guest;
};

void oci_bundle_finish(struct oci_bundle *c);
/* The text, for the paths and descriptors of jail/plan.h. */
int oci_bundle_write(const struct oci_bundle *c, struct buf *ret, struct aisbx_error *e);

#endif
