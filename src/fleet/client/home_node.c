/* SPDX-License-Identifier: Apache-2.0 */
/* Reads names of boxes in arguments, and boxes in results. */
#include "fleet/client/home_node.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"

/* Arguments that name a box; those of fork are the same but for FROM, which elsewhere is something else. */
#define BOXES "box|target|other|boxes"

struct finding {
	struct homes *homes; /* borrowed, as all here */
	const char *tenant;
	bool fixed; /* the class names a node */
	char node[FLEET_NAME];
};

static bool names_boxes(const char *operation, const char *argument)
{
	return str_is_one_of(argument, BOXES) || (!strcmp(operation, "fork") && !strcmp(argument, "from"));
}

bool home_matters(const char *operation, const json_t *arguments)
{
	const char *name;
	const json_t *value;

	json_object_foreach((json_t *)arguments, name, value)
	{
		if (names_boxes(operation, name))
			return true;
	}
	return false;
}

static int take_node(struct finding *f, const char *node, const char *box, struct aisbx_error *e)
{
	if (f->node[0] && strcmp(f->node, node) != 0)
		return aisbx_refuse(
			e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EXDEV,
			"box '%.80s' is on node %s, and this is for node %s; one operation is for boxes of "
			"one node",
			box, node, f->node);
	snprintf(f->node, sizeof(f->node), "%s", node);
	return 0;
}

/* "node=NAME/BOX". */
static int take_said(struct finding *f, const char *text, const char **ret_box, struct aisbx_error *e)
{
	const char *name = text + strlen(HOME_PREFIX), *slash = strchr(name, '/');
	const size_t len = slash ? (size_t)(slash - name) : 0;
	char node[FLEET_NAME];

	snprintf(node, sizeof(node), "%.*s", (int)(len < sizeof(node) ? len : 0), name);
	if (!slash || !slash[1] || !fleet_is_name(node))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "'%.100s' must be node=NAME/BOX, or a box without its node", text);
	*ret_box = slash + 1;
	return take_node(f, node, slash + 1, e);
}

/* BOX may be "BOX@SNAPSHOT". */
static int take_known(struct finding *f, const char *box, struct aisbx_error *e)
{
	struct home found[2];
	char name[HOME_BOX];
	int n;

	if (!f->homes || f->fixed || strcspn(box, "@") >= sizeof(name))
		return 0;
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(box, "@"), box);
	n = homes_find(f->homes, f->tenant, name, found, 2, e);
	if (n <= 0)
		return n;
	if (n == 2 && strcmp(found[0].node, found[1].node) != 0)
		return aisbx_refuse(
			e, AISBX_KIND_USAGE, AISBX_AREA_BOX, ENOTUNIQ,
			"there is a box '%s' on node %s and one on node %s; write node=%s/%s for the first",
			name, found[0].node, found[1].node, found[0].node, name);
	return take_node(f, found[0].node, name, e);
}

/* A new reference: TEXT without its node. NULL: failed. */
static json_t *take_box(struct finding *f, const json_t *value, struct aisbx_error *e)
{
	const char *text = json_string_value(value), *box = text;
	int r = 0;

	if (!text)
		return json_incref((json_t *)value);
	if (!strncmp(text, HOME_PREFIX, strlen(HOME_PREFIX)))
		r = take_said(f, text, &box, e);
	else
		r = take_known(f, text, e);
	return r < 0 ? NULL : json_string(box);
}

static json_t *take_value(struct finding *f, const json_t *value, struct aisbx_error *e)
{
	json_t *list, *item, *plain;
	size_t i;

	if (!json_is_array(value))
		return take_box(f, value, e);
	list = json_array();
	json_array_foreach((json_t *)value, i, item)
	{
		plain = take_box(f, item, e);
		if (!plain) {
			json_decref(list);
			return NULL;
		}
		json_array_append_new(list, plain);
	}
	return list;
}

