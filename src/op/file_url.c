/* SPDX-License-Identifier: Apache-2.0 */
/* The operation `file url`: an address at which one file can be read or written over HTTP, for a while. */
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "base/value.h"
#include "box/file_url_make.h"
#include "op/file.h"
#include "op/path_json.h"

/* Where `aisbx serve` listens if it is not told otherwise. */
#define USUAL_SERVER "http://127.0.0.1:24729"

static const char *server_of(const json_t *args, struct aisbx_error *e)
{
	const char *given = op_text(args, "server");

	if (!given)
		return USUAL_SERVER;
	if ((strncmp(given, "http://", 7) != 0 && strncmp(given, "https://", 8) != 0) ||
	    strpbrk(given, "?# \n")) {
		aisbx_refuse(
			e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
			"'%.100s' is no address of a server; give one such as %s, as 'aisbx serve' prints "
			"it",
			given, USUAL_SERVER);
		return NULL;
	}
	return given;
}

static int run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	const struct box_path path = op_file_path(args, "path");
	const bool writes = op_flag(args, "write");
	const char *server = server_of(args, e), *slash;
	scoped(file_url_made_finish) struct file_url_made made = { 0 };
	uint64_t lasts_ms = FILE_URL_USUAL_MS;
	int r;

	if (!server)
		return e->code;
	value_ms(json_object_get(args, "expires"), &lasts_ms);
	r = file_url_make(&ctx->by, op_text(args, "box"), &path, writes, lasts_ms, &made, e);
	if (r < 0)
		return r;
	slash = server + strlen(server) - (server[strlen(server) - 1] == '/');
	*ret_result = json_object();
	json_object_set_new(*ret_result, "url",
			    json_sprintf("%.*s" FILE_URL_PLACE "?%s", (int)(slash - server), server,
					 made.query));
	json_object_set_new(*ret_result, "method", json_string(writes ? "PUT" : "GET"));
	op_set_name(*ret_result, "path", made.path);
	json_object_set_new(*ret_result, "box", json_string(made.box));
	json_object_set_new(*ret_result, "expires_ms", json_integer((json_int_t)made.until * 1000));
	return 0;
}

static const struct op_param params[] = {
	FILE_BOX_PARAM,
	FILE_PATH_PARAM(true, "the file; to be written, it need not exist"),
	{ "write", 0, OP_FLAG, 0, NULL, "an address to write to, with PUT; default: to read from, with GET" },
	{ "expires", 0, OP_DURATION, 0, "TIME", "how long it is good: at most 7 days; default: 15m" },
	{ "server", 0, OP_STRING, 0, "URL",
	  "where 'aisbx serve' is reached by whoever gets the address; default: " USUAL_SERVER },
	{ .name = NULL },
};

static const struct op_field result[] = {
	{ "url", "string", "the address; whoever has it needs no token" },
	{ "method", "string", "GET or PUT" },
	{ "path", "string", "absolute path in the box" },
	{ "box", "string", "id of the box" },
	{ "expires_ms", "integer", "when it is no longer good, in milliseconds since 1970" },
	{ NULL, NULL, NULL },
};

const struct op op_file_url = {
	.name = "file url",
	.group = GROUP_BOXES,
	.view = VIEW_CONTENT,
	.method = "file.url",
	.summary = "Make an address at which one file of a box can be read or written over HTTP",
	.about = "Signs an address of 'aisbx serve': with GET it gives the whole file, with --write PUT\n"
		 "replaces it by the body, of at most 1 GiB, in one step. It is good for this file of this\n"
		 "box, this method and this time only, and for everybody who has it: treat it like a\n"
		 "password. Everything else is as for 'file read --raw' and 'file write'.",
	.example = "curl -o chart.png \"$(aisbx file url try1 chart.png)\"\n"
		   "curl -T data.csv \"$(aisbx file url try1 data/in.csv --write --expires 5m)\"",
	.grant = GRANT_RUN,
	.params = params,
	.result = result,
	.run = run,
};
