/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bringing an image: aisbx-image fetches and verifies its blobs, layers that are not here are unpacked, and
 * one transaction makes all of it known. Until then nothing is used by anybody.
 */
#include "box/image_import.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "box/image.h"
#include "box/image_chunks.h"
#include "box/image_layers.h"
#include "box/image_settings.h"
#include "box/room.h"
#include "image/helper.h"
#include "image/oci.h"
#include "image/reference.h"
#include "image/wire.h"

#define NAME_MAX_BYTES 255u
#define TRIES          3 /* somebody may remove a layer of it at the same time */

void image_imported_finish(struct image_imported *i)
{
	store_image_finish(&i->image);
	free(i->name);
	*i = (struct image_imported){ 0 };
}

int image_check_name(const char *name, struct aisbx_error *e)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/:@-";
	static const char *const taken[] = { "host", "image:", "template:", "box:" };
	size_t n = strlen(name);
	bool ok = n && n <= NAME_MAX_BYTES && strspn(name, letters) == n && !strchr("._/:@-", name[0]);

	for (size_t i = 0; ok && i < sizeof(taken) / sizeof(*taken); i++)
		ok = i ? strncmp(name, taken[i], strlen(taken[i])) != 0 : strcmp(name, taken[i]) != 0;
	if (ok)
		return 0;
	return aisbx_refuse(
		e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
		"'%.64s' is not a valid name of an image: use letters, digits and '._/:-', such as "
		"'debian:12'",
		name);
}

static bool has(const char *dir, const char *name)
{
	scoped(drop_mem) char *path = path_join(dir, name);

	return path && access(path, F_OK) == 0;
}

/* Directories tell by their files; the helper looks into archives. */
int image_kind(const char *path, const char **ret, struct aisbx_error *e)
{
	static const char *const kinds[] = { "oci-archive", "docker-archive", "rootfs", "pseudo" };
	json_auto_t *request = NULL;
	json_auto_t *ok = NULL;
	const char *kind;
	struct stat st;
	int r;

	if (stat(path, &st) < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, errno, "open '%s'", path);
	if (S_ISDIR(st.st_mode)) {
		*ret = has(path, "oci-layout") ? "layout" : has(path, "image.yaml") ? "pseudo" : NULL;
		return *ret ? 0
			    : aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EINVAL,
					   "'%s' is not an image: it has neither an 'oci-layout' nor an "
					   "'image.yaml'; for a root file system, give a tar archive of it",
					   path);
	}
	if (!S_ISREG(st.st_mode))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EINVAL, "'%s' is not a regular file",
				    path);
	request = json_pack("{s:s, s:s}", "do", "kind", "path", path);
	r = request ? image_ask(request, NULL, NULL, &ok, e)
		    : aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EINVAL,
				   "the name of the file must be UTF-8");
	kind = json_string_value(json_object_get(ok, "kind"));
	for (size_t i = 0; r == 0 && kind && i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strcmp(kind, kinds[i])) {
			*ret = kinds[i];
			return 0;
		}
	return r < 0 ? r
		     : aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_BOX, EPROTO,
				    "%s gave an invalid answer", IMAGE_HELPER);
}

/* A name by the file: "debian-12" for "/srv/debian-12.tar.gz". Heap, or NULL. */
static char *name_of_file(const char *path)
{
	static const char *const ends[] = {
		".gz", ".xz", ".zst", ".bz2", ".tgz", ".txz", ".tar", ".oci", NULL
	};
	const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	char *name = strdup(base);

	for (int i = 0; name && ends[i]; i++) {
		size_t n = strlen(name), len = strlen(ends[i]);

		if (n > len && !strcmp(name + n - len, ends[i]))
			name[n - len] = '\0';
	}
	return name;
}

/* What was meant by a text that is no reference. */
static int hint_reference(const char *text, struct aisbx_error *e)
{
	const char *behind = strstr(text, "://");

	if (behind && behind[3])
		return aisbx_hint(e, "write it without '%.*s': 'aisbx image pull %.100s'",
				  (int)(behind + 3 - text), text, behind + 3);
	if (strchr("./~", text[0]))
		return aisbx_hint(e, "a file: 'aisbx image import FILE'");
	return aisbx_hint(e, "write [REGISTRY/]REPOSITORY[:TAG][@DIGEST], such as debian:12");
}

