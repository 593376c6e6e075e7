/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The modes of aisbx-serve: those that need no library beyond those of aisbx, so that it can be static, and a
 * fork of it is cheap.
 */
#include <stddef.h>

#include "server/core/server.h"

const char server_program[] = "aisbx-serve";

const struct server_mode server_modes[] = {
	{ "rpc", rpc_main },
	{ "mcp", mcp_main },
	{ NULL, NULL },
};
