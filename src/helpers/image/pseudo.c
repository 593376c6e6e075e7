/* SPDX-License-Identifier: Apache-2.0 */
/* From a pseudo-image, a directory or an archive, to an image among the blobs. */
#include "helpers/image/pseudo.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/scope.h"
#include "base/str.h"
#include "helpers/image/compose.h"
#include "helpers/image/pseudo_doc.h"
#include "helpers/image/source.h"
#include "helpers/image/take_layer.h"

struct taking {
	const struct pseudo *doc;
	struct blobs *blobs;
	struct fetched_layer *layers; /* owned; digest "": not there yet */
};

static void taking_finish(struct taking *t)
{
	free(t->layers);
}

static int take(void *ctx, size_t index, struct stream *from, struct aisbx_error *e)
{
	struct taking *t = ctx;
	const struct pseudo_layer *want = &t->doc->layers[index];
	struct fetched_layer *l = &t->layers[index];
	struct taken_layer got = { 0 };
	int r = take_layer(t->blobs, from, want->file, true, &got, e);

	if (r < 0)
		return aisbx_context(e, "%s", want->file);
	if (strcmp(got.digest, want->digest) != 0 ||
	    (want->diff_id[0] && strcmp(got.diff_id, want->diff_id) != 0))
		return aisbx_refuse(e, AISBX_KIND_CONFLICT, AISBX_AREA_BOX, EBADMSG,
				    "%s has the digest %s, not the one that %s says", want->file, got.digest,
				    PSEUDO_IMAGE);
	memcpy(l->digest, got.digest, DIGEST_CAP);
	memcpy(l->diff_id, got.diff_id, DIGEST_CAP);
	l->media_type = got.media_type;
	l->size = got.size;
	return 0;
}

static int take_layers(struct source *s, struct taking *t, struct aisbx_error *e)
{
	scoped(strlist_finish) struct strlist files = { 0 };
	int r = 0;

	t->layers = calloc(t->doc->n_layers + 1, sizeof(*t->layers));
	for (size_t i = 0; i < t->doc->n_layers; i++)
		strlist_add(&files, t->doc->layers[i].file);
	if (!t->layers || files.failed)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "read the layers");
	if (files.n)
		r = s->each(s, &files, take, t, e);
	for (size_t i = 0; r == 0 && i < t->doc->n_layers; i++)
		if (!t->layers[i].digest[0])
			r = aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_BOX, ENOENT, "%s is missing",
					 t->doc->layers[i].file);
	return r;
}

static int check_base(const struct pseudo *p, const struct blobs *b, struct aisbx_error *e)
{
	if (p->base_digest && !blobs_has(b, p->base_digest, NULL))
		return aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_BOX, ENOENT,
				    "it stands on an image that is not here; 'aisbx image pull %s' brings it",
				    p->base);
	return 0;
}

static int add_labels(struct pseudo *p, const struct buf *image, const struct buf *policy, bool has_policy,
		      struct aisbx_error *e)
{
	json_t *labels = json_pack("{s:s%}", PSEUDO_LABEL_IMAGE, image->data, image->len);
	bool good = labels != NULL;

	if (has_policy)
		good = good && json_object_set_new(labels, PSEUDO_LABEL_POLICY,
						   json_stringn(policy->data, policy->len)) == 0;
	if (!strcmp(p->base, "host"))
		good = good && json_object_set_new(labels, PSEUDO_LABEL_BASE, json_string("host")) == 0;
	good = good && json_object_set(p->settings, "labels", labels) == 0;
	json_decref(labels);
	return good ? 0
		    : aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EBADMSG, "%s or %s is no UTF-8",
				   PSEUDO_IMAGE, PSEUDO_POLICY);
}

/* Both documents, checked; the policy may be missing. */
static int read_documents(struct source *s, struct pseudo *ret, struct aisbx_error *e)
{
	scoped(buf_finish) struct buf image = { 0 };
	scoped(buf_finish) struct buf policy = { 0 };
	bool has_policy;
	int r = s->document(s, PSEUDO_IMAGE, &image, e);

	r = r < 0 ? r : pseudo_parse(image.data ? image.data : "", image.len, ret, e);
	if (r < 0)
		return r;
	r = s->document(s, PSEUDO_POLICY, &policy, e);
	has_policy = r == 0;
	if (r == -ENOENT) {
		*e = (struct aisbx_error)AISBX_ERROR_INIT;
		r = 0;
	}
	if (has_policy)
		r = pseudo_policy_check(policy.data ? policy.data : "", policy.len, e);
	return r < 0 ? r : add_labels(ret, &image, &policy, has_policy, e);
}

static int open_source(const char *path, struct source **ret, struct aisbx_error *e)
{
	struct stat st;

	if (!path || stat(path, &st) < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, path ? errno : EINVAL, "read '%s'", path ? path : "");
	return S_ISDIR(st.st_mode) ? source_open_dir(path, ret, e) : source_open_archive(path, ret, e);
}

int pseudo_fetch(const json_t *request, struct blobs *b, struct fetched *ret, struct aisbx_error *e)
{
	const char *path = json_string_value(json_object_get(request, "source"));
	scoped(source_close) struct source *s = NULL;
	scoped(pseudo_finish) struct pseudo p = { 0 };
	scoped(taking_finish) struct taking t = { .doc = &p, .blobs = b };
	char manifest[DIGEST_CAP];
	int r = open_source(path, &s, e);

	r = r < 0 ? r : read_documents(s, &p, e);
	r = r < 0 ? r : check_base(&p, b, e);
	r = r < 0 ? r : take_layers(s, &t, e);
	r = r < 0 ? r : compose_image(b, p.base_digest, t.layers, p.n_layers, p.settings, manifest, e);
	r = r < 0 ? r
		  : fetched_from_blobs(b, manifest, json_string_value(json_object_get(request, "platform")),
				       ret, e);
	return r < 0 ? aisbx_context(e, "the pseudo-image '%s'", path ? path : "") : 0;
}
