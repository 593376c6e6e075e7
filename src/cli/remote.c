/* SPDX-License-Identifier: Apache-2.0 */
/* A command line that is meant for another machine is handed to aisbx-remote, or to aisbx-fleet, as it is. */
#include "cli/remote.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/program.h"
#include "base/scope.h"

#define HELPER "aisbx-remote"
#define FLEET  "aisbx-fleet"

static bool is_option(const char *word, const char *name)
{
	size_t len = strlen(name);

	return !strncmp(word, name, len) && (!word[len] || word[len] == '=');
}

bool cli_is_remote(char **words)
{
	const char *place = getenv("AISBX_REMOTE");

	return (place && *place) ||
	       (words[0] && (is_option(words[0], "--remote") || is_option(words[0], "--remote-dir")));
}

/* The option stands before the operation or directly behind it, which may have two words: so no command pays
 * for looking at all its words. */
bool cli_is_fleet(char **words)
{
	if (words[0][0] == 'f' && !strcmp(words[0], "fleet"))
		return true;
	for (int i = 0; i < 3 && words[i]; i++)
		if (words[i][0] == '-')
			return words[i][1] == '-' && words[i][2] == 'o' && is_option(words[i], "--on");
	return false;
}

static int become(const char *helper, char **argv, struct aisbx_error *e)
{
	scoped(drop_fd) int program = -1;
	int r = program_open(helper, &program, e);

	if (r < 0)
		return r;
	fexecve(program, argv, environ);
	return aisbx_fail(e, AISBX_AREA_RUN, errno, "start %s", helper);
}

int cli_remote(char **argv, struct aisbx_error *e)
{
	return become(HELPER, argv, e);
}

int cli_fleet(char **argv, struct aisbx_error *e)
{
	return become(FLEET, argv, e);
}
