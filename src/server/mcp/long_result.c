/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A result that is too long for the answer of a tool is stored for the session that asked, and can be read as
 * a resource.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "base/value.h"
#include "server/mcp/offer.h"
#include "server/mcp/request.h"

#define ADDRESS "aisbx://results/"
/* Of one session, and of all: each lies in our memory. The oldest of a session go first; they are its own. */
#define KEPT_MAX    64
#define KEPT_BYTES  (16u << 20)
#define KEPT_OF_ALL (128u << 20)

struct mcp_long_result {
	struct mcp_long_result *next; /* older */
	unsigned int number;
	char *text; /* owned; JSON */
	size_t len;
};

static void drop(struct mcp_session *s, struct mcp_long_result **at)
{
	struct mcp_long_result *k = *at;

	*at = k->next;
	s->kept_bytes -= k->len;
	s->mcp->kept_bytes -= k->len;
	s->n_kept--;
	free(k->text);
	free(k);
}

static void drop_oldest(struct mcp_session *s)
{
	struct mcp_long_result **at = &s->kept;

	while ((*at)->next)
		at = &(*at)->next;
	drop(s, at);
}

void mcp_long_result_end(struct mcp_session *s)
{
	while (s->kept)
		drop(s, &s->kept);
}

/* TEXT is taken. */
static void keep(struct mcp_session *s, unsigned int number, char *text)
{
	struct mcp_long_result *k = calloc(1, sizeof(*k));
	size_t len = strlen(text);

	while (s->kept && (s->n_kept >= KEPT_MAX || s->kept_bytes + len > KEPT_BYTES ||
			   s->mcp->kept_bytes + len > KEPT_OF_ALL))
		drop_oldest(s);
	if (!k || len > KEPT_BYTES || s->mcp->kept_bytes + len > KEPT_OF_ALL) {
		free(k);
		free(text);
		return;
	}
	*k = (struct mcp_long_result){ .next = s->kept, .number = number, .text = text, .len = len };
	s->kept = k;
	s->n_kept++;
	s->kept_bytes += len;
	s->mcp->kept_bytes += len;
}

/* Clients of before 2025-06-18 do not know links to resources. */
static void spell_out_links(json_t *result)
{
	size_t i;
	json_t *part;

	json_array_foreach(json_object_get(result, "content"), i, part)
	{
		const char *type = json_string_value(json_object_get(part, "type"));

		if (type && !strcmp(type, "resource_link"))
			json_array_set_new(json_object_get(result, "content"), i,
					   json_pack("{s:s, s:O}", "type", "text", "text",
						     json_object_get(part, "uri")));
	}
}

void mcp_reply_tool(struct mcp_request *r, const struct op *op, const json_t *result,
		    const struct tool_output *out, const struct aisbx_error *e)
{
	struct mcp_session *s = r->session;
	json_t *whole = NULL, *told;
	char link[64];
	char *text;

	snprintf(link, sizeof(link), ADDRESS "%u", s->last_kept + 1);
	/* What a run printed so far is read from what is kept of it, where something is. */
	told = tool_result(op, s->mcp->how.all_tools, result, out, e,
			   result || offer_op(&op_logs) ? link : NULL, &whole);
	text = whole ? json_dumps(whole, JSON_INDENT(1) | VALUE_REALS) : NULL;
	json_decref(whole);
	if (text)
		keep(s, ++s->last_kept, text);
	if (!r->modern && strcmp(r->version, "2025-06-18") < 0)
		spell_out_links(told);
	mcp_reply(r, told);
}

bool mcp_long_result_read(struct mcp_request *r, const char *uri)
{
	const struct mcp_long_result *k = r->session->kept;
	char *end = NULL;
	unsigned long number;

	if (strncmp(uri, ADDRESS, strlen(ADDRESS)) != 0)
		return false;
	number = strtoul(uri + strlen(ADDRESS), &end, 10);
	while (k && (*end || k->number != number))
		k = k->next;
	if (k)
		mcp_reply(r, json_pack("{s:[{s:s, s:s, s:s%}]}", "contents", "uri", uri, "mimeType",
				       "application/json", "text", k->text, k->len));
	else
		mcp_fail(r, r->modern ? MCP_INVALID_PARAMS : MCP_NO_RESOURCE, json_pack("{s:s}", "uri", uri),
			 "'%.80s' is not stored, or no longer: a session stores the newest %d results, up to "
			 "%u MiB; call the tool again, or request less",
			 uri, KEPT_MAX, KEPT_BYTES >> 20);
	return true;
}
