/* SPDX-License-Identifier: Apache-2.0 */
/* The operation `config explain`: every setting that holds here, and who says so. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "box/box.h"
#include "op/args.h"
#include "op/profile.h"

static void add(json_t *list, const char *key, const char *value, const char *from)
{
	json_t *v = json_string(value ? value : "none");

	json_array_append_new(list, json_pack("{s:s, s:s?, s:o, s:s, s:s?}", "key", key, "name", NULL,
					      "value", v ? v : json_null(), "from", from, "line", NULL));
}

/* The file NAME of the person, and whether it is there. */
static void add_personal(json_t *list, const struct caller *by, const char *key, const char *name)
{
	const char *config = caller_variable(by, "XDG_CONFIG_HOME"), *home = caller_variable(by, "HOME");
	scoped(drop_mem) char *path = config ? path_join(config, name) : NULL;
	scoped(drop_mem) char *below = !config && home ? path_join(home, ".config") : NULL;
	const char *from = config ? "variable XDG_CONFIG_HOME" : "default";

	if (below)
		path = path_join(below, name);
	if (path)
		add(list, key, access(path, F_OK) == 0 ? path : "none",
		    access(path, F_OK) == 0 ? from : path);
}

static int add_places(struct op_context *ctx, json_t *list, struct aisbx_error *e)
{
	scoped(drop_mem) char *state = box_state_path(e);
	scoped(drop_mem) char *file = path_join(caller_project(&ctx->by), "aisbx.yaml");
	const char *runtime = caller_variable(&ctx->by, "XDG_RUNTIME_DIR");

	if (!state)
		return e->code;
	add(list, "state", state,
	    caller_variable(&ctx->by, "XDG_STATE_HOME") ? "variable XDG_STATE_HOME" : "default");
	add(list, "sockets", runtime, runtime ? "variable XDG_RUNTIME_DIR" : "default");
	add(list, "project", file && access(file, F_OK) == 0 ? file : NULL,
	    file && access(file, F_OK) == 0 ? "the project" : "there is no aisbx.yaml");
	add_personal(list, &ctx->by, "profiles", "aisbx/profiles");
	add_personal(list, &ctx->by, "guard", "aisbx/guard.yaml");
	add_personal(list, &ctx->by, "images", "aisbx/images.yaml");
	add_personal(list, &ctx->by, "queue", "aisbx/queue.yaml");
	add_personal(list, &ctx->by, "scan", "aisbx/scan");
	return 0;
}

static bool wanted(const char *key, const json_t *item)
{
	const char *has = json_string_value(json_object_get(item, "key"));

	return !key || (has && !strcmp(key, has));
}

static int run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	json_auto_t *profile = NULL;
	json_auto_t *none = json_object();
	json_auto_t *all = json_array();
	const char *key = op_text(args, "key");
	json_t *values, *item;
	size_t i;
	int r = op_profile_explain.run(ctx, none, &profile, e);

	if (r < 0)
		return r;
	add(all, "profile", json_string_value(json_object_get(profile, "profile")),
	    json_string_value(json_object_get(profile, "chosen_by")));
	r = add_places(ctx, all, e);
	if (r < 0)
		return r;
	json_array_extend(all, json_object_get(profile, "values"));
	values = json_array();
	json_array_foreach(all, i, item) if (wanted(key, item)) json_array_append(values, item);
	if (key && !json_array_size(values)) {
		json_decref(values);
		aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_USAGE, ENOENT, "there is no setting '%s'",
			     key);
		return aisbx_hint(e, "'aisbx config explain' lists them");
	}
	*ret_result = json_pack("{s:O, s:O, s:O, s:o}", "profile", json_object_get(profile, "profile"),
				"chosen_by", json_object_get(profile, "chosen_by"), "files",
				json_object_get(profile, "files"), "values", values);
	return 0;
}

static const struct op_param params[] = {
	{ "key", 0, OP_STRING, OP_POSITIONAL, "KEY", "only this setting" },
	{ .name = NULL },
};

static const struct op_field result[] = {
	{ "profile", "string", "the profile that a run gets here" },
	{ "chosen_by", "string", "who chose it" },
	FILES_FIELD,
	{ "values", "array", "each setting" },
	{ "values[].key", "string", "its name" },
	{ "values[].name", "string|null", "of a mapping: the name in it" },
	{ "values[].value", "string|null", "its value" },
	{ "values[].from", "string", "the option, variable or file that says so, or default" },
	{ "values[].line", "integer|null", "the line of that file" },
	{ NULL, NULL, NULL },
};

const struct op op_config_explain = {
	.name = "config explain",
	.group = GROUP_SYSTEM,
	.view = VIEW_PROFILE_EXPLAIN,
	.method = "config.explain",
	.summary = "Show every setting that holds here, and where it comes from",
	.about = "Shows what a run in this directory would get, and who says so. An option beats a\n"
		 "variable, which beats the project's aisbx.yaml, which beats a personal file\n"
		 "(~/.config/aisbx), which beats one of the system (/etc/aisbx), which beats what is\n"
		 "shipped.",
	.example = "aisbx config explain\n"
		   "aisbx config explain mem",
	.grant = GRANT_READ,
	.params = params,
	.result = result,
	.run = run,
};
