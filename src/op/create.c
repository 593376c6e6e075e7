/* SPDX-License-Identifier: Apache-2.0 */
/* The operations `create` and `fork`: new boxes. */
#include <errno.h>

#include "base/error.h"
#include "base/scope.h"
#include "box/lifecycle.h"
#include "op/args.h"
#include "op/drift.h"
#include "op/image.h"
#include "op/path_json.h"
#include "op/pin.h"
#include "op/take.h"
#include "op/box_json.h"
#include "base/value.h"

const char *const op_ids[] = { "one", "sub", NULL };

static uint64_t ttl_of(const json_t *args)
{
	uint64_t ms = 0;

	value_ms(json_object_get(args, "ttl"), &ms);
	return ms;
}

static json_t *secret_files_json(const struct project_secret_files *f)
{
	json_t *list = json_array();

	for (size_t i = 0; i < f->n; i++) {
		json_t *item = json_pack("{s:I}", "values", (json_int_t)f->items[i].values);

		op_set_name(item, "path", f->items[i].path);
		json_array_append_new(list, item);
	}
	return list;
}

static int run_create(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(box_created_finish) struct box_created made = { 0 };
	scoped(strlist_finish) struct strlist secrets = { 0 }, net = { 0 }, env = { 0 }, metadata = { 0 };
	const char *from;
	const struct box_create_request req = {
		.name = json_string_value(json_object_get(args, "name")),
		.project = op_project(ctx, args),
		.profile = op_profile_ref(ctx, args, NULL, &from),
		.from = op_text(args, "from"),
		.ids = op_text(args, "ids"),
		.project_given = op_text(args, "project") != NULL,
		.profile_given = op_text(args, "profile") != NULL,
		.secrets = &secrets,
		.net = &net,
		.env = &env,
		.metadata = &metadata,
		.caller_env = ctx->by.env,
		.ttl_ms = ttl_of(args),
		.autosnap = json_is_true(json_object_get(args, "autosnap")),
		.shared = json_is_true(json_object_get(args, "shared")),
		.record = json_is_true(json_object_get(args, "record")),
		.no_caches = json_is_true(json_object_get(args, "no-caches")),
		.pin = json_is_true(json_object_get(args, "pin")),
		.tell = op_pin_how(ctx),
	};
	int r;

	if (op_text(args, "take"))
		return op_take(args, ret_result, e);
	value_list(json_object_get(args, "secret"), &secrets);
	value_list(json_object_get(args, "net"), &net);
	value_list(json_object_get(args, "env"), &env);
	value_list(json_object_get(args, "metadata"), &metadata);
	r = secrets.failed || net.failed || env.failed || metadata.failed
		    ? aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "create a box")
		    : op_pull_missing(ctx, args, req.from, true, e);
	if (r == 0)
		r = box_create(ctx->by.cwd, &req, &made, e);
	if (r < 0)
		return r;
	*ret_result = box_json(&made.box);
	if (req.pin)
		op_add_pin(&made.pin, *ret_result);
	if (made.secret_files.n)
		json_object_set_new(*ret_result, "secret_files", secret_files_json(&made.secret_files));
	if (made.secret_files.more)
		json_object_set_new(*ret_result, "secrets_not_looked_for",
				    json_integer((json_int_t)made.secret_files.more));
	return 0;
}

static const struct op_param create_params[] = {
	{ "from", 0, OP_STRING, 0, "host|IMAGE|TEMPLATE|BOX[@SNAPSHOT]",
	  "what it starts from: this machine (default), an image or a template of that name, or a box, "
	  "which is forked; image:NAME, template:NAME and box:NAME say which. A box from an image has a "
	  "project only with --project or --here" },
	IDS_PARAM,
	PULL_PARAM,
	{ "take", 0, OP_STRING, OP_MODEL, "BOX", "take over this box, which an ended session left" },
	{ "project", 0, OP_STRING, 0, "DIR",
	  "directory that is writable in the box; default: the current one, or on the "
	  "command line the project that it is in" },
	HERE_PARAM,
	{ "profile", 'p', OP_STRING, 0, "PROFILE",
	  "what its runs may do: a name that 'aisbx profile ls' lists, or a file (with a '/'); default: "
	  "$AISBX_PROFILE, or dev" },
	{ "ttl", 0, OP_DURATION, 0, "TIME",
	  "lifetime: after it runs in the box end, and gc removes the box" },
	{ "secret", 0, OP_LIST, 0, "NAME=SOURCE",
	  "give every run in it this secret, read again each time; as in run" },
	{ "env", 'e', OP_LIST, 0, "NAME[=VALUE]",
	  "a variable that every command in it gets, or the caller's value; 'aisbx show' tells only names" },
	METADATA_PARAM("note this of it, for 'aisbx ls --metadata'"),
	{ "net", 0, OP_LIST, 0, "NET", "what its runs may reach, each of which can add to it; as in run" },
	{ "shared", 0, OP_FLAG, 0, NULL,
	  "share it with other sessions and tokens, too; a person has access to all boxes" },
	{ "pin", 0, OP_FLAG, 0, NULL,
	  "give it a copy of the project as it is now, so that later changes outside do not show; copying "
	  "takes time" },
	{ "autosnap", 0, OP_FLAG, 0, NULL, "take a snapshot after each run that changed something" },
	{ "no-caches", 0, OP_FLAG, 0, NULL,
	  "its runs do not see the caches of package managers and compilers in the home directory" },
	{ "record", 0, OP_FLAG, 0, NULL, "record every run in it, as 'run --record' does" },
	{ "use", 0, OP_FLAG, OP_LINE, NULL, "make it the current box of the project, as 'aisbx use' does" },
	{ "name", 0, OP_STRING, OP_POSITIONAL | OP_MODEL, "NAME", "name; default: two words" },
	{ .name = NULL },
};

