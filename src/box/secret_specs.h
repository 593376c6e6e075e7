/* SPDX-License-Identifier: Apache-2.0 */
/* Which secrets every run in a box gets, as they are kept with it. */
#ifndef BOX_SECRET_SPECS_H
#define BOX_SECRET_SPECS_H

#include "aisbx/error.h"
#include "base/str.h"

/* What every run in a box gets. SPECS as they are to be kept: checked, and with absolute paths. */
int box_secret_specs_settle(const struct strlist *specs, const char *cwd, struct strlist *ret,
			    struct aisbx_error *e);
/* In the state directory DIR, for the box ID, which has none yet. */
int box_secret_specs_keep(const char *dir, const char *id, const struct strlist *specs,
			  struct aisbx_error *e);
/* Adds them to RET; none if it has none. */
int box_secret_specs_read(const char *dir, const char *id, struct strlist *ret, struct aisbx_error *e);
void box_secret_specs_drop(const char *dir, const char *id);

#endif
