/* SPDX-License-Identifier: Apache-2.0 */
/* The checks go from form to meaning: a contradictory request is reported before an unknown version. */
#include "server/mcp/envelope.h"

#include <stdio.h>
#include <string.h>

#include "base/base64.h"
#include "base/scope.h"
#include "server/mcp/fixtures.h"

/* Methods whose header Mcp-Name repeats a parameter. */
static const struct {
	const char *method, *param;
} named[] = {
	{ "tools/call", "name" },  { "prompts/get", "name" },    { "resources/read", "uri" },
	{ "tasks/get", "taskId" }, { "tasks/update", "taskId" }, { "tasks/cancel", "taskId" },
};

json_t *mcp_server_info(void)
{
	return json_pack("{s:s, s:s, s:s}", "name", "aisbx", "title", "aisbx, boxes for code", "version",
			 AISBX_VERSION);
}

static json_t *mismatch(const json_t *id, const char *header, const char *what)
{
	char text[200];

	snprintf(text, sizeof(text), "header %s %s", header, what);
	return mcp_error_message(id, MCP_HEADER_MISMATCH, text, NULL);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* What a header says: without the blanks around it, decoded when it is "=?base64?...?=". False:
 * it cannot be. */
static bool read_header(const char *value, struct buf *ret)
{
	static const char open[] = "=?base64?", end[] = "?=";
	size_t len;

	while (is_blank(*value))
		value++;
	len = strlen(value);
	while (len && is_blank(value[len - 1]))
		len--;
	if (len < strlen(open) + strlen(end) || strncmp(value, open, strlen(open)) != 0 ||
	    strncmp(value + len - strlen(end), end, strlen(end)) != 0) {
		buf_add(ret, value, len);
		return true;
	}
	return base64_read(ret, value + strlen(open), len - strlen(open) - strlen(end));
}

static bool header_is(const char *value, const char *wanted)
{
	scoped(buf_finish) struct buf text = { 0 };

	return value && read_header(value, &text) && text.len == strlen(wanted) &&
	       (!text.len || !memcmp(text.data, wanted, text.len));
}

/* The text of a value as a header has it; false: it has none. */
static bool scalar(const json_t *value, char *room, size_t cap, const char **ret)
{
	*ret = room;
	if (json_is_string(value))
		*ret = json_string_value(value);
	else if (json_is_boolean(value))
		snprintf(room, cap, "%s", json_is_true(value) ? "true" : "false");
	else if (json_is_integer(value))
		snprintf(room, cap, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
	else
		return false;
	return true;
}

/* Arguments that the schema of a tool wants to see in headers, too, for who routes by them. */
static json_t *check_params(const json_t *schema, const json_t *id, const json_t *args,
			    struct mcp_channel *ch)
{
	const char *key;
	json_t *property;

	json_object_foreach(json_object_get(schema, "properties"), key, property)
	{
		const char *suffix = json_string_value(json_object_get(property, "x-mcp-header")), *text;
		const json_t *value = json_object_get(args, key);
		char name[128], room[32];
		const char *header;

		if (!suffix)
			continue;
		snprintf(name, sizeof(name), "Mcp-Param-%.100s", suffix);
		header = ch->header(ch, name);
		if (!value || !scalar(value, room, sizeof(room), &text)) {
			if (header)
				return mismatch(id, name, "is present, but its argument is not");
			continue;
		}
		if (!header)
			return mismatch(id, name, "is missing, but its argument is present");
		if (!header_is(header, text))
			return mismatch(id, name, "differs from its argument");
	}
	return NULL;
}

static json_t *check_headers(const struct mcp *m, const json_t *message, const char *version,
			     struct mcp_channel *ch)
{
	const json_t *id = json_object_get(message, "id"), *params = json_object_get(message, "params");
	const char *method = json_string_value(json_object_get(message, "method"));

	if (!version || !header_is(ch->header(ch, "MCP-Protocol-Version"), version))
		return mismatch(id, "MCP-Protocol-Version", "must be present and equal to params._meta");
	if (!header_is(ch->header(ch, "Mcp-Method"), method))
		return mismatch(id, "Mcp-Method", "must be present and equal to the method");
	for (size_t i = 0; i < sizeof(named) / sizeof(named[0]); i++) {
		const char *name = json_string_value(json_object_get(params, named[i].param));

		if (!strcmp(method, named[i].method) && name && !header_is(ch->header(ch, "Mcp-Name"), name))
			return mismatch(id, "Mcp-Name", "must be present and equal to the parameter");
	}
	if (m->how.fixtures && !strcmp(method, "tools/call")) {
		json_t *schema = mcp_fixture_schema(json_string_value(json_object_get(params, "name")));
		json_t *error = check_params(schema, id, json_object_get(params, "arguments"), ch);

		json_decref(schema);
		return error;
	}
	return NULL;
}

json_t *mcp_envelope_check(const struct mcp *m, const json_t *message, struct mcp_channel *ch)
{
	const json_t *id = json_object_get(message, "id");
	const json_t *meta = json_object_get(json_object_get(message, "params"), "_meta");
	const json_t *version = json_object_get(meta, MCP_META_VERSION);
	json_t *error;

	if (!version || !json_is_object(json_object_get(meta, MCP_META_CAPS)))
		return mcp_error_message(id, MCP_INVALID_PARAMS,
					 "params._meta must contain " MCP_META_VERSION " and " MCP_META_CAPS
					 ", an object",
					 NULL);
	error = ch->header ? check_headers(m, message, json_string_value(version), ch) : NULL;
	if (error)
		return error;
	if (!json_is_string(version))
		return mcp_error_message(id, MCP_INVALID_PARAMS, MCP_META_VERSION " must be a string", NULL);
	if (strcmp(json_string_value(version), MCP_MODERN) != 0)
		return mcp_error_message(id, MCP_NO_VERSION, "this protocol version is not supported",
					 json_pack("{s:[s], s:O}", "supported", MCP_MODERN, "requested",
						   version));
	return NULL;
}

bool mcp_envelope_answers(struct mcp_request *r)
{
	const json_t *inputs = json_object_get(r->params, "inputResponses"),
		     *state = json_object_get(r->params, "requestState");
	struct aisbx_error e = AISBX_ERROR_INIT;
	json_t *kept = NULL, *value;
	const char *key;

	if (!strcmp(r->method, "tasks/update"))
		return true;
	if (state && !(kept = mcp_unseal(r, "state", json_string_value(state), &e))) {
		mcp_fail(r, MCP_INVALID_PARAMS, NULL, "requestState: %s", e.text);
		return false;
	}
	r->answered = kept;
	r->answers = kept ? kept : json_object();
	if (!inputs)
		return true;
	if (!json_is_object(inputs)) {
		mcp_fail(r, MCP_INVALID_PARAMS, NULL, "inputResponses must be an object");
		return false;
	}
	json_object_foreach((json_t *)inputs, key, value)
	{
		if (!json_is_object(value)) {
			mcp_fail(r, MCP_INVALID_PARAMS, NULL, "inputResponses.%.100s must be an object", key);
			return false;
		}
		json_object_set(r->answers, key, value);
	}
	return true;
}

/* Lists of ours are the same for as long as the server runs, but those of boxes change with every call. */
static const struct {
	const char *method;
	int ttl_ms;
} cached[] = {
	{ "server/discover", 60000 },
	{ "tools/list", 60000 },
	{ "prompts/list", 60000 },
	{ "resources/list", 0 },
	{ "resources/templates/list", 60000 },
	{ "resources/read", 0 },
};

void mcp_envelope_result(const struct mcp_request *r, json_t *result)
{
	json_t *meta = json_object_get(result, "_meta");

	if (!r->modern)
		return;
	if (!json_object_get(result, "resultType"))
		json_object_set_new(result, "resultType", json_string("complete"));
	if (!meta) {
		meta = json_object();
		json_object_set_new(result, "_meta", meta);
	}
	json_object_set_new(meta, MCP_META_SERVER, mcp_server_info());
	for (size_t i = 0; r->method && i < sizeof(cached) / sizeof(cached[0]); i++)
		if (!strcmp(r->method, cached[i].method)) {
			/* With fixtures on they do change. */
			json_object_set_new(result, "ttlMs",
					    json_integer(r->session->mcp->how.fixtures ? 0
										       : cached[i].ttl_ms));
			json_object_set_new(result, "cacheScope", json_string("private"));
		}
}
