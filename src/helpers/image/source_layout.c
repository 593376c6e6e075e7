/* SPDX-License-Identifier: Apache-2.0 */
/* An OCI layout, in a directory or in an archive: index.json, oci-layout, blobs/sha256/HEX. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "helpers/image/signature.h"
#include "helpers/image/source.h"
#include "helpers/image/take_layer.h"
#include "image/reference.h"

#define COSIGN_KIND "kind" /* an annotation: what an entry is, written by `cosign save` */

#define BLOB_NAME_CAP (13u + 64u + 1u)

static void blob_name(const char *digest, char ret[BLOB_NAME_CAP])
{
	memcpy(ret, "blobs/sha256/", 13);
	memcpy(ret + 13, digest_hex(digest), 65);
}

/* oci_load_fn over a source: read, and verified. */
static int load(void *ctx, const struct oci_descriptor *d, struct buf *ret, struct aisbx_error *e)
{
	struct source *s = ctx;
	char name[BLOB_NAME_CAP], found[DIGEST_CAP];
	int r;

	blob_name(d->digest, name);
	r = s->document(s, name, ret, e);
	if (r < 0)
		return r;
	digest_of(ret->data, ret->len, found);
	if (strcmp(found, d->digest) != 0 || ret->len != d->size)
		return aisbx_refuse(
			e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EBADMSG,
			"the blob %s has other content than its digest and size say (it is %s): the image "
			"is not taken",
			d->digest, found);
	return 0;
}

static bool is_extra(const struct oci_descriptor *d)
{
	const char *name = oci_annotation(d, OCI_REF_NAME);
	const char *kind = oci_annotation(d, COSIGN_KIND);
	size_t len = name ? strlen(name) : 0;

	return (len == 7 + 64 + 4 && !strncmp(name, "sha256-", 7) && strchr(name, '.') == name + 71) ||
	       (kind && !strncmp(kind, "dev.cosignproject.cosign/", 25) &&
		strncmp(kind + 25, "image", 5) != 0);
}

/* NAME as it stands, or the tag of it, or the whole reference that it means. */
static bool is_named(const struct oci_descriptor *d, const char *name)
{
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	const char *ref = oci_annotation(d, OCI_REF_NAME);
	const char *full = oci_annotation(d, CONTAINERD_REF_NAME);
	scoped(reference_finish) struct reference x = { 0 };
	scoped(drop_mem) char *whole = NULL;

	if ((ref && !strcmp(ref, name)) || (full && !strcmp(full, name)) || !strcmp(d->digest, name))
		return true;
	if (reference_parse(name, &x, &ignored) < 0)
		return false;
	whole = reference_full(&x);
	return whole && ((full && !strcmp(full, whole)) || (ref && !strcmp(ref, whole)));
}

static int refuse_many(const struct oci_index *x, const char *name, struct aisbx_error *e)
{
	scoped(buf_finish) struct buf there = { 0 };

	for (size_t i = 0; i < x->n && there.len < 250; i++) {
		const char *ref = oci_annotation(&x->items[i], OCI_REF_NAME);

		if (!is_extra(&x->items[i]))
			buf_addf(&there, "%s%.80s", there.len ? ", " : "",
				 ref && oci_is_plain(ref) ? ref : x->items[i].digest);
	}
	if (name)
		return aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_BOX, ENOENT,
				    "there is no image '%.100s' in it; there are: %s", name,
				    there.len ? buf_str(&there) : "none");
	return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EINVAL,
			    "there is not just one image in it; write :NAME after its path, one of: %s",
			    there.len ? buf_str(&there) : "none");
}

/* Entries that are the same image for different machines have one name, or none. */
static bool same_name(const struct oci_descriptor *a, const struct oci_descriptor *b)
{
	const char *x = oci_annotation(a, OCI_REF_NAME), *y = oci_annotation(b, OCI_REF_NAME);

	return x && y ? !strcmp(x, y) : !x && !y && a->platform.os && b->platform.os;
}

