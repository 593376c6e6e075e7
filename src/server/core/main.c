/* SPDX-License-Identifier: Apache-2.0 */
/*
 * aisbx-serve and aisbx-http: started by `aisbx rpc`, `aisbx mcp` and `aisbx serve` with a mode and the
 * checked arguments.
 */
#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "base/std_fds.h"
#include "server/core/server.h"
#include "sys/fault.h"

int server_fail(const struct aisbx_error *e)
{
	fprintf(stderr, "aisbx: %s\n", e->text);
	return EXIT_AISBX;
}

/* A connection is one descriptor, a call some more; the customary 1,024 is only a default. */
static void raise_files(void)
{
	struct rlimit have;

	if (getrlimit(RLIMIT_NOFILE, &have) == 0 && have.rlim_cur < have.rlim_max) {
		have.rlim_cur = have.rlim_max < 65536 ? have.rlim_max : 65536;
		setrlimit(RLIMIT_NOFILE, &have);
	}
}

int main(int argc, char **argv)
{
	const struct server_mode *mode = server_modes;
	int status = EXIT_AISBX;
	json_t *args;

	std_fds_hold();
	args = argc == 3 ? json_loads(argv[2], 0, NULL) : NULL;
	fault_program("aisbx");
	prctl(PR_SET_NAME,
	      server_program); /* started by descriptor: before Linux 6.14 its name were a number */
	raise_files();
	mallopt(M_TOP_PAD, 256 << 10);
	while (args && mode->name && strcmp(mode->name, argv[1]) != 0)
		mode++;
	if (!args || !mode->name)
		fprintf(stderr, "%s: start it with 'aisbx rpc', 'aisbx mcp' or 'aisbx serve', not directly\n",
			server_program);
	else
		status = mode->main(args);
	json_decref(args);
	return status;
}