static int choose_name(const struct image_import *how, char **ret, struct aisbx_error *e)
{
	scoped(reference_finish) struct reference ref = { 0 };
	bool remote = !strcmp(how->from, "registry");
	int r = remote ? reference_parse(how->source, &ref, e) : 0;

	if (r < 0)
		return e->code == -EINVAL ? hint_reference(how->source, e) : r;
	*ret = how->name ? strdup(how->name) : remote ? reference_full(&ref) : name_of_file(how->source);
	if (!*ret)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "name an image");
	r = image_check_name(*ret, e);
	return r < 0 && !how->name ? aisbx_hint(e, "--name gives it another one") : r;
}

/* Blobs of its layers that no other image needs go; not while somebody else brings an image, who may need
 * one. */
static void drop_blobs(struct images *i, const struct image_layers *l, const char *id)
{
	scoped(strlist_finish) struct strlist others = { 0 };
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	struct store_image *list = NULL;
	size_t n = 0;
	int r = flock(i->lock, LOCK_EX | LOCK_NB) < 0 ? -errno
						      : store_image_list(i->state.store, &list, &n, &ignored);

	for (size_t k = 0; r == 0 && k < n; k++) {
		scoped(store_image_finish) struct store_image one = { 0 };

		if (!strcmp(list[k].id, id))
			continue;
		r = store_image_find(i->state.store, list[k].id, &one, &ignored);
		if (r == 0)
			r = images_blobs_of(&one, &others, &ignored);
	}
	store_image_list_finish(list, n);
	for (size_t k = 0; r == 0 && !others.failed && k < l->n; k++) {
		scoped(drop_mem) char *path = images_blob_path(i, l->items[k].digest, &ignored);

		if (!path || strlist_has(&others, l->items[k].digest))
			continue;
		unlink(path);
		image_chunks_forget(i->lock, digest_hex(l->items[k].digest));
	}
}

/* What an image is made of, read and checked. */
struct parts {
	struct buf manifest, config;
	struct image_layers layers;
	struct box_state *state; /* borrowed */
};

static void parts_finish(struct parts *p)
{
	image_layers_finish(p->state, &p->layers);
	buf_finish(&p->manifest);
	buf_finish(&p->config);
}

static int read_parts(struct images *i, const char *digest, struct parts *p, struct aisbx_error *e)
{
	scoped(oci_manifest_finish) struct oci_manifest m = { 0 };
	int r = images_read_blob(i, digest, &p->manifest, e);

	if (r == 0)
		r = oci_manifest_read(p->manifest.data, p->manifest.len, NULL, &m, e);
	if (r == 0)
		r = images_read_blob(i, m.config.digest, &p->config, e);
	return r == 0 ? image_layers_read(p->manifest.data, p->config.data, &p->layers, e) : r;
}

static int add(struct box_state *s, const struct parts *p, const char *digest, const char *name,
	       const char *source, struct store_image *ret, struct aisbx_error *e)
{
	struct box_image_layer *layers = calloc(p->layers.n + 1, sizeof(*layers));
	struct box_image_new new = { .digest = digest,
				     .config = p->config.data,
				     .manifest = p->manifest.data,
				     .source = source,
				     .name = name,
				     .size = (int64_t)(p->manifest.len + p->config.len),
				     .layers = layers,
				     .n_layers = p->layers.n };
	int r;

	for (size_t k = 0; layers && k < p->layers.n; k++) {
		const struct image_layer *l = &p->layers.items[k];

		layers[k] = (struct box_image_layer){ .chain = l->chain,
						      .layer = l->id,
						      .known = !l->made[0],
						      .files = l->files,
						      .bytes = l->bytes };
		new.size += l->size;
	}
	r = layers ? box_image_add(s, &new, ret, e) : aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "add an image");
	free(layers);
	return r;
}