int home_find(struct homes *homes, const char *tenant, const char *operation, json_t *arguments,
	      char class[FLEET_NAME], struct aisbx_error *e)
{
	struct finding f = { .homes = homes, .tenant = tenant };
	const char *name;
	json_t *value;
	void *next;

	if (!strncmp(class, HOME_PREFIX, strlen(HOME_PREFIX)) && !strchr(class, ',')) {
		f.fixed = true;
		snprintf(f.node, sizeof(f.node), "%s", class + strlen(HOME_PREFIX));
	}
	json_object_foreach_safe(arguments, next, name, value)
	{
		json_t *plain;

		if (!names_boxes(operation, name))
			continue;
		plain = take_value(&f, value, e);
		if (!plain)
			return e->code;
		json_object_set_new(arguments, name, plain);
	}
	if (!f.node[0] || f.fixed)
		return 0;
	if (snprintf(class, FLEET_NAME, HOME_PREFIX "%s", f.node) >= FLEET_NAME)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, ENAMETOOLONG,
				    "the name of the node '%s' is too long for a label", f.node);
	return 0;
}

static int put(struct homes *homes, const char *tenant, const char *node, const json_t *box,
	       struct aisbx_error *e)
{
	const char *id = json_string_value(json_object_get(box, "id")),
		   *name = json_string_value(json_object_get(box, "name"));
	struct home home;

	if (!id || !name || strlen(id) >= sizeof(home.id) || strlen(name) >= sizeof(home.name))
		return 0;
	snprintf(home.id, sizeof(home.id), "%s", id);
	snprintf(home.name, sizeof(home.name), "%s", name);
	snprintf(home.node, sizeof(home.node), "%s", node);
	return homes_put(homes, tenant, &home, e);
}

/* What stays of an experiment is told by its name alone. */
static int put_named(struct homes *homes, const char *tenant, const char *node, const json_t *name,
		     struct aisbx_error *e)
{
	json_t *box = json_is_string(name) ? json_pack("{s:O, s:O}", "id", name, "name", name) : NULL;
	int r = box ? put(homes, tenant, node, box, e) : 0;

	json_decref(box);
	return r;
}

static int put_tried(struct homes *homes, const char *tenant, const char *node, const json_t *result,
		     struct aisbx_error *e)
{
	size_t i;
	const json_t *branch;
	int r = put_named(homes, tenant, node, json_object_get(result, "box"), e);

	json_array_foreach(json_object_get(result, "branches"), i, branch)
	{
		if (r == 0)
			r = put_named(homes, tenant, node, json_object_get(branch, "box"), e);
	}
	return r;
}

static int forget(struct homes *homes, const char *tenant, const char *node, const json_t *value,
		  struct aisbx_error *e)
{
	const char *box = json_string_value(value);
	size_t i;
	const json_t *item;
	int r = 0;

	if (box)
		return homes_forget(homes, tenant, node, box, e);
	json_array_foreach(value, i, item)
	{
		if (r == 0 && json_is_string(item))
			r = homes_forget(homes, tenant, node, json_string_value(item), e);
	}
	return r;
}

int home_learn(struct homes *homes, const char *tenant, const char *node, const char *operation,
	       const json_t *arguments, const json_t *result, const char *kind, struct aisbx_error *e)
{
	const json_t *boxes = json_object_get(result, "boxes"), *box;
	const bool removes = !strcmp(operation, "rm"), shows = !strcmp(operation, "show");
	size_t i;
	int r = 0;

	if (!fleet_is_name(node))
		return 0;
	if (removes && (result || (kind && !strcmp(kind, "not_found"))))
		return forget(homes, tenant, node, json_object_get(arguments, "boxes"), e);
	if (shows && kind && !strcmp(kind, "not_found"))
		return forget(homes, tenant, node, json_object_get(arguments, "box"), e);
	if (shows || !strcmp(operation, "create") || !strcmp(operation, "renew"))
		return put(homes, tenant, node, result, e);
	if (!strcmp(operation, "try"))
		return put_tried(homes, tenant, node, result, e);
	if (str_is_one_of(operation, "fork|ls"))
		json_array_foreach(boxes, i, box)
		{
			if (r == 0)
				r = put(homes, tenant, node, box, e);
		}
	return r;
}

void home_name(json_t *result, const char *node)
{
	size_t i;
	json_t *box;

	if (!json_is_object(result) || !node[0])
		return;
	json_object_set_new(result, "node", json_string(node));
	json_array_foreach(json_object_get(result, "boxes"), i, box)
	{
		if (json_is_object(box))
			json_object_set_new(box, "node", json_string(node));
	}
}
