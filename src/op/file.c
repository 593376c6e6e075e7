/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of operations on files of a box, and what such an operation tells. */
#include "op/file.h"

#include <string.h>

#include "base/io.h"
#include "base/scope.h"
#include "op/path_json.h"
#include "secret/scrub.h"

const char *const op_file_encodings[] = { "utf-8", "base64", NULL };

struct box_path op_file_path(const json_t *args, const char *name)
{
	const json_t *path = json_object_get(args, name);

	return (struct box_path){ json_string_value(path), json_string_length(path) };
}

int op_file_begin(const struct op_context *ctx, const json_t *args, enum file_act act, struct box_act *a,
		  struct aisbx_error *e)
{
	const struct box_path path = op_file_path(args, "path");

	return box_act_begin(&ctx->by, op_text(args, "box"), &path, act, a, e);
}

json_t *op_file_json(const struct box_act *f)
{
	const struct file_answer *a = &f->reply.head;
	json_t *j = json_object();
	char hex[2 * sizeof(a->sum) + 1];

	io_hex(a->sum, sizeof(a->sum), hex);
	op_set_name(j, "path", f->path);
	json_object_set_new(j, "type", json_string(box_file_type(a->type)));
	json_object_set_new(j, "size", json_integer((json_int_t)a->size));
	json_object_set_new(j, "mode", json_sprintf("%04o", a->mode));
	json_object_set_new(j, "mtime_ms", json_integer((json_int_t)(a->mtime_ns / 1000000)));
	json_object_set_new(j, "sha256", a->has_sum ? json_string(hex) : json_null());
	return j;
}

void op_file_conclude(struct box_act *f, json_t *result)
{
	const struct driver_result *run = &f->reply.run;
	json_t *list = json_array();

	for (size_t i = 0; i < run->n_violations; i++) {
		const struct violation *v = &run->violations[i];

		if (!strcmp(v->kind, "decoy"))
			json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:I}", "kind", v->kind, "what",
							      v->what, "rule", v->rule, "count",
							      (json_int_t)v->count));
	}
	if (json_array_size(list))
		json_object_set(result, "violations", list);
	json_decref(list);
	if (run->after.code)
		json_object_set_new(result, "snapshot_error", json_string(run->after.text));
	if (f->scan)
		scrub_json(result, fingerprints_scrub, f->scan);
}

void op_file_set_text(json_t *object, const char *key, const char *data, size_t len)
{
	scoped(drop_mem) char *text = strndup(data, len);

	op_set_name(object, key, text ? text : "");
}
