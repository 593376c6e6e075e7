/* SPDX-License-Identifier: Apache-2.0 */
/* What all documents of images have in common: JSON within bounds, media types and descriptors. */
#include "image/oci.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "image/oci_inside.h"
#include "image/wire.h"

enum oci_kind oci_kind_of(const char *media_type)
{
	static const struct {
		const char *media_type;
		enum oci_kind kind;
	} known[] = {
		{ OCI_INDEX, OCI_KIND_INDEX },
		{ DOCKER_INDEX, OCI_KIND_INDEX },
		{ OCI_MANIFEST, OCI_KIND_MANIFEST },
		{ DOCKER_MANIFEST, OCI_KIND_MANIFEST },
		{ OCI_CONFIG, OCI_KIND_CONFIG },
		{ DOCKER_CONFIG, OCI_KIND_CONFIG },
		{ OCI_LAYER, OCI_KIND_LAYER },
		{ OCI_LAYER_GZIP, OCI_KIND_LAYER_GZIP },
		{ OCI_LAYER_ZSTD, OCI_KIND_LAYER_ZSTD },
		{ DOCKER_LAYER, OCI_KIND_LAYER },
		{ DOCKER_LAYER_GZIP, OCI_KIND_LAYER_GZIP },
		{ DOCKER_LAYER_ZSTD, OCI_KIND_LAYER_ZSTD },
	};

	for (size_t i = 0; media_type && i < sizeof(known) / sizeof(*known); i++)
		if (!strcmp(known[i].media_type, media_type))
			return known[i].kind;
	return OCI_KIND_OTHER;
}

int oci_refuse(struct aisbx_error *e, const char *what, const char *why)
{
	return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EBADMSG, "the image has %s that %s", what,
			    why);
}

int oci_no_memory(struct aisbx_error *e)
{
	return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "read an image");
}

/* Levels of lists and objects, before the reader goes down into them. */
static bool is_flat(const char *text, size_t len)
{
	bool quoted = false;
	size_t depth = 0;

	for (size_t i = 0; i < len && depth <= OCI_MAX_DEPTH; i++) {
		if (quoted) {
			quoted = text[i] != '"';
			i += text[i] == '\\';
		} else if (text[i] == '"') {
			quoted = true;
		} else if (text[i] == '{' || text[i] == '[') {
			depth++;
		} else if ((text[i] == '}' || text[i] == ']') && depth) {
			depth--;
		}
	}
	return depth <= OCI_MAX_DEPTH;
}

int oci_json(const char *text, size_t len, const char *what, json_t **ret, struct aisbx_error *e)
{
	json_error_t where;
	json_t *it;

	if (len > IMAGE_MAX_JSON)
		return oci_refuse(e, what, "is larger than 4 MiB");
	if (!is_flat(text, len))
		return oci_refuse(e, what, "is nested too deeply");
	it = json_loadb(text, len, JSON_REJECT_DUPLICATES, &where);
	if (!json_is_object(it)) {
		int r = oci_refuse(e, what, it ? "is no JSON object" : "is not valid JSON");

		json_decref(it);
		return r;
	}
	*ret = it;
	return 0;
}

/* Control characters in what is printed and passed on are nobody's wish. */
bool oci_is_plain(const char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < 0x20 || *text == 0x7f)
			return false;
	return true;
}

int oci_text(const json_t *object, const char *key, const char *what, char **ret, struct aisbx_error *e)
{
	json_t *it = json_object_get(object, key);

	if (!it || json_is_null(it))
		return 0;
	if (!json_is_string(it) || json_string_length(it) > OCI_MAX_TEXT ||
	    !oci_is_plain(json_string_value(it)))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EBADMSG,
				    "the image has %s whose '%s' is no plain text", what, key);
	*ret = strdup(json_string_value(it));
	return *ret ? 0 : oci_no_memory(e);
}

static int read_platform(const json_t *value, struct oci_platform *ret, struct aisbx_error *e)
{
	static const char what[] = "a platform";
	int r;

	if (!value || json_is_null(value))
		return 0;
	if (!json_is_object(value))
		return oci_refuse(e, what, "is no object");
	r = oci_text(value, "os", what, &ret->os, e);
	if (r == 0)
		r = oci_text(value, "architecture", what, &ret->architecture, e);
	if (r == 0)
		r = oci_text(value, "variant", what, &ret->variant, e);
	return r;
}

void oci_descriptor_finish(struct oci_descriptor *d)
{
	free(d->media_type);
	oci_platform_finish(&d->platform);
	json_decref(d->annotations);
	*d = (struct oci_descriptor){ 0 };
}

static int copy_text(const char *text, char **ret)
{
	*ret = text ? strdup(text) : NULL;
	return text && !*ret ? -ENOMEM : 0;
}

int oci_descriptor_copy(const struct oci_descriptor *d, struct oci_descriptor *ret)
{
	struct oci_descriptor copy = { .size = d->size, .annotations = json_incref(d->annotations) };

	memcpy(copy.digest, d->digest, sizeof(copy.digest));
	if (copy_text(d->media_type, &copy.media_type) < 0 ||
	    copy_text(d->platform.os, &copy.platform.os) < 0 ||
	    copy_text(d->platform.architecture, &copy.platform.architecture) < 0 ||
	    copy_text(d->platform.variant, &copy.platform.variant) < 0) {
		oci_descriptor_finish(&copy);
		return -ENOMEM;
	}
	*ret = copy;
	return 0;
}

static bool are_texts(const json_t *object)
{
	const char *key;
	json_t *it;

	json_object_foreach((json_t *)object, key, it) if (!json_is_string(it)) return false;
	return json_is_object(object) && json_object_size(object) <= OCI_MAX_STRINGS;
}

static int read_fields(const json_t *value, const char *what, struct oci_descriptor *ret,
		       struct aisbx_error *e)
{
	const json_t *size = json_object_get(value, "size");
	const json_t *annotations = json_object_get(value, "annotations");
	const char *digest = json_string_value(json_object_get(value, "digest"));
	int r;

	if (!json_is_object(value))
		return oci_refuse(e, what, "is no object");
	if (!digest_is_sha256(digest))
		return oci_refuse(e, what, "has no valid sha256 digest");
	if (!json_is_integer(size) || json_integer_value(size) < 0)
		return oci_refuse(e, what, "has no valid size");
	if (annotations && !json_is_null(annotations) && !are_texts(annotations))
		return oci_refuse(e, what, "has annotations that are no texts");
	memcpy(ret->digest, digest, DIGEST_CAP);
	ret->size = (uint64_t)json_integer_value(size);
	if (json_is_object(annotations))
		ret->annotations = json_incref((json_t *)annotations);
	r = oci_text(value, "mediaType", what, &ret->media_type, e);
	if (r == 0)
		r = read_platform(json_object_get(value, "platform"), &ret->platform, e);
	if (r == 0 && !ret->media_type)
		r = (ret->media_type = strdup("")) ? 0 : oci_no_memory(e);
	return r;
}

int oci_descriptor_read(const json_t *value, const char *what, struct oci_descriptor *ret,
			struct aisbx_error *e)
{
	struct oci_descriptor d = { 0 };
	int r = read_fields(value, what, &d, e);

	if (r < 0) {
		oci_descriptor_finish(&d);
		return r;
	}
	*ret = d;
	return 0;
}

const char *oci_annotation(const struct oci_descriptor *d, const char *name)
{
	return json_string_value(json_object_get(d->annotations, name));
}
