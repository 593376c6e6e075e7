/* SPDX-License-Identifier: Apache-2.0 */
/* Counts system calls of a program and fails, or dies at, the one that the tests chose. */
#include "sys/fault.h"

#ifdef AISBX_FAULT_BUILD
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char program[16];
static unsigned long calls;

void fault_program(const char *name)
{
	snprintf(program, sizeof(program), "%s", name);
	calls = 0;
}

int fault_next(const char *call)
{
	const char *spec = getenv("AISBX_FAULT");
	size_t n = strlen(program);
	char *end;
	unsigned long at;

	if (!spec || !n || strncmp(spec, program, n) != 0 || spec[n] != ':')
		return 0;
	at = strtoul(spec + n + 1, &end, 10);
	if (++calls != at || *end != ':')
		return 0;
	dprintf(2, "fault: %s call %lu (%s) %s\n", program, at, call, end + 1);
	if (!strcmp(end + 1, "KILL")) {
		kill(getpid(), SIGKILL);
		__builtin_trap(); /* pid 1 of a namespace is deaf to its own SIGKILL, but not to this */
	}
	return atoi(end + 1);
}
#else
typedef int fault_is_compiled_out;
#endif
