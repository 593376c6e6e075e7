/* SPDX-License-Identifier: Apache-2.0 */
/* --or-here: this machine does it, if no hub answers. */
#ifndef FLEET_CLIENT_HERE_H
#define FLEET_CLIENT_HERE_H

#include "base/str.h"
#include "fleet/agent/options.h"

/* Connects as a submitter. With --or-here WHY says why no hub can be had, if so; else it is empty. */
int here_connect(const struct fleet_options *fleet, const char *name, struct bus **ret, char *why, size_t cap,
		 struct aisbx_error *e);
/* Becomes the aisbx of this machine. WORDS: its command line, the program's name first. */
int here_exec(const struct strlist *words, struct aisbx_error *e);

#endif
