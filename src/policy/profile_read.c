/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads one profile file into settings, by the table of keys. Problems are reported with their place and what
 * is allowed.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/scope.h"
#include "policy/yaml_doc.h"
#include "policy/profile.h"
#include "policy/profile_foreign.h"
#include "policy/profile_secret.h"

#define MAX_SETTINGS 1024u

bool profile_is_name(const char *name)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";

	return *name && strlen(name) <= PROFILE_MAX_NAME && strspn(name, letters) == strlen(name) &&
	       !strchr("-_.", *name);
}

void profile_layer_finish(struct profile_layer *l)
{
	free((void *)l->settings);
	service_specs_finish(&l->services);
	strlist_finish(&l->notes);
	strlist_finish(&l->kept);
	*l = (struct profile_layer){ 0 };
}

/* A copy that lives as long as the layer; NULL when memory ran out. */
static const char *keep(struct profile_reader *r, const char *text)
{
	strlist_add(&r->layer->kept, text);
	return r->layer->kept.failed ? NULL : r->layer->kept.items[r->layer->kept.n - 1];
}

int profile_reader_add(struct profile_reader *r, const struct profile_key *k, const yaml_node_t *at,
		       const char *name, const char *value)
{
	struct profile_setting s = { .key = k,
				     .lang = r->lang,
				     .line = (unsigned int)at->start_mark.line + 1,
				     .column = (unsigned int)at->start_mark.column + 1 };
	struct profile_setting *grown;

	if (r->layer->n_settings == MAX_SETTINGS)
		return doc_complain(&r->doc, at, "more than %u values", MAX_SETTINGS);
	grown = realloc(r->settings, (r->layer->n_settings + 1) * sizeof(*grown));
	if (!grown)
		return doc_no_memory(&r->doc);
	r->layer->settings = r->settings = grown;
	s.name = name ? keep(r, name) : NULL;
	s.value = value ? keep(r, value) : NULL;
	if (r->layer->kept.failed)
		return doc_no_memory(&r->doc);
	if (value && k->apply && k->apply(&s, &r->tried, r->doc.e) < 0)
		return doc_locate(&r->doc, &at->start_mark);
	grown[r->layer->n_settings++] = s;
	return 0;
}

static int read_value(struct profile_reader *r, const struct profile_key *k, const yaml_node_t *n)
{
	char what[32];
	const char *text;

	snprintf(what, sizeof(what), "'%s'", k->name);
	text = doc_text(&r->doc, n, what);
	return text ? profile_reader_add(r, k, n, NULL, text) : r->doc.e->code;
}

static int read_list(struct profile_reader *r, const struct profile_key *k, const yaml_node_t *n)
{
	int err = 0;

	if (n->type != YAML_SEQUENCE_NODE)
		return doc_complain(&r->doc, n, "'%s' must be a list: [%s, %s]", k->name,
				    profile_key_value(k), profile_key_value(k));
	if (n->data.sequence.items.start == n->data.sequence.items.top)
		return profile_reader_add(r, k, n, NULL, NULL);
	for (yaml_node_item_t *i = n->data.sequence.items.start; err == 0 && i < n->data.sequence.items.top;
	     i++)
		err = read_value(r, k, doc_node(&r->doc, *i));
	return err;
}

static int read_command(struct profile_reader *r, const struct profile_key *k, const yaml_node_t *n)
{
	scoped(strlist_finish) struct strlist words = { 0 };
	char what[32];
	int err;

	snprintf(what, sizeof(what), "'%s'", k->name);
	if (n->type == YAML_SEQUENCE_NODE && n->data.sequence.items.start == n->data.sequence.items.top)
		return profile_reader_add(r, k, n, NULL, NULL);
	err = doc_command(&r->doc, n, what, &words);
	for (size_t i = 0; err == 0 && i < words.n; i++)
		err = profile_reader_add(r, k, n, NULL, words.items[i]);
	return err;
}

/* AT: the key, NAME; N: its value. */
typedef int read_named_fn(struct profile_reader *r, const struct profile_key *k, const yaml_node_t *at,
			  const char *name, const yaml_node_t *n);

static int read_each(struct profile_reader *r, const struct profile_key *k, const yaml_node_t *n,
		     read_named_fn *read)
{
	int err = doc_need_mapping(&r->doc, n, k->name);

	if (err == 0 && n->data.mapping.pairs.start == n->data.mapping.pairs.top)
		return profile_reader_add(r, k, n, NULL, NULL);
	for (yaml_node_pair_t *p = n->data.mapping.pairs.start; err == 0 && p < n->data.mapping.pairs.top;
	     p++) {
		const char *name = doc_name(&r->doc, n, p);

		err = name ? read(r, k, doc_node(&r->doc, p->key), name, doc_node(&r->doc, p->value))
			   : r->doc.e->code;
	}
	return err;
}

