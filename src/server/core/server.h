/* SPDX-License-Identifier: Apache-2.0 */
/* The modes of aisbx-serve and of aisbx-http. Each is started with the checked arguments of its operation and
 * returns the exit status. */
#ifndef SERVER_CORE_SERVER_H
#define SERVER_CORE_SERVER_H

#include <jansson.h>

#include "aisbx/error.h"

/* As operations do if they fail. */
#define EXIT_AISBX 125

int rpc_main(const json_t *args);
int mcp_main(const json_t *args);
int serve_main(const json_t *args);

/* The name and the modes of this program, up to one without a name: server/modes.c or server/modes_http.c. */
struct server_mode {
	const char *name;
	int (*main)(const json_t *args);
};
extern const char server_program[];
extern const struct server_mode server_modes[];

/* To standard error, as the command line does; returns EXIT_AISBX. */
int server_fail(const struct aisbx_error *e);

#endif
