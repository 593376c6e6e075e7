/* SPDX-License-Identifier: Apache-2.0 */
/* Paths that a person names for a promotion. */
#ifndef PROMOTE_NAMED_PATHS_H
#define PROMOTE_NAMED_PATHS_H

#include "aisbx/error.h"
#include "base/str.h"
#include "layer/view.h"

/* Refuses a path that neither the box nor the target has, nor the box removed: it was written wrong. */
int named_paths_check(struct open_view *box, struct open_view *target, const struct strlist *paths,
		      struct aisbx_error *e);

#endif
