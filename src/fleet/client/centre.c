/* SPDX-License-Identifier: Apache-2.0 */
/* Questions to the centre of a fleet's history: aisbx-collect answers them, in the place of this program. Its
 * address goes by a variable: arguments can be read by everybody on the machine. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "base/program.h"
#include "base/scope.h"
#include "base/str.h"
#include "fleet/client/client.h"

/* Adds --NAME=VALUE. */
static void add(struct strlist *words, const char *name, const char *value)
{
	if (value)
		strlist_addf(words, "--%s=%s", name, value);
}

static int ask(const struct fleet_options *o, const char *verb, const char *word, struct aisbx_error *e)
{
	scoped(strlist_finish) struct strlist words = { 0 };
	scoped(drop_fd) int program = -1;
	struct fleet_options with = *o;
	int r = fleet_options_centre(&with, e);

	if (r == 0)
		r = program_open("aisbx-collect", &program, e);
	if (r < 0) {
		fleet_options_finish(&with);
		return r;
	}
	strlist_add(&words, "aisbx-collect");
	strlist_add(&words, verb);
	add(&words, "where", o->where);
	add(&words, "limit", o->limit);
	add(&words, "note", o->note);
	if (o->json)
		strlist_add(&words, "--json");
	if (o->all)
		strlist_add(&words, "--all");
	if (word)
		strlist_addf(&words, "%s", word);
	if (words.failed || (with.centre && setenv("AISBX_POSTGRES", with.centre, 1) < 0))
		return aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "start aisbx-collect");
	fexecve(program, words.items, environ);
	return aisbx_fail(e, AISBX_AREA_RUN, errno, "start aisbx-collect");
}

static int refuse(const char *how, struct aisbx_error *e)
{
	return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL, "write '%s'", how);
}

int client_history(const struct fleet_options *o, char **rest, struct aisbx_error *e)
{
	(void)rest;
	return ask(o, "query", NULL, e);
}

int client_figures(const struct fleet_options *o, char **rest, struct aisbx_error *e)
{
	return rest[0] && rest[1] ? refuse("aisbx fleet figures [NAME]", e) : ask(o, "figures", rest[0], e);
}

int client_conflicts(const struct fleet_options *o, char **rest, struct aisbx_error *e)
{
	(void)rest;
	return ask(o, "conflicts", NULL, e);
}

int client_resolve(const struct fleet_options *o, char **rest, struct aisbx_error *e)
{
	return !rest[0] || rest[1] ? refuse("aisbx fleet resolve ID; 'aisbx fleet conflicts' lists them", e)
				   : ask(o, "resolve", rest[0], e);
}
