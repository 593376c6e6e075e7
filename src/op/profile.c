/* SPDX-License-Identifier: Apache-2.0 */
/* The operations `profile ls|show|check`: what profiles there are, and what each says. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "op/args.h"
#include "op/profile.h"

/* The files a profile is made of, itself first. */
json_t *op_profile_files_json(const struct box_profile *p)
{
	json_t *list = json_array();

	for (size_t i = 0; i < p->n_chain; i++)
		json_array_append_new(list, json_string(p->chain[i]->file));
	return list;
}

static int run_ls(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(strlist_finish) struct strlist names = { 0 };
	json_t *list = json_array();

	(void)args;
	(void)e;
	box_profile_names(&names);
	for (size_t i = 0; i < names.n; i++) {
		scoped(box_profile_finish) struct box_profile p = { 0 };
		struct aisbx_error wrong = AISBX_ERROR_INIT;

		if (box_profile_load(names.items[i], ctx->by.cwd, NULL, &p, &wrong) < 0)
			json_array_append_new(list,
					      json_pack("{s:s, s:n, s:n, s:n, s:s}", "name", names.items[i],
							"about", "file", "extends", "error", wrong.text));
		else
			json_array_append_new(list,
					      json_pack("{s:s, s:s?, s:s, s:s?, s:n}", "name", names.items[i],
							"about", p.chain[0]->about, "file", p.chain[0]->file,
							"extends", profile_base_of(p.chain[0]), "error"));
	}
	*ret_result = json_pack("{s:o}", "profiles", list);
	return 0;
}

static int load(const struct op_context *ctx, const char *ref, struct box_profile *ret, struct aisbx_error *e)
{
	return box_profile_load(ref, ctx->by.cwd, NULL, ret, e);
}

static int run_show(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(box_profile_finish) struct box_profile p = { 0 };
	const char *from;
	int r = load(ctx, op_profile_ref(ctx, args, NULL, &from), &p, e);

	if (r < 0)
		return r;
	*ret_result = json_pack("{s:s, s:o, s:o, s:o}", "name", p.ref, "files", op_profile_files_json(&p),
				"profile", op_profile_json(&p), "notes", op_profile_notes_json(&p));
	return 0;
}

static int run_check(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(box_profile_finish) struct box_profile p = { 0 };
	const char *given = op_text(args, "file");
	scoped(drop_mem) char *path = path_resolve(ctx->by.cwd, given);
	/* A name is one unless a file here is called so. */
	bool name = path && !strchr(given, '/') && access(path, F_OK) < 0;
	int r = path ? load(ctx, name ? given : path, &p, e)
		     : aisbx_fail(e, AISBX_AREA_POLICY, ENOMEM, "check a profile");

	if (r == 0)
		r = box_profile_check_calls(&p, e);
	if (r < 0)
		return r;
	*ret_result = json_pack("{s:b, s:o, s:o, s:o}", "ok", 1, "files", op_profile_files_json(&p),
				"profile", op_profile_json(&p), "notes", op_profile_notes_json(&p));
	return 0;
}

static const struct op_param ls_params[] = { { .name = NULL } };
static const struct op_param show_params[] = {
	{ "profile", 0, OP_STRING, OP_POSITIONAL | OP_MODEL, "PROFILE", PROFILE_HELP },
	{ .name = NULL },
};
static const struct op_param check_params[] = {
	{ "file", 0, OP_STRING, OP_POSITIONAL | OP_REQUIRED, "FILE", "the file to read" },
	{ .name = NULL },
};
static const struct op_field ls_result[] = {
	{ "profiles", "array",
	  "sorted by name; the person's come before the system's, and these before the shipped ones" },
	{ "profiles[].name", "string", "name for --profile" },
	{ "profiles[].about", "string|null", "description" },
	{ "profiles[].file", "string|null", "where it is: a path, or shipped:NAME" },
	{ "profiles[].extends", "string|null", "the profile it extends" },
	{ "profiles[].error", "string|null", "why it cannot be used" },
	{ NULL, NULL, NULL },
};
static const struct op_field show_result[] = {
	{ "name", "string", "its name, or the path of its file" },
	FILES_FIELD,
	{ "profile", "object", "all values in effect, as a self-contained file would set them" },
	NOTES_FIELD,
	{ NULL, NULL, NULL },
};
static const struct op_field check_result[] = {
	{ "ok", "boolean", "always true; problems are reported as an error" },
	FILES_FIELD,
	{ "profile", "object", "all values in effect, as a self-contained file would set them" },
	NOTES_FIELD,
	{ NULL, NULL, NULL },
};
const struct op op_profile_ls = {
	.name = "profile ls",
	.group = GROUP_SYSTEM,
	.view = VIEW_PROFILES,
	.method = "profile.ls",
	.summary = "List the available profiles",
	.about = "Lists profiles by name: those in ~/.config/aisbx/profiles, in /etc/aisbx/profiles and\n"
		 "the shipped ones. If two have the same name, the one from the first of these places is\n"
		 "used.",
	.example = "aisbx profile ls",
	.grant = GRANT_READ,
	.params = ls_params,
	.result = ls_result,
	.run = run_ls,
};
const struct op op_profile_show = {
	.name = "profile show",
	.group = GROUP_SYSTEM,
	.view = VIEW_PROFILE,
	.method = "profile.show",
	.summary = "Show a complete profile as one file",
	.about = "Prints all values in effect when the profile is used, including everything it extends, as "
		 "a self-contained file.",
	.example =
		"aisbx profile show python\naisbx profile show strict > ~/.config/aisbx/profiles/mine.yaml",
	.grant = GRANT_READ,
	.params = show_params,
	.result = show_result,
	.run = run_show,
};
const struct op op_profile_check = {
	.name = "profile check",
	.group = GROUP_SYSTEM,
	.view = VIEW_PROFILE_CHECK,
	.method = "profile.check",
	.summary = "Check whether a file is a valid profile",
	.about = "Reads the file, or the profile of that name, and the profiles it extends. A problem is "
		 "reported with its line and\n"
		 "column and what would be right; the exit status is 125 then.",
	.example = "aisbx profile check mine.yaml",
	.grant = GRANT_READ,
	.params = check_params,
	.result = check_result,
	.run = run_check,
};
