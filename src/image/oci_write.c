/* SPDX-License-Identifier: Apache-2.0 */
/* Documents of images as text: the same one for the same image, to the byte. */
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "image/oci.h"

/* An object that takes nothing that is not there. */
static void put(json_t *object, const char *key, json_t *value)
{
	if (value)
		json_object_set_new(object, key, value);
}

static json_t *text_or_null(const char *text)
{
	return text && *text ? json_string(text) : NULL;
}

/* JSON_SORT_KEYS would also sort ours; only those of strangers need it. */
static json_t *sorted(const json_t *object)
{
	scoped(drop_mem) char *text = json_object_size(object) ? json_dumps(object, JSON_SORT_KEYS) : NULL;

	return text ? json_loads(text, 0, NULL) : NULL;
}

static json_t *platform_json(const struct oci_platform *p)
{
	json_t *it;

	if (!p->os && !p->architecture)
		return NULL;
	it = json_object();
	put(it, "architecture", text_or_null(p->architecture));
	put(it, "os", text_or_null(p->os));
	put(it, "variant", text_or_null(p->variant));
	return it;
}

static json_t *descriptor_json(const struct oci_descriptor *d)
{
	json_t *it = json_object();

	put(it, "mediaType", text_or_null(d->media_type));
	put(it, "digest", json_string(d->digest));
	put(it, "size", json_integer((json_int_t)d->size));
	put(it, "platform", platform_json(&d->platform));
	put(it, "annotations", sorted(d->annotations));
	return it;
}

static json_t *descriptors_json(const struct oci_descriptor *items, size_t n)
{
	json_t *list = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(list, descriptor_json(&items[i]));
	return list;
}

static char *text_of(json_t *document)
{
	char *text = document ? json_dumps(document, JSON_COMPACT) : NULL;

	json_decref(document);
	return text;
}

char *oci_index_write(const struct oci_index *x)
{
	json_t *it = json_object();

	put(it, "schemaVersion", json_integer(2));
	put(it, "mediaType", json_string(OCI_INDEX));
	put(it, "manifests", descriptors_json(x->items, x->n));
	return text_of(it);
}

char *oci_manifest_write(const struct oci_manifest *m)
{
	json_t *it = json_object();

	put(it, "schemaVersion", json_integer(2));
	put(it, "mediaType", json_string(m->media_type ? m->media_type : OCI_MANIFEST));
	put(it, "config", descriptor_json(&m->config));
	put(it, "layers", descriptors_json(m->layers, m->n_layers));
	return text_of(it);
}

static json_t *list_json(const struct strlist *l)
{
	json_t *list = l->n ? json_array() : NULL;

	for (size_t i = 0; i < l->n; i++)
		json_array_append_new(list, json_string(l->items[i]));
	return list;
}

static json_t *keys_json(const struct strlist *l)
{
	json_t *set = l->n ? json_object() : NULL, *in_order;

	for (size_t i = 0; i < l->n; i++)
		json_object_set_new(set, l->items[i], json_object());
	in_order = sorted(set);
	json_decref(set);
	return in_order;
}

static json_t *run_json(const struct oci_config *c)
{
	json_t *it = json_object();

	put(it, "User", text_or_null(c->user));
	put(it, "ExposedPorts", keys_json(&c->ports));
	put(it, "Env", list_json(&c->env));
	put(it, "Entrypoint", list_json(&c->entrypoint));
	put(it, "Cmd", list_json(&c->cmd));
	put(it, "Volumes", keys_json(&c->volumes));
	put(it, "WorkingDir", text_or_null(c->working_dir));
	put(it, "Labels", sorted(c->labels));
	put(it, "StopSignal", text_or_null(c->stop_signal));
	return it;
}

char *oci_config_write(const struct oci_config *c)
{
	json_t *it = json_object(), *rootfs = json_object(), *ids = list_json(&c->diff_ids);

	put(it, "created", text_or_null(c->created));
	put(it, "architecture", text_or_null(c->platform.architecture));
	put(it, "os", text_or_null(c->platform.os));
	put(it, "variant", text_or_null(c->platform.variant));
	put(it, "config", run_json(c));
	put(rootfs, "type", json_string("layers"));
	put(rootfs, "diff_ids", ids ? ids : json_array());
	put(it, "rootfs", rootfs);
	return text_of(it);
}
