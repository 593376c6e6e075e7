/* SPDX-License-Identifier: Apache-2.0 */
/* a.b and a[b]: members of a value, and the names by which the same member is reached. */
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "scan/javascript/javascript.h"

static bool is_function(const char *name)
{
	size_t n = strlen(name);

	return str_is_one_of(name, "String|Array|Number|Boolean|Object|RegExp|Function|Symbol|eval|require|"
				   "atob") ||
	       strstr(name, ".prototype.") || (n > 12 && !strcmp(name + n - 12, ".constructor"));
}

/* The ways by which something known is reached by another name. */
static const char *known_way(const char *on, const char *key, unsigned int *flags)
{
	if (!strcmp(key, "default") || (!strcmp(on, "fs") && !strcmp(key, "promises")))
		return on;
	if (str_is_one_of(on, "globalThis|global|window|self|top|parent|frames"))
		return strcmp(key, "?") != 0 ? key : NULL;
	if ((!strcmp(key, "require") &&
	     str_is_one_of(on, "module|process.mainModule|require.main|module.parent")) ||
	    (!strcmp(key, "_load") && (strstr(on, "odule") || !strncmp(on, "require", 7)))) {
		*flags |= JS_DEVIOUS;
		return "require";
	}
	if (!strcmp(key, "constructor") && is_function(on)) {
		*flags |= JS_DEVIOUS;
		return "Function";
	}
	return NULL;
}

static struct js_value *member_of_name(struct js_reader *r, const struct js_value *on,
				       const struct js_value *key)
{
	char word[JS_MAX_NAME + 2] = ".?";
	unsigned int flags = on->flags & (JS_LOCAL | JS_DEVIOUS);
	struct js_value *v;
	struct js_var *var;
	const char *way;

	if (key->type == JS_V_TEXT)
		snprintf(word, sizeof(word), ".%.*s", (int)(key->len < JS_MAX_NAME ? key->len : JS_MAX_NAME),
			 key->data);
	else if (key->type == JS_V_NUMBER)
		snprintf(word, sizeof(word), ".%.0f", key->number);
	if (js_flags(key))
		flags |= JS_DEVIOUS;
	way = on->flags & JS_LOCAL && strcmp(word, ".constructor") != 0
		      ? NULL
		      : known_way(on->data, word + 1, &flags);
	if (way == on->data)
		return js_copy(r, on);
	v = way ? js_name(r, way, flags & ~(unsigned int)JS_LOCAL) : js_namef(r, flags, on->data, word);
	var = v->type == JS_V_NAME && (!(flags & JS_LOCAL) || !strncmp(v->data, "this.", 5))
		      ? js_find(r, r->global, v->data, v->len)
		      : NULL;
	return js_with_from(r, var && var->value->type != JS_V_UNKNOWN ? var->value : v, on->from);
}

/* The item at INDEX of a list or text of N. */
static struct js_value *item_of_row(struct js_reader *r, const struct js_value *on, uint32_t n, double index)
{
	if (!(index >= 0 && index < n))
		return on->type == JS_V_LIST && on->list->has_more ? js_unknown(r, on->from)
								   : js_undefined(r);
	if (on->type == JS_V_LIST)
		return js_with_from(r, on->list->items[(uint32_t)index], on->from);
	return js_with_from(r, js_text(r, on->data + (uint32_t)index, 1, js_flags(on)), on->from);
}

static struct js_value *member_of_row(struct js_reader *r, const struct js_value *on,
				      const struct js_value *key)
{
	uint32_t n = on->type == JS_V_LIST ? on->list->n : on->len;
	char word[64] = "?";
	double index;

	if (js_is_text(key, "length"))
		return on->type == JS_V_LIST && on->list->has_more ? js_unknown(r, NULL) : js_number(r, n);
	if (js_is_text(key, "constructor"))
		return js_name(r, on->type == JS_V_LIST ? "Array" : "String", js_flags(key) ? JS_DEVIOUS : 0);
	if (js_to_number(key, &index) && (key->type != JS_V_TEXT || key->len))
		return item_of_row(r, on, n, index);
	if (key->type != JS_V_TEXT)
		return js_unknown(r, js_from_all(r, on));
	snprintf(word, sizeof(word), "%.*s", (int)(key->len < 60 ? key->len : 60), key->data);
	/* [][[]]: no such thing, as a text "undefined" */
	if (!key->len)
		return js_undefined(r);
	return js_with_from(r,
			    js_namef(r, 0, on->type == JS_V_LIST ? "Array.prototype." : "String.prototype.",
				     word),
			    on->from);
}

static struct js_value *member_of_object(struct js_reader *r, struct js_value *on, const struct js_value *key)
{
	struct js_value *v = key->type == JS_V_TEXT ? js_object_get(r, on, key->data, key->len) : NULL;

	if (!v && js_is_text(key, "constructor"))
		return js_name(r, "Object", 0);
	return v ? v : js_unknown(r, js_from_all(r, on));
}

static struct js_value *member_of_function(struct js_reader *r, struct js_value *on,
					   const struct js_value *key)
{
	struct js_value *self = on->function->self, *v = NULL;

	if (js_is_text(key, "constructor"))
		return js_name(r, "Function", JS_DEVIOUS);
	if (self && js_is_text(key, "prototype"))
		return self;
	if (self && key->type == JS_V_TEXT)
		v = js_object_get(r, self, key->data, key->len);
	return v ? v : js_unknown(r, on->from);
}

static struct js_value *member(struct js_reader *r, struct js_value *on, const struct js_value *key)
{
	switch (on->type) {
	case JS_V_NAME:
		return member_of_name(r, on, key);
	case JS_V_LIST:
	case JS_V_TEXT:
		return member_of_row(r, on, key);
	case JS_V_OBJECT:
		return member_of_object(r, on, key);
	case JS_V_FUNCTION:
		return member_of_function(r, on, key);
	case JS_V_NUMBER:
	case JS_V_BOOL:
	case JS_V_REGEX:
		if (js_is_text(key, "constructor"))
			return js_name(r, "Number", 0);
		break;
	case JS_V_UNDEFINED:
	case JS_V_UNKNOWN:
		break;
	}
	return member_of_name(r, js_with_from(r, js_name(r, "?", JS_LOCAL), on->from), key);
}

struct js_value *js_member(struct js_reader *r, struct js_value *on, const struct js_value *key)
{
	struct js_value *v = member(r, on, key);

	for (unsigned int n = 0; on->alt && n < JS_MAX_ALTS; n++) {
		on = on->alt;
		v = js_choice(r, v, member(r, on, key));
	}
	return v;
}