static int read_named(struct profile_reader *r, const struct profile_key *k, const yaml_node_t *at,
		      const char *name, const yaml_node_t *n)
{
	const char *value = doc_text(&r->doc, n, name);

	return value ? profile_reader_add(r, k, at, name, value) : r->doc.e->code;
}

static int read_map(struct profile_reader *r, const struct profile_key *k, const yaml_node_t *n)
{
	return read_each(r, k, n, read_named);
}

/* A mapping becomes the text that means the same. */
static int read_secret(struct profile_reader *r, const struct profile_key *k, const yaml_node_t *at,
		       const char *name, const yaml_node_t *n)
{
	scoped(buf_finish) struct buf text = { 0 };
	int err;

	if (n->type != YAML_MAPPING_NODE)
		return read_named(r, k, at, name, n);
	err = profile_secret_text(&r->doc, n, &text);
	return err == 0 ? profile_reader_add(r, k, at, name, text.data) : err;
}

static int read_secrets(struct profile_reader *r, const struct profile_key *k, const yaml_node_t *n)
{
	return read_each(r, k, n, read_secret);
}

struct mount {
	const char *host, *guest, *mode; /* borrowed */
};

static int mount_host(struct doc *r, const yaml_node_t *n, void *into)
{
	struct mount *m = into;

	m->host = doc_text(r, n, "'host'");
	return m->host ? 0 : r->e->code;
}

static int mount_guest(struct doc *r, const yaml_node_t *n, void *into)
{
	struct mount *m = into;

	m->guest = doc_text(r, n, "'guest'");
	return m->guest ? 0 : r->e->code;
}

static int mount_mode(struct doc *r, const yaml_node_t *n, void *into)
{
	struct mount *m = into;

	m->mode = doc_text(r, n, "'mode'");
	return m->mode ? 0 : r->e->code;
}

static int read_mount(struct profile_reader *r, const struct profile_key *k, const yaml_node_t *n)
{
	static const struct doc_key keys[] = {
		{ "host", mount_host }, { "guest", mount_guest }, { "mode", mount_mode }, { NULL, NULL }
	};
	scoped(buf_finish) struct buf value = { 0 };
	struct mount m = { .host = "", .mode = "ro" };
	int err = doc_mapping(&r->doc, n, "a mount", keys, &m);

	if (err < 0)
		return err;
	for (const char *c = m.host; *c; c++) { /* as for --ro: a colon in a name is written as "\:" */
		if (*c == ':')
			buf_add(&value, "\\", 1);
		buf_add(&value, c, 1);
	}
	if (m.guest)
		buf_addf(&value, ":%s", m.guest);
	return buf_str(&value) ? profile_reader_add(r, k, n, m.mode, value.data) : doc_no_memory(&r->doc);
}

static int read_mounts(struct profile_reader *r, const struct profile_key *k, const yaml_node_t *n)
{
	int err = 0;

	if (n->type != YAML_SEQUENCE_NODE)
		return doc_complain(&r->doc, n,
				    "'mounts' must be a list of {host: PATH, guest: PATH, mode: ro}");
	for (yaml_node_item_t *i = n->data.sequence.items.start; err == 0 && i < n->data.sequence.items.top;
	     i++)
		err = read_mount(r, k, doc_node(&r->doc, *i));
	return err;
}

static int read_services(struct profile_reader *r, const struct profile_key *k, const yaml_node_t *n)
{
	int err = service_specs_read(&r->doc, n, &r->layer->services);

	if (err == 0 && !r->layer->services.n)
		return profile_reader_add(r, k, n, NULL, NULL);
	for (size_t i = 0; err == 0 && i < r->layer->services.n; i++)
		err = profile_reader_add(r, k, n, NULL, r->layer->services.items[i].name);
	return err;
}

static int read_key(struct profile_reader *r, const struct profile_key *k, const yaml_node_t *n)
{
	static int (*const readers[])(struct profile_reader * r, const struct profile_key *k,
				      const yaml_node_t *n) = {
		[SHAPE_VALUE] = read_value,     [SHAPE_LIST] = read_list,
		[SHAPE_COMMAND] = read_command, [SHAPE_MAP] = read_map,
		[SHAPE_MOUNTS] = read_mounts,   [SHAPE_SERVICES] = read_services,
		[SHAPE_SECRETS] = read_secrets,
	};

	return readers[k->shape](r, k, n);
}

/* What a file says of itself. */
static int read_name(struct profile_reader *r, const yaml_node_t *n, const char *text)
{
	if (!profile_is_name(text))
		return doc_complain(
			&r->doc, n,
			"'%.40s' is not a valid name of a profile: at most %u letters, digits, '-', '_', '.'",
			text, PROFILE_MAX_NAME);
	r->layer->name = keep(r, text);
	return 0;
}

static int read_about(struct profile_reader *r, const yaml_node_t *n, const char *text)
{
	(void)n;
	r->layer->about = keep(r, text);
	return 0;
}

