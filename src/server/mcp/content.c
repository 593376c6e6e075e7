/* SPDX-License-Identifier: Apache-2.0 */
/* Lists in pages, resources, prompts and completion: this turns data from elsewhere into answers. */
#include <stdlib.h>
#include <string.h>

#include "server/mcp/fixtures.h"
#include "server/mcp/prompts.h"
#include "server/mcp/resources.h"
#include "server/mcp/tools.h"

/* Of one answer. Tools fit into one: there are clients that never ask for the next page. */
#define PAGE_OF_TOOLS 1000
#define PAGE          100

/* One page of LIST, which is taken, under KEY. */
static void reply_page(struct mcp_request *r, const char *key, json_t *list, size_t most)
{
	const json_t *cursor = json_object_get(r->params, "cursor");
	struct aisbx_error e = AISBX_ERROR_INIT;
	json_t *at = NULL, *page = json_array(), *result;
	size_t from, n = json_array_size(list);

	if (r->session->mcp->how.page)
		most = r->session->mcp->how.page;
	if (cursor && !(at = mcp_unseal(r, "cursor", json_string_value(cursor), &e))) {
		json_decref(list);
		json_decref(page);
		mcp_fail(r, MCP_INVALID_PARAMS, NULL, "cursor: %s", e.text);
		return;
	}
	from = (size_t)json_integer_value(at);
	json_decref(at);
	for (size_t i = from; i < n && i - from < most; i++)
		json_array_append(page, json_array_get(list, i));
	result = json_pack("{s:o}", key, page);
	if (n > from && n - from > most)
		json_object_set_new(result, "nextCursor",
				    mcp_seal(r, "cursor", json_integer((json_int_t)from + (json_int_t)most)));
	json_decref(list);
	mcp_reply(r, result);
}

/* Clients of 2025-11-25 are told which tools may become tasks; before that nobody knows of them. */
static void tell_task_support(json_t *list, bool all)
{
	size_t i;
	json_t *tool;

	json_array_foreach(list, i, tool)
	{
		const struct op *op = tool_find(json_string_value(json_object_get(tool, "name")), all);

		if (op && op->grant == GRANT_RUN)
			json_object_set_new(tool, "execution", json_pack("{s:s}", "taskSupport", "optional"));
	}
}

/* It is the same for as long as the server runs, and not small. */
void mcp_tools_list(struct mcp_request *r)
{
	const struct mcp_how *how = &r->session->mcp->how;
	const bool tasks = !r->modern && !strcmp(r->version, MCP_LEGACY);
	json_t **list = &r->session->mcp->tools[tasks];

	if (!*list) {
		*list = tools_list(how->all_tools);
		if (tasks)
			tell_task_support(*list, how->all_tools);
		if (how->fixtures)
			mcp_fixture_tools(*list);
	}
	reply_page(r, "tools", json_incref(*list), PAGE_OF_TOOLS);
}

void mcp_prompts_list(struct mcp_request *r)
{
	json_t *list = prompts_list();

	if (r->session->mcp->how.fixtures)
		mcp_fixture_prompts(list);
	reply_page(r, "prompts", list, PAGE);
}

void mcp_resources_templates(struct mcp_request *r)
{
	json_t *list = resource_templates();

	if (r->session->mcp->how.fixtures)
		mcp_fixture_templates(list);
	reply_page(r, "resourceTemplates", list, PAGE);
}

#define MAX_SOURCES 8

struct gathering {
	json_t *results[MAX_SOURCES]; /* owned */
	size_t n;
};

static void free_gathering(void *own)
{
	struct gathering *g = own;

	for (size_t i = 0; i < g->n; i++)
		json_decref(g->results[i]);
	free(g);
}

static void gather_next(struct mcp_request *r);

static void gathered(struct mcp_job *j, const json_t *result, const struct aisbx_error *e)
{
	struct mcp_request *r = j->request;
	struct gathering *g = r->own;

	(void)e; /* what cannot be listed is not in the list */
	g->results[g->n++] = json_deep_copy(result);
	gather_next(r);
}

static void gather_next(struct mcp_request *r)
{
	static const struct mcp_job_events events = { .done = gathered };
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct gathering *g = r->own;
	const struct op *op = g->n < MAX_SOURCES ? resources_source(g->n) : NULL;
	json_t *args, *list;

	if (!op) {
		list = resources_list((const json_t *const *)g->results, g->n);
		if (r->session->mcp->how.fixtures)
			mcp_fixture_resources(list);
		reply_page(r, "resources", list, PAGE);
		return;
	}
	args = json_object();
	if (mcp_job_start(r->session, r, op, args, &events, NULL, NULL, NULL, &e) < 0)
		mcp_fail_error(r, MCP_INTERNAL, &e);
	json_decref(args);
}

