/* SPDX-License-Identifier: Apache-2.0 */
/* Question and answer travel within the sealed line of the run, whose key stays the same for as long as the
 * node and the job have theirs. The values have a second seal, by a key that is forgotten when they have
 * come: who kept the messages and steals the node's key later reads none. */
#include "fleet/agent/asking.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "base/str.h"
#include "fleet/core/memory.h"
#include "fleet/wire/key.h"
#include "fleet/wire/wire.h"

struct asking {
	struct key own;
	const char *method; /* borrowed; of the table */
	json_t *params;     /* owned */
	struct strlist names;
	uint64_t until_ms;
};

bool asking_is_needed(const char *operation, const json_t *params)
{
	return !strcmp(operation, "run") && json_array_size(json_object_get(params, "secret")) > 0;
}

int asking_begin(const char *method, json_t *params, const struct output *out, uint64_t now_ms,
		 struct asking **ret, struct aisbx_error *e)
{
	struct asking *a = fleet_new(sizeof(*a));
	const json_t *spec;
	size_t i;

	*a = (struct asking){ .method = method, .params = params, .until_ms = now_ms + ASKING_MS };
	json_array_foreach(json_object_get(params, "secret"), i, spec)
	{
		const char *text = json_string_value(spec) ?: "";

		strlist_addf(&a->names, "%.*s", (int)strcspn(text, "="), text);
	}
	if (a->names.failed)
		fleet_out_of_memory();
	if (out->sealed && key_make_once(&a->own) == 0) {
		*ret = a;
		return 0;
	}
	asking_destroy(a);
	return aisbx_refuse(e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_RUN, EOPNOTSUPP,
			    "the job needs secrets, and this node has no key to which they could be sealed: "
			    "start it with --key and --hub-keys");
}

void asking_destroy(struct asking *a)
{
	if (!a)
		return;
	key_finish(&a->own);
	strlist_finish(&a->names);
	json_decref(a->params);
	free(a);
}

void asking_send(const struct asking *a, const struct output *out, struct bus *bus)
{
	char key[KEY_TEXT];
	json_t *question;
	char *text;

	key_public_write(&a->own.public, key);
	question =
		json_pack("{s:s, s:i, s:s}", "secrets", key, "attempt", (int)out->attempt, "node", out->node);
	text = json_dumps(question, JSON_COMPACT);
	json_decref(question);
	if (!text)
		fleet_out_of_memory();
	output_send(out, bus, text, strlen(text));
	free(text);
}

bool asking_is_late(const struct asking *a, uint64_t now_ms)
{
	return now_ms >= a->until_ms;
}

static json_t *unseal(const struct asking *a, const json_t *sealed)
{
	scoped(buf_finish) struct buf text = { 0 };
	json_t *ret = NULL;

	if (key_unseal(&a->own, json_string_value(sealed), json_string_length(sealed), &text) == 0)
		ret = wire_secrets_decode(text.data ? text.data : "", text.len,
					  (const char *const *)a->names.items, a->names.n);
	if (text.data)
		explicit_bzero(text.data, text.cap);
	return ret;
}

int asking_take(const struct asking *a, const json_t *said, json_t **ret_params, struct aisbx_error *e)
{
	const json_t *sealed = json_object_get(said, "secrets");
	json_t *secrets = json_is_string(sealed) ? unseal(a, sealed) : NULL;

	if (json_is_true(json_object_get(said, "no_secrets")))
		return aisbx_refuse(
			e, AISBX_KIND_NOT_FOUND, AISBX_AREA_RUN, ENOENT,
			"the job's secrets are gone with the command that submitted it, for they are kept "
			"nowhere; submit it again");
	if (!secrets)
		return 0;
	*ret_params = json_deep_copy(a->params);
	if (json_object_set_new(*ret_params, "_secrets", secrets) < 0)
		fleet_out_of_memory();
	return 1;
}

const char *asking_method(const struct asking *a)
{
	return a->method;
}

void asking_wipe(json_t *params)
{
	json_t *secrets = json_incref(json_object_get(params, "_secrets"));

	json_decref(params);
	wire_secrets_drop(secrets);
}
