/* SPDX-License-Identifier: Apache-2.0 */
/* Reads secrets of a job, and seals them to the key of a run. */
#include "fleet/client/secrets.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base64.h"
#include "base/error.h"
#include "base/scope.h"
#include "fleet/core/memory.h"
#include "fleet/wire/key.h"
#include "fleet/wire/wire.h"
#include "secret/secret_spec.h"

/* As a job has it: the value is that of its submitter. */
static int add_spec(const char *text, json_t *list, struct aisbx_error *e)
{
	scoped(secret_spec_finish) struct secret_spec spec = { 0 };
	const char *inject;
	int r = secret_spec_parse(text, &spec, e);

	if (r < 0)
		return r;
	inject = spec.inject.host ? strstr(strchr(text, '='), ",inject=") : NULL;
	if (json_array_append_new(list, json_sprintf("%s=env:%s,as=%s%s", spec.name, spec.name,
						     !spec.as_env   ? "file"
						     : spec.as_file ? "both"
								    : "env",
						     inject ? inject : "")) < 0)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EILSEQ,
				    "the option for secret '%s' is not UTF-8", spec.name);
	return 0;
}

int client_secrets_take(const char *operation, json_t *arguments, struct run_secrets *ret,
			struct aisbx_error *e)
{
	const json_t *given = json_object_get(arguments, "secret"), *item;
	json_t *list;
	int r = 0;
	size_t i;

	if (!json_array_size(given))
		return 0;
	if (strcmp(operation, "run") != 0)
		return aisbx_refuse(e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_USAGE, EOPNOTSUPP,
				    "'%s' takes no --secret on another machine; only 'run' does", operation);
	json_array_foreach(given, i, item) strlist_add(&ret->specs, json_string_value(item));
	if (ret->specs.failed)
		fleet_out_of_memory();
	list = json_array();
	for (i = 0; r == 0 && i < ret->specs.n; i++)
		r = secret_is_overridden(&ret->specs, i) ? 0 : add_spec(ret->specs.items[i], list, e);
	json_object_set_new(arguments, "secret", list);
	return r;
}

int client_secrets_check(const struct run_secrets *s, const struct fleet_options *o, struct aisbx_error *e)
{
	if (!s->specs.n)
		return 0;
	if (o->detach)
		return aisbx_refuse(
			e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_USAGE, EOPNOTSUPP,
			"--secret and --detach exclude each other on another machine: secrets are kept "
			"nowhere, so the command that has them must be there when the job begins");
	if (!o->hub_keys)
		return aisbx_refuse(
			e, AISBX_KIND_DENIED, AISBX_AREA_USAGE, EACCES,
			"--secret on another machine needs --hub-keys: without the keys of hubs nobody "
			"knows which node asks for the secrets, and anybody could");
	return 0;
}

int client_secrets_read(struct run_secrets *s, struct aisbx_error *e)
{
	scoped(drop_mem) char *cwd = s->specs.n ? getcwd(NULL, 0) : NULL;

	if (!s->specs.n)
		return 0;
	if (!cwd)
		return aisbx_fail(e, AISBX_AREA_USAGE, errno, "find the current directory");
	return box_secrets_read(s, cwd, (const char *const *)environ, NULL, e);
}

static void wipe_buf(struct buf *b)
{
	if (b->data)
		explicit_bzero(b->data, b->cap);
	buf_finish(b);
}

static json_t *values(const struct run_secrets *s)
{
	json_t *ret = json_object();

	for (size_t i = 0; i < s->n; i++) {
		scoped(wipe_buf) struct buf coded = { 0 };

		base64_add(&coded, s->items[i].value, s->items[i].len);
		if (coded.failed ||
		    json_object_set_new(ret, s->items[i].name, json_stringn(coded.data, coded.len)) < 0)
			fleet_out_of_memory();
	}
	return ret;
}

bool client_secrets_answer(const struct run_secrets *s, const char *key, struct buf *ret)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct key_public public;
	json_t *all;
	char *text;
	int r;

	if (!s || !s->n) {
		buf_addf(ret, "{\"no_secrets\":true}");
		return !ret->failed;
	}
	if (!key || key_public_read(key, &public, &e) < 0)
		return false;
	all = values(s);
	text = json_dumps(all, JSON_COMPACT);
	wire_secrets_drop(all);
	if (!text)
		fleet_out_of_memory();
	buf_addf(ret, "{\"secrets\":\"");
	r = key_seal(&public, text, strlen(text), ret);
	buf_addf(ret, "\"}");
	explicit_bzero(text, strlen(text));
	free(text);
	return r == 0 && !ret->failed;
}
