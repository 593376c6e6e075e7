/* SPDX-License-Identifier: Apache-2.0 */
/* Parses the time limit, searches for drift, reports it. */
#include "op/drift.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "base/str.h"
#include "op/path_json.h"

#define MAX_TOLD 100

int op_drift_options(const json_t *args, struct drift_options *ret, struct aisbx_error *e)
{
	const char *text = op_text(args, "drift");

	*ret = (struct drift_options){ .ms = BOX_DRIFT_MS };
	if (!text)
		return 0;
	ret->off = !strcmp(text, "off");
	if (ret->off)
		return 0;
	if (!strcmp(text, "full")) {
		ret->ms = 0;
		return 0;
	}
	if (!str_to_ms(text, &ret->ms) || !ret->ms)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "--drift takes a time such as 2s, 'full' or 'off', not '%.40s'", text);
	return 0;
}

static json_t *file_json(const struct drift_file *f)
{
	json_t *j = json_object();

	op_set_name(j, "path", f->path);
	json_object_set_new(j, "kind", json_string(drift_kind_name(f->kind)));
	if (f->from)
		op_set_name(j, "from", f->from);
	json_object_set_new(j, "both", json_boolean(f->both));
	return j;
}

static json_t *drift_json(const struct box_drift *d)
{
	json_t *j = json_pack("{s:s, s:I}", "of",
			      d->of_pin        ? "pin"
			      : d->of_snapshot ? "snapshot"
					       : "box",
			      "since_ms", (json_int_t)d->since_ms);
	json_t *files = json_array();

	for (enum drift_kind k = 0; k < DRIFT_KIND_COUNT; k++)
		json_object_set_new(j, drift_kind_name(k), json_integer((json_int_t)d->drift.counts[k]));
	json_object_set_new(j, "ignored", json_integer((json_int_t)d->ignored));
	json_object_set_new(j, "looked", json_integer((json_int_t)d->drift.looked));
	json_object_set_new(j, "complete", json_boolean(d->drift.complete));
	if (d->drift.clock_back)
		json_object_set_new(j, "clock_back", json_true());
	if (d->drift.branch) {
		json_object_set_new(j, "branch", json_string(d->drift.branch));
		json_object_set_new(j, "was", json_string(d->drift.was));
	}
	for (size_t i = 0; i < d->drift.n && i < MAX_TOLD; i++)
		json_array_append_new(files, file_json(&d->drift.files[i]));
	json_object_set_new(j, "files", files);
	return j;
}

json_t *op_drift_report_json(const struct drift_report *r)
{
	return r->failed ? json_pack("{s:b, s:s}", "complete", 0, "error", r->why.text)
			 : drift_json(&r->found);
}

void op_add_drift(const struct drift_report *r, json_t *result)
{
	if (r->told)
		json_object_set_new(result, "drift", op_drift_report_json(r));
}
