/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A pseudo-image, as a directory or as an archive. One that was made of a pseudo-image has its documents in
 * its labels and becomes the same again, to the byte; of any other its documents are made.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "base/value.h"
#include "helpers/image/out_file.h"
#include "helpers/image/pseudo_doc.h"
#include "helpers/image/write.h"
#include "image/oci.h"
#include "image/reference.h"

struct texts {
	struct buf image, policy; /* policy: empty if there is none */
	struct pseudo doc;
	size_t below; /* layers of the image that belong to its base */
};

static void texts_finish(struct texts *t)
{
	buf_finish(&t->image);
	buf_finish(&t->policy);
	pseudo_finish(&t->doc);
}

static int no_memory(struct aisbx_error *e)
{
	return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "write a pseudo-image");
}

/* The layers of DOC are the last ones of the image. */
static bool agrees(const struct pseudo *doc, const struct fetched *image)
{
	size_t below = image->n_layers - doc->n_layers;

	if (doc->n_layers > image->n_layers || (!doc->base_digest && below))
		return false;
	for (size_t i = 0; i < doc->n_layers; i++)
		if (strcmp(doc->layers[i].digest, image->layers[below + i].digest) != 0)
			return false;
	return true;
}

/* Whether the documents in the labels are those of this image; then they are taken. */
static bool take_labels(const struct write_order *o, const struct oci_config *c, struct texts *t)
{
	const json_t *image = json_object_get(c->labels, PSEUDO_LABEL_IMAGE);
	const json_t *policy = json_object_get(c->labels, PSEUDO_LABEL_POLICY);
	struct aisbx_error ignored = AISBX_ERROR_INIT;

	if (!json_is_string(image) ||
	    pseudo_parse(json_string_value(image), json_string_length(image), &t->doc, &ignored) < 0)
		return false;
	if (!agrees(&t->doc, o->image)) {
		pseudo_finish(&t->doc);
		return false;
	}
	t->below = o->image->n_layers - t->doc.n_layers;
	buf_add(&t->image, json_string_value(image), json_string_length(image));
	if (json_is_string(policy) &&
	    pseudo_policy_check(json_string_value(policy), json_string_length(policy), &ignored) == 0)
		buf_add(&t->policy, json_string_value(policy), json_string_length(policy));
	return true;
}

static int set(json_t *settings, const char *key, json_t *value, bool wanted)
{
	if (wanted)
		return json_object_set_new(settings, key, value);
	json_decref(value);
	return 0;
}

static int make_settings(const struct oci_config *c, struct pseudo *p, struct aisbx_error *e)
{
	const struct oci_platform *at = &c->platform;
	json_t *s = p->settings = json_object();
	char platform[256];

	snprintf(platform, sizeof(platform), "%s/%s%s%s", at->os ? at->os : "linux",
		 at->architecture ? at->architecture : "", at->variant ? "/" : "",
		 at->variant ? at->variant : "");
	if (!s || set(s, "platform", json_string(platform), at->architecture) < 0 ||
	    set(s, "entrypoint", value_list_json(&c->entrypoint), c->entrypoint.n) < 0 ||
	    set(s, "cmd", value_list_json(&c->cmd), c->cmd.n) < 0 ||
	    set(s, "env", value_list_json(&c->env), c->env.n) < 0 ||
	    set(s, "user", json_string(c->user), c->user && *c->user) < 0 ||
	    set(s, "workdir", json_string(c->working_dir), c->working_dir && *c->working_dir) < 0)
		return no_memory(e);
	return 0;
}

static int make_names(const struct write_order *o, struct pseudo *p, struct aisbx_error *e)
{
	struct reference ref = { 0 };
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	bool good = o->name && reference_parse(o->name, &ref, &ignored) == 0;
	char tag[REFERENCE_MAX + 1];

	write_tag(o->name, tag, sizeof(tag));
	p->name = strdup(good ? ref.repository : "image");
	p->version = strdup(tag[0] == '_' ? tag + 1 : tag); /* the only first letter that no version has */
	p->base = strdup("none");
	if (good)
		reference_finish(&ref);
	return p->name && p->version && p->base ? 0 : no_memory(e);
}

static const char *ending_of(const char *media_type)
{
	enum oci_kind kind = oci_kind_of(media_type);

	return kind == OCI_KIND_LAYER_ZSTD ? ".tar.zst" : kind == OCI_KIND_LAYER_GZIP ? ".tar.gz" : ".tar";
}

static int make_layers(const struct fetched *image, struct pseudo *p, struct aisbx_error *e)
{
	p->layers = calloc(image->n_layers + 1, sizeof(*p->layers));
	if (!p->layers)
		return no_memory(e);
	for (size_t i = 0; i < image->n_layers; i++) {
		const struct fetched_layer *from = &image->layers[i];
		struct pseudo_layer *to = &p->layers[i];

		if (asprintf(&to->file, PSEUDO_LAYERS "%03zu-%.12s%s", i + 1, digest_hex(from->diff_id),
			     ending_of(from->media_type)) < 0) {
			to->file = NULL;
			return no_memory(e);
		}
		memcpy(to->digest, from->digest, DIGEST_CAP);
		memcpy(to->diff_id, from->diff_id, DIGEST_CAP);
		p->n_layers++;
	}
	return 0;
}

