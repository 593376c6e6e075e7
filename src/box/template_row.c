/* SPDX-License-Identifier: Apache-2.0 */
/* Settings of a template to JSON and back. */
#include "box/template_row.h"

#include <errno.h>
#include <jansson.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"

static json_t *place_json(const struct store_box *b)
{
	return json_pack("{s:I, s:I, s:I, s:I, s:I}", "s", (json_int_t)b->watermark_s, "ns",
			 (json_int_t)b->watermark_ns, "dev", (json_int_t)b->place.dev, "ino",
			 (json_int_t)b->place.ino, "born", (json_int_t)b->place.born);
}

char *template_settings_text(const struct box_template *t)
{
	json_t *j = json_pack("{s:b, s:b, s:b, s:I}", "shared", t->shared, "no_caches", t->no_caches,
			      "autosnap", t->autosnap, "expires_ms", (json_int_t)t->expires_ms);
	json_t *net = json_array();
	char *text;

	for (size_t i = 0; i < t->net.n; i++)
		json_array_append_new(net, json_string(t->net.items[i]));
	json_object_set_new(j, "net", net);
	if (t->with_project)
		json_object_set_new(j, "since", place_json(&t->since));
	text = json_dumps(j, JSON_COMPACT);
	json_decref(j);
	return text;
}

static int64_t number(const json_t *of, const char *name)
{
	return json_integer_value(json_object_get(of, name));
}

static void read_since(const json_t *j, struct store_box *ret)
{
	ret->watermark_s = number(j, "s");
	ret->watermark_ns = number(j, "ns");
	ret->place = (struct store_place){ number(j, "dev"), number(j, "ino"), number(j, "born") };
}

int template_settings_read(struct store_template *row, struct box_template *ret, struct aisbx_error *e)
{
	json_t *j = json_loads(row->settings && row->settings[0] ? row->settings : "{}",
			       JSON_REJECT_DUPLICATES, NULL);
	const json_t *net = json_object_get(j, "net"), *since = json_object_get(j, "since"), *item;
	struct box_template t = { .row = *row,
				  .shared = json_is_true(json_object_get(j, "shared")),
				  .no_caches = json_is_true(json_object_get(j, "no_caches")),
				  .autosnap = json_is_true(json_object_get(j, "autosnap")),
				  .with_project = json_is_object(since),
				  .expires_ms = number(j, "expires_ms") };
	bool good = json_is_object(j);
	size_t i;

	*row = (struct store_template){ 0 };
	read_since(since, &t.since);
	json_array_foreach(net, i, item)
	{
		good = good && json_is_string(item);
		strlist_add(&t.net, json_is_string(item) ? json_string_value(item) : "");
	}
	json_decref(j);
	if (good && !t.net.failed) {
		*ret = t;
		return 0;
	}
	aisbx_fail(e, AISBX_AREA_BOX, good ? ENOMEM : EBADMSG, "read the settings of template '%s'",
		   t.row.name);
	box_template_finish(&t);
	return e->code;
}

void box_template_finish(struct box_template *t)
{
	store_template_finish(&t->row);
	strlist_finish(&t->net);
	*t = (struct box_template){ 0 };
}
