/* SPDX-License-Identifier: Apache-2.0 */
/* What aisbx-serve can do: what needs no library but those of aisbx, so that it is static where that is, and
 * a fork of it cheap. */
#include <stddef.h>

#include "server/core/server.h"

const char server_program[] = "aisbx-serve";

const struct server_mode server_modes[] = {
	{ "rpc", rpc_main },
	{ "mcp", mcp_main },
	{ NULL, NULL },
};
