/* SPDX-License-Identifier: Apache-2.0 */
/* What aisbx-http can do: the one mode that needs libmicrohttpd, and with it whatever that needs itself. */
#include <stddef.h>

#include "server/core/server.h"

const char server_program[] = "aisbx-http";

const struct server_mode server_modes[] = {
	{ "serve", serve_main },
	{ NULL, NULL },
};