void mcp_resources_list(struct mcp_request *r)
{
	r->own = calloc(1, sizeof(struct gathering));
	r->free_own = free_gathering;
	if (r->own) {
		gather_next(r);
		return;
	}
	r->free_own = NULL;
	mcp_fail(r, MCP_INTERNAL, NULL, "out of memory");
}

static void free_resource(void *own)
{
	resource_finish(own);
	free(own);
}

static const char *uri_of(const struct mcp_request *r)
{
	const char *uri = json_string_value(json_object_get(r->params, "uri"));

	return uri ? uri : "";
}

static void fail_resource(struct mcp_request *r, const struct aisbx_error *e)
{
	const int none = r->modern ? MCP_INVALID_PARAMS : MCP_NO_RESOURCE;

	mcp_fail_about(r, e->kind == AISBX_KIND_NOT_FOUND ? none : MCP_INTERNAL, uri_of(r), e);
}

static void read_done(struct mcp_job *j, const json_t *result, const struct aisbx_error *e)
{
	struct aisbx_error failed = AISBX_ERROR_INIT;
	struct mcp_request *r = j->request;
	json_t *contents = NULL;

	if (e)
		fail_resource(r, e);
	else if (resource_contents(r->own, result, &contents, &failed) < 0)
		fail_resource(r, &failed);
	else
		mcp_reply(r, json_pack("{s:o}", "contents", contents));
}

static void read_item(struct mcp_job *j, const json_t *item)
{
	struct aisbx_error failed = AISBX_ERROR_INIT;
	struct mcp_request *r = j->request;
	json_t *contents = NULL;

	if (resource_item(r->own, item))
		return;
	mcp_job_drop(j);
	if (resource_contents(r->own, NULL, &contents, &failed) < 0)
		fail_resource(r, &failed);
	else
		mcp_reply(r, json_pack("{s:o}", "contents", contents));
}

void mcp_resources_read(struct mcp_request *r)
{
	static const struct mcp_job_events events = { .item = read_item, .done = read_done };
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct resource *resource;

	if (!json_is_string(json_object_get(r->params, "uri"))) {
		mcp_fail(r, MCP_INVALID_PARAMS, NULL, "resources/read needs 'uri', a string");
		return;
	}
	if (mcp_long_result_read(r, uri_of(r)))
		return;
	if (r->session->mcp->how.fixtures && mcp_fixture_read(r, uri_of(r)))
		return;
	r->own = resource = calloc(1, sizeof(*resource));
	if (!resource) {
		mcp_fail(r, MCP_INTERNAL, NULL, "out of memory");
		return;
	}
	r->free_own = free_resource;
	if (resource_open(uri_of(r), resource, &e) < 0 ||
	    mcp_job_start(r->session, r, resource->op, resource->args, &events, NULL, NULL, NULL, &e) < 0)
		fail_resource(r, &e);
}

void mcp_prompts_get(struct mcp_request *r)
{
	const char *name = json_string_value(json_object_get(r->params, "name"));
	const json_t *arguments = json_object_get(r->params, "arguments");
	struct aisbx_error e = AISBX_ERROR_INIT;
	json_t *result = NULL;

	if (!name || (arguments && !json_is_object(arguments)))
		mcp_fail(r, MCP_INVALID_PARAMS, NULL,
			 "prompts/get needs 'name', a string, and optionally 'arguments', an object");
	else if (r->session->mcp->how.fixtures && mcp_fixture_prompt(r, name, arguments))
		return;
	else if (prompt_get(name, arguments, &result, &e) < 0)
		mcp_fail_error(r, MCP_INVALID_PARAMS, &e);
	else
		mcp_reply(r, result);
}

static void complete_done(struct mcp_job *j, const json_t *result, const struct aisbx_error *e)
{
	struct mcp_request *r = j->request;

	mcp_reply(r, json_pack("{s:o}", "completion", complete_values(r->params, e ? NULL : result)));
}

void mcp_complete(struct mcp_request *r)
{
	static const struct mcp_job_events events = { .done = complete_done };
	struct aisbx_error e = AISBX_ERROR_INIT;
	const struct op *op = NULL;
	json_t *args = NULL;

	if (r->session->mcp->how.fixtures && mcp_fixture_complete(r))
		return;
	if (complete_op(r->params, &op, &args, &e) < 0)
		mcp_fail_error(r, MCP_INVALID_PARAMS, &e);
	else if (!op)
		mcp_reply(r, json_pack("{s:o}", "completion", complete_values(r->params, NULL)));
	else if (mcp_job_start(r->session, r, op, args, &events, NULL, NULL, NULL, &e) < 0)
		mcp_fail_error(r, MCP_INTERNAL, &e);
	json_decref(args);
}