/* The entry that is asked for. Borrowed from X. */
static int choose(const struct oci_index *x, const struct fetch *f, const struct oci_descriptor **ret,
		  struct aisbx_error *e)
{
	scoped(drop_mem) struct oci_descriptor *these = calloc(x->n + 1, sizeof(*these));
	struct oci_index some = { these, 0 };
	const struct oci_descriptor *best;
	int r;

	if (!these)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "read an image");
	for (size_t i = 0; i < x->n; i++) /* borrowed by THESE */
		if (f->name ? is_named(&x->items[i], f->name) : !is_extra(&x->items[i]))
			these[some.n++] = x->items[i];
	for (size_t i = 1; i < some.n; i++)
		if (!same_name(&these[0], &these[i]))
			return refuse_many(x, f->name, e);
	if (!some.n)
		return refuse_many(x, f->name, e);
	best = &these[0];
	r = some.n > 1 ? oci_index_choose(&some, f->platform, &best, e) : 0;
	for (size_t i = 0; r == 0 && i < x->n; i++)
		if (!strcmp(x->items[i].digest, best->digest)) {
			*ret = &x->items[i];
			break;
		}
	return r;
}

/* The signature of DIGEST that stands beside it in the same index. */
static int check_signature(struct source *s, const struct oci_index *x, const struct fetch *f,
			   const char *digest, struct aisbx_error *e)
{
	struct signature_want want = { .keys = f->keys, .digest = digest };
	char tag[SIGNATURE_TAG_CAP];
	int r = signature_missing(digest, e);

	signature_tag(digest, tag);
	for (size_t i = 0; i < x->n; i++) {
		scoped(buf_finish) struct buf text = { 0 };
		const char *ref = oci_annotation(&x->items[i], OCI_REF_NAME);
		const char *kind = oci_annotation(&x->items[i], COSIGN_KIND);

		if ((!ref || strcmp(ref, tag) != 0) &&
		    (!kind || strcmp(kind, "dev.cosignproject.cosign/sigs") != 0))
			continue;
		*e = (struct aisbx_error)AISBX_ERROR_INIT;
		r = load(s, &x->items[i], &text, e);
		if (r == 0)
			r = signature_check_manifest(buf_str(&text), text.len, load, s, &want, e);
		if (r == 0)
			return 0;
	}
	return r;
}

/* Of the manifest itself, or of the index that led to it: who signs that means all that it names. */
static int check_signatures(struct source *s, const struct oci_index *x, const struct fetch *f,
			    const struct oci_descriptor *entry, const struct oci_descriptor *manifest,
			    struct aisbx_error *e)
{
	struct aisbx_error first = AISBX_ERROR_INIT;
	int r;

	if (!signature_wanted(f->keys))
		return 0;
	r = check_signature(s, x, f, manifest->digest, e);
	if (r < 0 && strcmp(entry->digest, manifest->digest) != 0) {
		first = *e;
		r = check_signature(s, x, f, entry->digest, e);
		if (r < 0)
			*e = first;
	}
	if (r == 0)
		*e = (struct aisbx_error)AISBX_ERROR_INIT;
	return r;
}

struct wanted_blobs {
	struct blobs *blobs; /* borrowed */
	struct strlist names;
	const struct oci_descriptor **of; /* owned; what they point to is borrowed: the one for each name */
};

static void wanted_finish(struct wanted_blobs *w)
{
	strlist_finish(&w->names);
	free(w->of);
}

static void want(struct wanted_blobs *w, const struct oci_descriptor *d)
{
	char name[BLOB_NAME_CAP];

	blob_name(d->digest, name);
	if (strlist_has(&w->names, name) || blobs_is_good(w->blobs, d->digest, d->size))
		return;
	w->of[w->names.n] = d;
	strlist_add(&w->names, name);
}

static int take(void *ctx, size_t index, struct stream *from, struct aisbx_error *e)
{
	struct wanted_blobs *w = ctx;

	return take_blob(w->blobs, from, w->of[index]->digest, w->of[index]->size, e);
}

