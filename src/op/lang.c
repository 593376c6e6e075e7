/* SPDX-License-Identifier: Apache-2.0 */
/* The operations `lang add`, `lang ls` and `lang rm`. */
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "box/box.h"
#include "op/op.h"
#include "wasm/install.h"

static int find(const json_t *args, const struct wasm_language **ret, struct aisbx_error *e)
{
	const char *name = op_text(args, "language");

	*ret = wasm_language_by_name(name);
	if (!*ret)
		*ret = wasm_language_of(name);
	if (*ret)
		return 0;
	aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_USAGE, ENOENT,
		     "there is no language '%.60s'; these can be added:", name);
	for (size_t i = 0; i < wasm_n_languages; i++) {
		strncat(e->text, i ? ", " : " ", sizeof(e->text) - strlen(e->text) - 1);
		strncat(e->text, wasm_languages[i].name, sizeof(e->text) - strlen(e->text) - 1);
	}
	return e->code;
}

static int make_json(const char *state, const struct wasm_language *l, json_t **ret, struct aisbx_error *e)
{
	scoped(wasm_installed_finish) struct wasm_installed there = { 0 };
	json_t *packages = json_array();
	int r = wasm_installed(state, l, &there, e);

	for (size_t i = 0; i < WASM_PACKAGES && l->packages[i].name; i++)
		json_array_append_new(packages,
				      json_pack("{s:s, s:s, s:s}", "name", l->packages[i].name, "version",
						l->packages[i].version, "sha256", l->packages[i].sha256));
	if (r < 0) {
		json_decref(packages);
		return r;
	}
	*ret = json_pack("{s:s, s:s, s:s, s:s, s:o, s:b, s:o, s:o}", "name", l->name, "language", l->language,
			 "about", l->about, "licence", l->licence, "packages", packages, "added",
			 there.is_there, "size",
			 there.is_there ? json_integer((json_int_t)there.size) : json_null(), "path",
			 there.is_there ? json_string(there.path) : json_null());
	return 0;
}

static void step(void *face, const char *words)
{
	struct op_context *ctx = face;
	json_auto_t *item = json_pack("{s:s}", "step", words);

	if (item && ctx->emit)
		ctx->emit(ctx, item);
}

static int add_run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	const char *from = op_text(args, "from");
	scoped(box_state_close) struct box_state opened = { 0 }; /* so that its directory is there */
	scoped(drop_mem) char *state = box_state_open(&opened, e) < 0 ? NULL : box_state_dir(e);
	scoped(drop_mem) char *full = from ? path_resolve(ctx->by.cwd, from) : NULL;
	const struct wasm_language *l;
	int r = state ? find(args, &l, e) : e->code;

	if (r == 0 && from && !full)
		r = aisbx_fail(e, AISBX_AREA_USAGE, ENOMEM, "find '%s'", from);
	if (r == 0)
		r = wasm_install(state, l, full, step, ctx, e);
	return r < 0 ? r : make_json(state, l, ret_result, e);
}

static int ls_run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(drop_mem) char *state = box_state_dir(e);
	json_auto_t *list = json_array();
	int r = state ? 0 : e->code;

	(void)ctx, (void)args;
	for (size_t i = 0; r == 0 && i < wasm_n_languages; i++) {
		json_t *one = NULL;

		r = make_json(state, &wasm_languages[i], &one, e);
		if (r == 0)
			json_array_append_new(list, one);
	}
	if (r == 0)
		*ret_result = json_pack("{s:O}", "languages", list);
	return r;
}

static int rm_run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(drop_mem) char *state = box_state_dir(e);
	const struct wasm_language *l;
	int r = state ? find(args, &l, e) : e->code;

	(void)ctx;
	if (r == 0)
		r = wasm_remove(state, l, e);
	if (r == 0)
		*ret_result = json_pack("{s:s}", "name", l->name);
	return r;
}

#define LANGUAGE_PARAM                                                             \
	{                                                                          \
		"language", 0, OP_STRING, OP_POSITIONAL | OP_REQUIRED, "LANGUAGE", \
			"python-wasm or javascript-wasm"                           \
	}

static const struct op_param add_params[] = {
	{ "from", 0, OP_STRING, 0, "DIR",
	  "directory with the archives that 'npm pack' made elsewhere; default: npm fetches them" },
	LANGUAGE_PARAM,
	{ .name = NULL },
};
static const struct op_param rm_params[] = { LANGUAGE_PARAM, { .name = NULL } };
static const struct op_param no_params[] = { { .name = NULL } };

#define LANGUAGE_FIELDS(at)                                                                       \
	{ at "name", "string", "its name" }, { at "language", "string", "as run-code has it" },   \
		{ at "about", "string", "what it is, and what it lacks" },                        \
		{ at "licence", "string", "of what is fetched" },                                 \
		{ at "packages", "array", "what is fetched" },                                    \
		{ at "packages[].name", "string", "name of the package" },                        \
		{ at "packages[].version", "string", "its version" },                             \
		{ at "packages[].sha256", "string", "of its archive; anything else is refused" }, \
		{ at "added", "boolean", "it is on this machine" },                               \
		{ at "size", "integer|null", "bytes on disk" },                                   \
	{                                                                                         \
		at "path", "string|null", "its file"                                              \
	}

static const struct op_field add_result[] = { LANGUAGE_FIELDS(""), { NULL, NULL, NULL } };
static const struct op_field ls_result[] = { { "languages", "array", "all that aisbx knows" },
					     LANGUAGE_FIELDS("languages[]."),
					     { NULL, NULL, NULL } };
static const struct op_field rm_result[] = { { "name", "string", "its name" }, { NULL, NULL, NULL } };

const struct op op_lang_add = {
	.name = "lang add",
	.group = GROUP_SYSTEM,
	.view = VIEW_LANGUAGE,
	.summary = "Add a language for the driver wasm: its interpreter as WebAssembly",
	.about = "Fetches the interpreter's package by npm, without running anything of it, and refuses\n"
		 "what is not exactly the one that this aisbx names by its SHA-256. Then it starts the\n"
		 "interpreter once, imports what programs use, and keeps that state, compiled for this\n"
		 "processor: so each program starts in milliseconds. This takes half a minute, once, and\n"
		 "again after an update of aisbx.\n\n"
		 "Nothing is ever fetched while a program is run.",
	.example = "aisbx lang add python-wasm\n"
		   "aisbx lang add javascript-wasm --from ~/packages\n"
		   "aisbx run-code --driver wasm --lang python --code 'print(6 * 7)'",
	.grant = GRANT_HOST,
	.params = add_params,
	.result = add_result,
	.run = add_run,
};

const struct op op_lang_ls = {
	.name = "lang ls",
	.group = GROUP_SYSTEM,
	.view = VIEW_LANGUAGES,
	.method = "lang.list",
	.summary = "List the languages that can be added for the driver wasm",
	.about = "Also says which are there, and what each lacks compared with the same language on this\n"
		 "machine.",
	.example = "aisbx lang ls",
	.grant = GRANT_READ,
	.params = no_params,
	.result = ls_result,
	.run = ls_run,
};

const struct op op_lang_rm = {
	.name = "lang rm",
	.group = GROUP_SYSTEM,
	.view = VIEW_NAMES,
	.summary = "Remove a language of the driver wasm",
	.about = "Its file is removed; 'aisbx lang add' makes it again.",
	.example = "aisbx lang rm python-wasm",
	.grant = GRANT_HOST,
	.params = rm_params,
	.result = rm_result,
	.run = rm_run,
};
