/* SPDX-License-Identifier: Apache-2.0 */
/* Shows the result of a job as the operation itself would have, and returns its exit status. */
#ifndef FLEET_CLIENT_SHOW_RESULT_H
#define FLEET_CLIENT_SHOW_RESULT_H

#include "cli/cli.h"
#include "fleet/core/types.h"

/* SHOWN: its output was printed while it ran. OP NULL: as the result says. BEGUN: the node that is known to
 * have begun it;
 * "": none. BOX: has what it changed; "": none. */
int show_result(const struct fleet_job *job, const struct fleet_record *record, const char *begun,
		const struct op *op, const struct cli_common *common, bool shown, const char *box);
/* Pieces of output that a result counts. */
uint64_t show_result_pieces(const struct fleet_record *record);

#endif