/* Config and layers; the manifest comes last, so that where it is all is. */
static int copy_image(struct source *s, const struct fetch *f, const struct buf *text, const char *media_type,
		      char ret_manifest[DIGEST_CAP], struct aisbx_error *e)
{
	scoped(oci_manifest_finish) struct oci_manifest m = { 0 };
	scoped(wanted_finish) struct wanted_blobs w = { .blobs = f->blobs };
	int r = oci_manifest_read(text->data, text->len, media_type, &m, e);

	if (r < 0)
		return r;
	if (f->blobs->max_bytes && m.size > f->blobs->max_bytes)
		return aisbx_refuse(e, AISBX_KIND_LIMIT, AISBX_AREA_BOX, EFBIG,
				    "the image has %llu bytes; %llu are allowed", (unsigned long long)m.size,
				    (unsigned long long)f->blobs->max_bytes);
	w.of = calloc(m.n_layers + 1, sizeof(*w.of));
	if (!w.of)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "read an image");
	want(&w, &m.config);
	for (size_t i = 0; i < m.n_layers; i++)
		want(&w, &m.layers[i]);
	if (w.names.failed)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "read an image");
	r = w.names.n ? s->each(s, &w.names, take, &w, e) : 0;
	return r < 0 ? r : blobs_add(f->blobs, text->data, text->len, ret_manifest, e);
}

static int check_version(struct source *s, struct aisbx_error *e)
{
	scoped(buf_finish) struct buf text = { 0 };
	json_t *document = NULL;
	const char *version;
	int r = s->document(s, "oci-layout", &text, e);

	if (r == 0)
		r = oci_json(buf_str(&text), text.len, "a file oci-layout", &document, e);
	if (r < 0)
		return r == -ENOENT ? aisbx_hint(e, "is this an OCI layout?") : r;
	version = json_string_value(json_object_get(document, "imageLayoutVersion"));
	if (!version || strncmp(version, "1.", 2) != 0)
		r = aisbx_refuse(e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_BOX, EOPNOTSUPP,
				 "the layout has the version '%.40s'; aisbx knows 1.0.0",
				 version ? version : "");
	json_decref(document);
	return r;
}

static int fetch_layout(struct source *s, const struct fetch *f, char ret_manifest[DIGEST_CAP],
			struct aisbx_error *e)
{
	scoped(buf_finish) struct buf index_text = { 0 };
	scoped(buf_finish) struct buf text = { 0 };
	scoped(oci_index_finish) struct oci_index x = { 0 };
	scoped(oci_descriptor_finish) struct oci_descriptor manifest = { 0 };
	const struct oci_descriptor *entry = NULL;
	int r = check_version(s, e);

	if (r == 0)
		r = s->document(s, "index.json", &index_text, e);
	if (r == 0)
		r = oci_index_read(buf_str(&index_text), index_text.len, NULL, &x, e);
	if (r == 0)
		r = choose(&x, f, &entry, e);
	if (r == 0)
		r = oci_resolve(entry, f->platform, load, s, &manifest, &text, e);
	if (r == 0)
		r = check_signatures(s, &x, f, entry, &manifest, e);
	return r == 0 ? copy_image(s, f, &text, manifest.media_type, ret_manifest, e) : r;
}

int source_layout(const struct fetch *f, char ret_manifest[DIGEST_CAP], struct aisbx_error *e)
{
	scoped(source_close) struct source *s = NULL;
	int r = source_open_dir(f->path, &s, e);

	return r == 0 ? fetch_layout(s, f, ret_manifest, e) : r;
}

int source_oci_archive(const struct fetch *f, char ret_manifest[DIGEST_CAP], struct aisbx_error *e)
{
	scoped(source_close) struct source *s = NULL;
	int r = source_open_archive(f->path, &s, e);

	return r == 0 ? fetch_layout(s, f, ret_manifest, e) : r;
}
