/* SPDX-License-Identifier: Apache-2.0 */
/* What a box did with its network, as a part of the result of its run. */
#ifndef BOX_NET_REPORT_H
#define BOX_NET_REPORT_H

#include <jansson.h>

#include "run/run.h"

/*
 * {hosts, connections, sent, received, not_kept}, a new reference; NULL if the box had no rules: then nobody
 * watched, and the result has nothing to say.
 */
json_t *net_report(const struct run_outcome *o);

#endif