/* Written, and read again: what cannot be read is not written. */
static int make_texts(const struct write_order *o, const struct oci_config *c, struct texts *t,
		      struct aisbx_error *e)
{
	scoped(pseudo_finish) struct pseudo again = { 0 };
	int r = make_names(o, &t->doc, e);

	r = r < 0 ? r : make_settings(c, &t->doc, e);
	r = r < 0 ? r : make_layers(o->image, &t->doc, e);
	r = r < 0 ? r : pseudo_print(&t->doc, &t->image, e);
	return r < 0 ? r : pseudo_parse(t->image.data, t->image.len, &again, e);
}

static int read_texts(const struct write_order *o, struct texts *t, struct aisbx_error *e)
{
	scoped(oci_config_finish) struct oci_config c = { 0 };
	scoped(buf_finish) struct buf text = { 0 };
	int r = blobs_read(o->blobs, o->image->config, &text, e);

	r = r < 0 ? r : oci_config_read(text.data, text.len, &c, e);
	if (r == 0 && !take_labels(o, &c, t))
		r = make_texts(o, &c, t, e);
	return r == 0 && (t->image.failed || t->policy.failed) ? no_memory(e) : r;
}

static int put_text(int dir, const char *name, const struct buf *text, struct aisbx_error *e)
{
	scoped(out_file_finish) struct out_file f = OUT_FILE_INIT;
	int r = out_file_begin(dir, name, &f, e);

	r = r < 0 ? r : out_file_write(&f, text->data, text->len);
	return r < 0 ? r : out_file_end(&f);
}

static struct write_blob blob_of(const struct write_order *o, const struct texts *t, size_t i)
{
	const struct fetched_layer *l = &o->image->layers[t->below + i];
	struct write_blob blob = { .size = l->size };

	memcpy(blob.digest, l->digest, DIGEST_CAP);
	return blob;
}

int write_pseudo(const struct write_order *o, struct aisbx_error *e)
{
	scoped(texts_finish) struct texts t = { 0 };
	scoped(drop_fd) int layers =
		openat(o->dir, "layers", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int r = layers < 0 ? aisbx_fail(e, AISBX_AREA_BOX, errno, "write a pseudo-image")
			   : read_texts(o, &t, e);

	for (size_t i = 0; r == 0 && i < t.doc.n_layers; i++) {
		scoped(out_file_finish) struct out_file f = OUT_FILE_INIT;
		struct write_blob blob = blob_of(o, &t, i);

		r = out_file_begin(layers, t.doc.layers[i].file + strlen(PSEUDO_LAYERS), &f, e);
		r = r < 0 ? r : write_blob(o, &blob, out_file_write, &f, e);
		r = r < 0 ? r : out_file_end(&f);
	}
	if (r == 0 && t.policy.len)
		r = put_text(o->dir, PSEUDO_POLICY, &t.policy, e);
	return r < 0 ? r : put_text(o->dir, PSEUDO_IMAGE, &t.image, e);
}

static int tar_layer(const struct write_order *o, const struct texts *t, size_t i, struct out_file *f,
		     struct aisbx_error *e)
{
	struct write_blob blob = blob_of(o, t, i);
	int r = write_tar_file(t->doc.layers[i].file, blob.size, out_file_write, f, e);

	r = r < 0 ? r : write_blob(o, &blob, out_file_write, f, e);
	return r < 0 ? r : write_tar_result(tar_write_padding(blob.size, out_file_write, f), e);
}

int write_pseudo_archive(const struct write_order *o, struct aisbx_error *e)
{
	scoped(texts_finish) struct texts t = { 0 };
	scoped(out_file_finish) struct out_file f = OUT_FILE_INIT;
	int r = read_texts(o, &t, e);

	r = r < 0 ? r : out_file_begin(o->dir, o->file, &f, e);
	r = r < 0 ? r : write_tar_text(PSEUDO_IMAGE, t.image.data, t.image.len, out_file_write, &f, e);
	if (r == 0 && t.policy.len)
		r = write_tar_text(PSEUDO_POLICY, t.policy.data, t.policy.len, out_file_write, &f, e);
	r = r < 0 ? r : write_tar_dir("layers", out_file_write, &f, e);
	for (size_t i = 0; r == 0 && i < t.doc.n_layers; i++)
		r = tar_layer(o, &t, i, &f, e);
	r = r < 0 ? r : write_tar_result(tar_write_end(out_file_write, &f), e);
	return r < 0 ? r : out_file_end(&f);
}