static const struct op_field create_result[] = {
	BOX_FIELDS(""),
	PIN_FIELDS,
	{ "secret_files", "array",
	  "only present if there are any: files of the project with values that look like secrets; these are "
	  "removed from the output of its runs, and stop a promotion" },
	{ "secret_files[].path", "string|null", "in the project; null if it is not UTF-8" },
	{ "secret_files[].path_hex", "string", "the bytes in hexadecimal, if it is not UTF-8" },
	{ "secret_files[].values", "integer", "so many values" },
	{ "secrets_not_looked_for", "integer", "only present if there are any: values beyond the first 48" },
	{ NULL, NULL, NULL },
};

const struct op op_create = {
	.name = "create",
	.group = GROUP_BOXES,
	.view = VIEW_NAMES,
	.first = true,
	.method = "box.create",
	.tool = "sandbox_create",
	.brief = "Make a box: a clone of this machine and project that keeps its changes. Only "
		 "sandbox_promote changes the real project.",
	.summary = "Make a box: a clone of this machine that keeps its changes",
	.about = "A box is a clone of this machine that stays. Commands run in it with 'aisbx run --box\n"
		 "NAME' see the changes of earlier ones. Making a box takes milliseconds, whatever the\n"
		 "size of the project.\n\n"
		 "Where the box has changed nothing, it sees the real project, including later\n"
		 "changes; 'aisbx diff' and other commands report those. With --pin it gets a copy\n"
		 "instead, and nothing outside changes what it sees. The copy shares its data with the\n"
		 "project if the file system can (btrfs, xfs); otherwise it takes the time and space of an\n"
		 "ordinary copy. Files that change while the copy is made are copied again. Snapshots and\n"
		 "forks of the box use the same copy.\n\n"
		 "A session of 'aisbx serve' ends when it is idle or deleted, or its server is restarted; "
		 "its\n"
		 "boxes stay for a week. 'ls' tells the next session of the same token which these are, as\n"
		 "'left', and with --take one of them is its own from then on, with its snapshots. On the\n"
		 "command line it becomes yours.",
	.example = "aisbx create try1\naisbx run --box try1 -- make\naisbx create --pin release\naisbx "
		   "create --take b-1f2e3d4c5b6a7980 parser",
	.grant = GRANT_RUN,
	.params = create_params,
	.result = create_result,
	.run = run_create,
};

#define MAX_FORKS 10000

static int count_of(const json_t *args, uint64_t *ret_count, struct aisbx_error *e)
{
	*ret_count = 1;
	value_number(json_object_get(args, "count"), ret_count);
	if (*ret_count < 1 || *ret_count > MAX_FORKS)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL, "count must be 1 to %d",
				    MAX_FORKS);
	return 0;
}

static int run_fork(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(box_forks_finish) struct box_forks made = { 0 };
	struct box_fork_request req = { .from = json_string_value(json_object_get(args, "from")),
					.name = json_string_value(json_object_get(args, "name")),
					.ttl_ms = ttl_of(args),
					.shared = json_is_true(json_object_get(args, "shared")) };
	json_t *list;
	int r = count_of(args, &req.count, e);

	(void)ctx;
	if (r == 0)
		r = op_drift_options(args, &req.drift, e);
	if (r == 0)
		r = box_fork(&req, &made, e);
	if (r < 0)
		return r;
	list = json_array();
	for (size_t i = 0; i < made.n; i++)
		json_array_append_new(list, box_json(&made.boxes[i]));
	*ret_result = json_pack("{s:o}", "boxes", list);
	op_add_drift(&made.drift, *ret_result);
	return 0;
}

static const struct op_param fork_params[] = {
	{ "count", 'n', OP_NUMBER, OP_MODEL, "N", "make N boxes: NAME-1, NAME-2, ..." },
	{ "name", 0, OP_STRING, OP_MODEL, "NAME", "name; default: that of BOX with a number" },
	{ "ttl", 0, OP_DURATION, 0, "TIME",
	  "lifetime: after it runs in the box end, and gc removes the box" },
	{ "shared", 0, OP_FLAG, 0, NULL,
	  "share it with other sessions and tokens, too; a person has access to all boxes" },
	{ "from", 0, OP_STRING, OP_POSITIONAL | OP_REQUIRED | OP_CURRENT, "BOX[@SNAPSHOT]",
	  "where to start" },
	DRIFT_PARAM,
	{ .name = NULL },
};

static const struct op_field fork_result[] = {
	{ "boxes", "array", "the new boxes" }, BOX_FIELDS("boxes[]."), DRIFT_FIELDS, { NULL, NULL, NULL }
};

const struct op op_fork = {
	.name = "fork",
	.group = GROUP_BOXES,
	.view = VIEW_NAMES,
	.first = true,
	.method = "box.fork",
	.tool = "sandbox_fork",
	.brief = "Make boxes that start from a box or snapshot, to try ideas side by side.",
	.summary = "Make boxes that start from a box or one of its snapshots",
	.about = "The new boxes start with everything the old one had at that point and then change\n"
		 "independently. Forking a box takes a snapshot of it first. Changes to the real project\n"
		 "since then are reported, and visible in all of the boxes, unless the box is pinned.",
	.example = "aisbx fork try1 --count 3 --name idea\naisbx fork try1@before --name again",
	.grant = GRANT_RUN,
	.params = fork_params,
	.result = fork_result,
	.run = run_fork,
};
