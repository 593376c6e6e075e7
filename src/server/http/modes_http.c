/* SPDX-License-Identifier: Apache-2.0 */
/* The modes of aisbx-http: the one that needs libmicrohttpd and its dependencies. */
#include <stddef.h>

#include "server/core/server.h"

const char server_program[] = "aisbx-http";

const struct server_mode server_modes[] = {
	{ "serve", serve_main },
	{ NULL, NULL },
};