int image_adopt(struct images *i, const char *manifest, const char *name, const char *source,
		const struct image_import *how, struct image_imported *ret, struct aisbx_error *e)
{
	scoped(parts_finish) struct parts p = { .state = &i->state };
	struct image_imported got = { 0 };
	int r = read_parts(i, manifest, &p, e);

	if (r == 0 && how->check)
		r = how->check(how->check_ctx, p.config.data, e);
	if (r == 0)
		r = image_layers_find(&i->state, &p.layers, e);
	if (r == 0)
		r = image_layers_unpack(i, &p.layers, how->progress, how->progress_ctx, &got.unpacked, e);
	if (r == 0)
		r = add(&i->state, &p, manifest, name, source, &got.image, e);
	if (r == 0 && how->no_blobs)
		drop_blobs(i, &p.layers, got.image.id);
	else if (r == 0)
		image_chunks_make(i, &p.layers, how->progress, how->progress_ctx);
	if (r == 0 && !(got.name = strdup(name)))
		r = aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "name an image");
	got.layers = p.layers.n;
	for (size_t k = 0; k < p.layers.n; k++) {
		got.left_out.devices += p.layers.items[k].left_out.devices;
		got.left_out.xattrs += p.layers.items[k].left_out.xattrs;
		got.left_out.owners += p.layers.items[k].left_out.owners;
	}
	if (r < 0)
		image_imported_finish(&got);
	else
		*ret = got;
	return r;
}

static int fetch(struct images *i, const struct image_import *how, char ret_manifest[STORE_DIGEST_MAX],
		 struct aisbx_error *e)
{
	json_auto_t *request = json_pack("{s:s, s:s, s:s, s:s, s:s, s:I}", "do", "fetch", "from", how->from,
					 "source", how->source, "blobs", i->blobs, "platform",
					 how->platform ? how->platform : oci_platform_here(), "max_bytes",
					 (json_int_t)IMAGE_MAX_BYTES);
	json_auto_t *ok = NULL;
	const char *manifest;
	int r;

	if (!request)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EINVAL,
				    "the source of an image must be UTF-8");
	r = image_settings_add(how->by, how->from, request, e);
	if (r == 0)
		r = image_ask(request, how->progress, how->progress_ctx, &ok, e);
	if (r < 0)
		return r;
	manifest = json_string_value(json_object_get(ok, "manifest"));
	if (!digest_is_sha256(manifest))
		return aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_BOX, EPROTO,
				    "%s gave an invalid answer", IMAGE_HELPER);
	snprintf(ret_manifest, STORE_DIGEST_MAX, "%s", manifest);
	return 0;
}

static int try_import(const struct image_import *how, const char *name, struct image_imported *ret,
		      struct aisbx_error *e)
{
	scoped(images_close) struct images i = IMAGES_INIT;
	char manifest[STORE_DIGEST_MAX];
	int r = images_open(&i, e);

	if (r == 0)
		r = store_try_write(i.state.store, e); /* before much is fetched */
	if (r == 0)
		r = fetch(&i, how, manifest, e);
	if (r == 0)
		r = image_adopt(&i, manifest, name, how->source, how, ret, e);
	return box_hint_room(i.state.dir, r, e);
}

static int check_platform(const char *text, struct aisbx_error *e)
{
	struct oci_platform p = { 0 };
	int r = oci_platform_parse(text, &p, e);

	oci_platform_finish(&p);
	return r;
}

static int file_kind(const char *path, const char **ret, struct aisbx_error *e)
{
	const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	int r = image_kind(path, ret, e);

	if (r == -ENOENT)
		return aisbx_hint(e, "an image of a registry: 'aisbx image pull %.100s'", name);
	return r == -EINVAL ? aisbx_hint(e, "'aisbx image import --help' says what is an image") : r;
}

int image_import(const struct image_import *how, struct image_imported *ret, struct aisbx_error *e)
{
	struct image_import known = *how;
	scoped(drop_mem) char *name = NULL;
	int r = how->platform ? check_platform(how->platform, e) : 0;

	if (r == 0 && !how->from)
		r = file_kind(how->source, &known.from, e);
	if (r == 0)
		r = choose_name(&known, &name, e);
	if (r < 0)
		return r;
	for (int i = 0; i < TRIES; i++) {
		*e = (struct aisbx_error)AISBX_ERROR_INIT;
		r = try_import(&known, name, ret, e);
		if (r != -EAGAIN)
			break;
	}
	return r;
}
