/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of box_spec_fill: each fills one part of the specification of a run. */
#ifndef BOX_SPEC_PARTS_H
#define BOX_SPEC_PARTS_H

#include "box/run_options.h"
#include "image/pseudo_policy.h"

/* OF_BOX: the profile that its box was made with; NULL: it has none. Sets the profile and where it is from.
 */
int spec_profile(const struct caller *by, const struct run_options *w, const char *of_box,
		 struct run_spec *spec, struct aisbx_error *e);

/* After the profile and the list of secrets. POLICY: of the image; it also takes capabilities and calls away.
 */
int spec_net(const struct caller *by, const struct run_options *w, const struct pseudo_policy *policy,
	     struct run_spec *spec, struct aisbx_error *e);
int spec_publish(struct run_spec *spec, const struct run_options *w, const struct pseudo_policy *policy,
		 struct aisbx_error *e);

/* PATH, which may be relative to CWD, as the specification keeps it: absolute and clean. */
int spec_path(struct run_spec *spec, const char *cwd, const char *path, const char **ret,
	      struct aisbx_error *e);
/* After the network, whose rules may name sockets. */
int spec_mounts(struct run_spec *spec, const char *cwd, const struct run_options *w, struct aisbx_error *e);
/* Says where aisbx keeps its state, and hides that from the command. */
void spec_state(struct run_spec *spec);

#endif
