/* SPDX-License-Identifier: Apache-2.0 */
/*
 * aisbx-remote: aisbx on a machine that cannot have boxes, such as a Mac. It carries its command line to one
 * that can, by ssh.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "remote/remote.h"

static const char usage[] =
	"usage: aisbx [--remote HOST] [--remote-dir DIR] OPERATION ...\n"
	"\n"
	"Runs 'aisbx OPERATION ...' on another machine by ssh, in the directory of the same path.\n"
	"\n"
	"  --remote HOST     HOST, USER@HOST or ssh://[USER@]HOST[:PORT][/DIR]; default: $AISBX_REMOTE\n"
	"  --remote-dir DIR  directory there\n"
	"\n"
	"AISBX_SSH is the command to use instead of 'ssh', split at spaces; AISBX_REMOTE_PROGRAM the path "
	"of\n"
	"aisbx-remote there. The exit status is that of the command, or 255 if ssh failed.\n";

/* The value of option NAME in *AT, in one word or two; *AT is moved to its last word. */
static const char *value_of(const char *name, char ***at)
{
	size_t len = strlen(name);

	if (!strncmp(**at, name, len) && (**at)[len] == '=')
		return **at + len + 1;
	if (strcmp(**at, name) != 0 || !(*at)[1])
		return NULL;
	++*at;
	return **at;
}

int main(int argc, char **argv)
{
	const char *place = getenv("AISBX_REMOTE"), *dir = NULL, *value;
	char **at = argv + 1;

	if (argc == 3 && !strcmp(argv[1], "--run"))
		return remote_obey(argv[0], argv[2]);
	for (; argc && *at; at++) {
		if ((value = value_of("--remote", &at)))
			place = value;
		else if ((value = value_of("--remote-dir", &at)))
			dir = value;
		else
			break;
	}
	if (!place || !*place || !argc ||
	    (*at && (!strcmp(*at, "--remote") || !strcmp(*at, "--remote-dir")))) {
		fputs(usage, stderr);
		return REMOTE_EXIT;
	}
	return remote_send(place, dir, at);
}
