/* SPDX-License-Identifier: Apache-2.0 */
/* Settings of a template to JSON and back. */
#include "box/template_row.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "base/value.h"

static json_t *place_json(const struct store_box *b)
{
	return json_pack("{s:I, s:I, s:I, s:I, s:I}", "s", (json_int_t)b->watermark_s, "ns",
			 (json_int_t)b->watermark_ns, "dev", (json_int_t)b->place.dev, "ino",
			 (json_int_t)b->place.ino, "born", (json_int_t)b->place.born);
}

static json_t *pulled_json(const struct template_pulled *p)
{
	return json_pack("{s:s, s:s, s:s?, s:s?, s:s?, s:o}", "reference", p->reference, "digest", p->digest,
			 "profile", p->profile, "recipe", p->recipe, "lock", p->lock, "net",
			 value_list_json(&p->net));
}

char *template_settings_text(const struct box_template *t)
{
	json_t *j = json_pack("{s:b, s:b, s:b, s:I}", "shared", t->shared, "no_caches", t->no_caches,
			      "autosnap", t->autosnap, "expires_ms", (json_int_t)t->expires_ms);
	char *text;

	json_object_set_new(j, "net", value_list_json(&t->net));
	if (t->with_project)
		json_object_set_new(j, "since", place_json(&t->since));
	if (t->pulled.reference)
		json_object_set_new(j, "pulled", pulled_json(&t->pulled));
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

/* False: it is no list of texts. */
static bool read_list(const json_t *list, struct strlist *ret)
{
	const json_t *item;
	size_t i;

	json_array_foreach(list, i, item)
	{
		if (!json_is_string(item))
			return false;
		strlist_add(ret, json_string_value(item));
	}
	return true;
}

static bool copy(const json_t *of, const char *name, char **ret)
{
	const char *text = json_string_value(json_object_get(of, name));

	*ret = text ? strdup(text) : NULL;
	return !text || *ret;
}

static bool read_pulled(const json_t *j, struct template_pulled *ret)
{
	const char *digest = json_string_value(json_object_get(j, "digest"));

	snprintf(ret->digest, sizeof(ret->digest), "%s", digest ? digest : "");
	ret->net.failed |= !copy(j, "reference", &ret->reference) || !copy(j, "profile", &ret->profile) ||
			   !copy(j, "recipe", &ret->recipe) || !copy(j, "lock", &ret->lock);
	return read_list(json_object_get(j, "net"), &ret->net);
}

int template_settings_read(struct store_template *row, struct box_template *ret, struct aisbx_error *e)
{
	json_t *j = json_loads(row->settings && row->settings[0] ? row->settings : "{}",
			       JSON_REJECT_DUPLICATES, NULL);
	const json_t *since = json_object_get(j, "since");
	struct box_template t = { .row = *row,
				  .shared = json_is_true(json_object_get(j, "shared")),
				  .no_caches = json_is_true(json_object_get(j, "no_caches")),
				  .autosnap = json_is_true(json_object_get(j, "autosnap")),
				  .with_project = json_is_object(since),
				  .expires_ms = number(j, "expires_ms") };
	bool good = json_is_object(j) && read_list(json_object_get(j, "net"), &t.net) &&
		    read_pulled(json_object_get(j, "pulled"), &t.pulled);

	*row = (struct store_template){ 0 };
	read_since(since, &t.since);
	json_decref(j);
	if (good && !t.net.failed && !t.pulled.net.failed) {
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
	free(t->pulled.reference);
	free(t->pulled.profile);
	free(t->pulled.recipe);
	free(t->pulled.lock);
	strlist_finish(&t->pulled.net);
	*t = (struct box_template){ 0 };
}
