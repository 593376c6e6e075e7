/* SPDX-License-Identifier: Apache-2.0 */
/* Reads and writes the label of a template. */
#include "image/template_label.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "base/value.h"
#include "image/oci.h"

#define VERSION     1
#define SMALL       "abcdefghijklmnopqrstuvwxyz"
#define WORD        SMALL "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"
#define HEXADECIMAL "0123456789abcdef"
#define LOCK_LEN    64u

void template_label_finish(struct template_label *l)
{
	free(l->name);
	free(l->os);
	free(l->machine);
	free(l->profile);
	strlist_finish(&l->net);
	free(l->recipe);
	free(l->lock);
	*l = (struct template_label){ 0 };
}

/* What is wrong with it; NULL: no memory. */
struct reading {
	const char *wrong;
	size_t known; /* keys that were read */
	bool failed;
};

static bool is_text(const json_t *value, size_t most, const char *letters)
{
	const char *text = json_string_value(value);
	size_t n = json_string_length(value);

	return text && n && n <= most && strspn(text, letters) == n && text[0] != '-' && text[0] != '.';
}

/* A text that may be missing, of at most MOST of LETTERS. */
static void read_text(struct reading *r, const json_t *doc, const char *key, size_t most, const char *letters,
		      char **ret)
{
	const json_t *value = json_object_get(doc, key);

	if (!value)
		return;
	r->known++;
	if (!is_text(value, most, letters)) {
		r->wrong = key;
		return;
	}
	*ret = strdup(json_string_value(value));
	r->failed |= !*ret;
}

static void read_flag(struct reading *r, const json_t *doc, const char *key, bool *ret)
{
	const json_t *value = json_object_get(doc, key);

	r->known += value != NULL;
	if (value && !json_is_boolean(value))
		r->wrong = key;
	*ret = json_is_true(value);
}

/* Anything that can be printed. */
static bool is_rule(const json_t *value)
{
	const char *text = json_string_value(value);
	size_t n = json_string_length(value);
	bool good = text && n && n <= TEMPLATE_RULE_MAX && text[0] != '-';

	for (size_t i = 0; good && i < n; i++)
		good = text[i] >= ' ' && text[i] <= '~';
	return good;
}

/* Rules are only shown, and checked again when somebody gives them to a box. */
static void read_rules(struct reading *r, const json_t *doc, struct strlist *ret)
{
	const json_t *list = json_object_get(doc, "net"), *item;
	size_t i;

	r->known += list != NULL;
	if (list && (!json_is_array(list) || json_array_size(list) > TEMPLATE_RULES_MAX))
		r->wrong = "net";
	json_array_foreach(list, i, item)
	{
		if (r->wrong)
			return;
		if (is_rule(item))
			strlist_add(ret, json_string_value(item));
		else
			r->wrong = "net";
	}
	r->failed |= ret->failed;
}

static void read_all(struct reading *r, const json_t *doc, struct template_label *ret)
{
	const json_t *version = json_object_get(doc, "version");

	r->known++;
	if (!json_is_integer(version) || json_integer_value(version) != VERSION)
		r->wrong = "version";
	read_text(r, doc, "name", TEMPLATE_WORD_MAX, WORD, &ret->name);
	read_text(r, doc, "os", TEMPLATE_SYSTEM_MAX, WORD " ", &ret->os);
	read_text(r, doc, "machine", TEMPLATE_SYSTEM_MAX, WORD, &ret->machine);
	read_flag(r, doc, "system", &ret->system);
	read_text(r, doc, "profile", TEMPLATE_WORD_MAX, WORD, &ret->profile);
	read_rules(r, doc, &ret->net);
	read_flag(r, doc, "no-caches", &ret->no_caches);
	read_flag(r, doc, "autosnap", &ret->autosnap);
	read_text(r, doc, "recipe", TEMPLATE_WORD_MAX, WORD, &ret->recipe);
	read_text(r, doc, "lock", LOCK_LEN, HEXADECIMAL, &ret->lock);
	if (!r->wrong && json_object_size(doc) != r->known)
		r->wrong = "a key that this aisbx does not know";
	if (r->wrong || r->failed)
		return;
	if (!ret->name)
		r->wrong = "name";
	else if (!ret->os != !ret->machine || (ret->system && !ret->os))
		r->wrong = "os";
	else if (!ret->recipe != !ret->lock || (ret->lock && strlen(ret->lock) != LOCK_LEN))
		r->wrong = "lock";
}

int template_label_read(const char *text, size_t len, struct template_label *ret, struct aisbx_error *e)
{
	struct reading r = { 0 };
	json_t *doc = NULL;

	if (len > TEMPLATE_LABEL_MAX)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EBADMSG,
				    "the label '%s' of the image has more than %u bytes", TEMPLATE_LABEL,
				    TEMPLATE_LABEL_MAX);
	if (oci_json(text, len, "the label '" TEMPLATE_LABEL "'", &doc, e) < 0)
		return e->code;
	read_all(&r, doc, ret);
	json_decref(doc);
	if (r.failed)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "read the label of a template");
	return r.wrong ? aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EBADMSG,
				      "the label '%s' of the image is not valid: %s", TEMPLATE_LABEL, r.wrong)
		       : 0;
}

int template_label_find(const char *config, struct template_label *ret, bool *ret_found,
			struct aisbx_error *e)
{
	json_t *doc = NULL;
	const json_t *label;
	int r = oci_json(config, strlen(config), "the config of the image", &doc, e);

	if (r < 0)
		return r;
	label = json_object_get(json_object_get(json_object_get(doc, "config"), "Labels"), TEMPLATE_LABEL);
	*ret_found = label != NULL;
	if (label && !json_is_string(label))
		r = aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EBADMSG,
				 "the label '%s' of the image is not a text", TEMPLATE_LABEL);
	else if (label)
		r = template_label_read(json_string_value(label), json_string_length(label), ret, e);
	json_decref(doc);
	return r;
}

static void put(json_t *doc, const char *key, const char *text)
{
	if (text)
		json_object_set_new(doc, key, json_string(text));
}

static void put_flag(json_t *doc, const char *key, bool is)
{
	if (is)
		json_object_set_new(doc, key, json_true());
}

char *template_label_write(const struct template_label *l)
{
	json_t *doc = json_object();
	char *text;

	json_object_set_new(doc, "version", json_integer(VERSION));
	put(doc, "name", l->name);
	put(doc, "os", l->os);
	put(doc, "machine", l->machine);
	put_flag(doc, "system", l->system);
	put(doc, "profile", l->profile);
	if (l->net.n)
		json_object_set_new(doc, "net", value_list_json(&l->net));
	put_flag(doc, "no-caches", l->no_caches);
	put_flag(doc, "autosnap", l->autosnap);
	put(doc, "recipe", l->recipe);
	put(doc, "lock", l->lock);
	text = json_dumps(doc, JSON_COMPACT | JSON_SORT_KEYS);
	json_decref(doc);
	return text;
}