static int read_extends(struct profile_reader *r, const yaml_node_t *n, const char *text)
{
	if (!strchr(text, '/') && !profile_is_name(text))
		return doc_complain(
			&r->doc, n,
			"'%.40s' is neither the name of a profile nor, with a '/', the path of a file", text);
	r->layer->extends = keep(r, text);
	r->layer->extends_line = (unsigned int)n->start_mark.line + 1;
	r->layer->extends_column = (unsigned int)n->start_mark.column + 1;
	return 0;
}

const struct profile_about profile_abouts[] = {
	{ "name", "name; must be the file name without '.yaml' if the profile is used by name" },
	{ "about", "description, in one line" },
	{ "extends", "profile to extend: a name, or with a '/' the path of a file; default: strict" },
	{ NULL, NULL },
};

static int (*const about_readers[])(struct profile_reader *r, const yaml_node_t *n,
				    const char *text) = { read_name, read_about, read_extends };

/* The keys below PREFIX ("" or "env."), each once: "env" stands for all of its own. */
static size_t names_below(const char *prefix, const char **ret, size_t cap, char (*mem)[16])
{
	size_t n = 0, n_mem = 0;

	for (const struct profile_about *a = profile_abouts; !*prefix && a->name && n < cap; a++)
		ret[n++] = a->name;
	for (const struct profile_key *k = profile_keys; k->name && n < cap; k++) {
		const char *dot = strchr(k->name, '.');

		if (strncmp(k->name, prefix, strlen(prefix)) != 0)
			continue;
		if (*prefix || !dot) {
			ret[n++] = k->name + strlen(prefix);
			continue;
		}
		snprintf(mem[n_mem], sizeof(*mem), "%.*s", (int)(dot - k->name), k->name);
		if (!n || strcmp(ret[n - 1], mem[n_mem]) != 0)
			ret[n++] = mem[n_mem++];
	}
	return n;
}

static int unknown(struct profile_reader *r, const yaml_node_t *at, const char *got, const char *prefix)
{
	const char *names[64];
	char mem[16][16];
	size_t n = names_below(prefix, names, 64, mem);

	aisbx_refuse(r->doc.e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, EINVAL,
		     "unknown key '%.40s'; allowed here:", got);
	doc_suggest(&r->doc, got, names, n);
	return doc_locate(&r->doc, &at->start_mark);
}

static int read_mapping(struct profile_reader *r, const yaml_node_t *map, const char *prefix);

static int read_pair(struct profile_reader *r, const yaml_node_t *at, const char *name,
		     const yaml_node_t *value, const char *prefix)
{
	char full[64];
	int err;

	for (size_t i = 0; !*prefix && i < sizeof(about_readers) / sizeof(*about_readers); i++)
		if (!strcmp(profile_abouts[i].name, name)) {
			const char *text = doc_text(&r->doc, value, name);

			err = text ? about_readers[i](r, value, text) : r->doc.e->code;
			return err == 0 && r->layer->kept.failed ? doc_no_memory(&r->doc) : err;
		}
	snprintf(full, sizeof(full), "%s%.40s", prefix, name);
	if (!*prefix && (err = profile_foreign(r, at, name, value)) <= 0)
		return err;
	for (const struct profile_key *k = profile_keys; k->name; k++) {
		size_t n = strlen(full);

		if (!strcmp(k->name, full) && !strchr(name, '.'))
			return read_key(r, k, value);
		if (!*prefix && !strncmp(k->name, full, n) && k->name[n] == '.') {
			strcat(full, ".");
			return read_mapping(r, value, full);
		}
	}
	return unknown(r, at, name, prefix);
}

static int read_mapping(struct profile_reader *r, const yaml_node_t *map, const char *prefix)
{
	int err = doc_need_mapping(&r->doc, map, *prefix ? "'env'" : "the file");

	for (yaml_node_pair_t *p = map->data.mapping.pairs.start; err == 0 && p < map->data.mapping.pairs.top;
	     p++) {
		const char *name = doc_name(&r->doc, map, p);

		err = name ? read_pair(r, doc_node(&r->doc, p->key), name, doc_node(&r->doc, p->value),
				       prefix)
			   : r->doc.e->code;
	}
	return err;
}

static int read_root(struct doc *doc, const yaml_node_t *root, void *into)
{
	(void)doc;
	return read_mapping(into, root, "");
}

int profile_parse(const char *text, size_t len, const char *file, struct profile_layer *ret_layer,
		  struct aisbx_error *e)
{
	scoped(profile_layer_finish) struct profile_layer layer = { 0 };
	struct profile_reader r = { .doc = { .file = file, .e = e }, .layer = &layer };
	int err;

	layer.file = keep(&r, file);
	if (!layer.file)
		return doc_no_memory(&r.doc);
	err = doc_read_root(&r.doc, text, len, read_root, &r);
	if (err < 0)
		return err;
	*ret_layer = layer;
	layer = (struct profile_layer){ 0 };
	return 0;
}
