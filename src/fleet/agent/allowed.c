/* SPDX-License-Identifier: Apache-2.0 */
/* What jobs may do. Left out are arguments that name files, devices, ports, variables or directories of the
 * node. */
#include "fleet/agent/allowed.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "base/str.h"
#include "fleet/wire/wire.h"
#include "secret/secret_spec.h"

#define LIMITS "timeout|cpu|cpu-time|mem|disk|inodes|file-size|pids|files|output"

const struct allowed_operation allowed_operations[] = {
	{ "run", "run.exec",
	  "box|profile|image|pull|ids|cwd|hide|env|secret|net|no-net|seccomp|no-tty|interactive|record|"
	  "no-services|"
	  "no-caches|command|" LIMITS },
	{ "run-code", "run.code", "lang|code|box|context|end-context|idle|profile|env|net|args|" LIMITS },
	{ "contexts", "code.contexts", "box|end|lang" },
	{ "exec", "box.exec", "target|cwd|env|timeout|output|no-tty|interactive|command" },
	{ "try", "experiment.try",
	  "box|test|mode|gate|score|prefer|repeat|budget-time|budget-cpu|budget-runs|parallel|keep|name|"
	  "profile|env|net|"
	  "no-services|branches|command|" LIMITS },
	{ "create", "box.create",
	  "from|ids|pull|profile|ttl|net|env|metadata|pin|autosnap|no-caches|record|name" },
	{ "fork", "box.fork", "from|count|name|ttl|drift" },
	{ "snap", "box.snap", "box|name|pin|as-is" },
	{ "rollback", "box.rollback", "box|snapshot|drift" },
	{ "diff", "box.diff", "box|other|patch|ignored|stat|drift" },
	{ "ls", "box.ls", "metadata" },
	{ "show", "box.show", "box|stale|drift" },
	{ "rm", "box.rm", "boxes|kill" },
	{ "renew", "box.renew", "box|ttl" },
	{ "kill", "run.kill", "runs|signal" },
	{ "pause", "run.pause", "runs" },
	{ "resume", "run.resume", "runs" },
	{ "stats", "run.stats", "runs" },
	{ "history", "run.history", "run|box|status|match|grep|since|limit|full|events" },
	{ "file read", "file.read", "box|path|from|count|offset|limit|encoding|pictures" },
	{ "file write", "file.write", "box|path|content|replace|with|append|encoding|if|mode" },
	{ "file ls", "file.ls", "box|path|depth|pattern|limit" },
	{ "file stat", "file.stat", "box|path" },
	{ "file mkdir", "file.mkdir", "box|path|mode" },
	{ "file mv", "file.mv", "box|path|to|force" },
	{ "file rm", "file.rm", "box|path|recursive|force" },
	{ NULL, NULL, NULL },
};

/* A name, and no path of the node's own files: profiles and images can be given as files. */
static bool is_plain_name(const char *text)
{
	return text[0] != '/' && text[0] != '.' && text[0] != '~' && !strstr(text, "..") &&
	       !strstr(text, "://");
}

/* Its value comes from the submitter when the job begins: never from a variable, file or command of the node.
 */
static bool is_secret_of_submitter(const char *text)
{
	scoped(secret_spec_finish) struct secret_spec spec = { 0 };
	struct aisbx_error e = AISBX_ERROR_INIT;

	return text && secret_spec_parse(text, &spec, &e) == 0 && spec.source == SECRET_FROM_ENV &&
	       !strcmp(spec.from, spec.name);
}

static int check_secrets(const json_t *list, struct aisbx_error *e)
{
	size_t i;
	const json_t *item;

	if (!json_is_array(list) || json_array_size(list) > WIRE_SECRETS_MAX)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "'secret' of a job must be a list of at most %u", WIRE_SECRETS_MAX);
	json_array_foreach(list, i, item)
	{
		if (!is_secret_of_submitter(json_string_value(item)))
			return aisbx_refuse(
				e, AISBX_KIND_DENIED, AISBX_AREA_POLICY, EPERM,
				"'secret' of a job must be NAME=env:NAME, for its submitter has the value: "
				"no job gets secrets of the node");
	}
	return 0;
}

static int check_value(const char *operation, const char *name, const json_t *value, struct aisbx_error *e)
{
	const char *text = json_string_value(value);

	if (!strcmp(name, "profile") && (!text || strchr(text, '/') || !is_plain_name(text)))
		return aisbx_refuse(
			e, AISBX_KIND_DENIED, AISBX_AREA_POLICY, EPERM,
			"'profile' of a job must be the name of a profile that the node has, not a file");
	if ((!strcmp(name, "image") || (!strcmp(name, "from") && !strcmp(operation, "create"))) &&
	    (!text || !is_plain_name(text)))
		return aisbx_refuse(e, AISBX_KIND_DENIED, AISBX_AREA_POLICY, EPERM,
				    "'%s' of a job must be the name of an image, not a place of the node",
				    name);
	return strcmp(name, "secret") != 0 ? 0 : check_secrets(value, e);
}

/* OPERATION is one of ALLOW, "a,b". */
static bool is_given(const char *operation, const char *allow)
{
	const size_t len = strlen(operation);

	while (allow && *allow) {
		const size_t n = strcspn(allow, ",");

		if (n && n == len && !strncmp(allow, operation, n))
			return true;
		allow += n + (allow[n] == ',');
	}
	return false;
}

int allowed_check(const char *operation, const json_t *arguments, const char *allow, const char **ret_method,
		  struct aisbx_error *e)
{
	const struct allowed_operation *row = allowed_operations;
	const char *name;
	const json_t *value;

	if (is_given(operation, allow)) {
		*ret_method = operation;
		return 0;
	}
	while (row->name && strcmp(row->name, operation) != 0)
		row++;
	if (!row->name)
		return aisbx_refuse(e, AISBX_KIND_DENIED, AISBX_AREA_POLICY, EPERM,
				    "the operation '%.60s' is not for other machines: a job may only use "
				    "what stays within "
				    "boxes",
				    operation);
	json_object_foreach((json_t *)arguments, name, value)
	{
		int r;

		if (!strcmp(name, "secret") && !str_is_one_of(name, row->arguments))
			return aisbx_refuse(e, AISBX_KIND_DENIED, AISBX_AREA_POLICY, EPERM,
					    "'%s' takes no --secret on another machine; only 'run' does",
					    operation);
		if (!str_is_one_of(name, row->arguments))
			return aisbx_refuse(
				e, AISBX_KIND_DENIED, AISBX_AREA_POLICY, EPERM,
				"'%s' takes no --%.60s on another machine: it concerns files, devices or the "
				"terminal of this one",
				operation, name);
		r = check_value(operation, name, value, e);
		if (r < 0)
			return r;
	}
	*ret_method = row->method;
	return 0;
}
