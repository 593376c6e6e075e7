/* SPDX-License-Identifier: Apache-2.0 */
/* image.yaml, read as hostile and written in one form; policy.json, only checked. */
#include "helpers/image/pseudo_doc.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "base/str.h"
#include "helpers/image/yaml_json.h"
#include "image/oci.h"
#include "image/reference.h"
#include "image/wire.h"

#define NAME_MAX_LEN 128u

void pseudo_finish(struct pseudo *p)
{
	for (size_t i = 0; i < p->n_layers; i++)
		free(p->layers[i].file);
	free(p->layers);
	free(p->name);
	free(p->version);
	free(p->base);
	json_decref(p->settings);
	*p = (struct pseudo){ 0 };
}

static int refuse(struct aisbx_error *e, const char *what)
{
	return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EBADMSG, "%s: %s", PSEUDO_IMAGE, what);
}

static int no_memory(struct aisbx_error *e)
{
	return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "read %s", PSEUDO_IMAGE);
}

/* Letters, digits and what stands between them. */
static bool is_word(const char *text, const char *between)
{
	size_t n = strlen(text);

	if (!n || n > NAME_MAX_LEN)
		return false;
	for (const char *c = text; *c; c++)
		if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') ||
		      (c > text && strchr(between, *c))))
			return false;
	return true;
}

static int take_word(const json_t *doc, const char *key, const char *between, char **ret,
		     struct aisbx_error *e)
{
	const char *text = json_string_value(json_object_get(doc, key));

	if (!text || !is_word(text, between))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EBADMSG,
				    "%s: '%s' must be letters, digits and '%s', at most %u", PSEUDO_IMAGE,
				    key, between, NAME_MAX_LEN);
	*ret = strdup(text);
	return *ret ? 0 : no_memory(e);
}

static int take_base(const json_t *doc, struct pseudo *p, struct aisbx_error *e)
{
	const char *text = json_string_value(json_object_get(doc, "base"));
	struct reference ref = { 0 };
	bool good;

	if (!text || strlen(text) > REFERENCE_MAX)
		return refuse(e, "'base' must be none, host or REFERENCE@DIGEST");
	p->base = strdup(text);
	if (!p->base)
		return no_memory(e);
	if (!strcmp(text, "none") || !strcmp(text, "host"))
		return 0;
	if (reference_parse(text, &ref, e) < 0)
		return aisbx_context(e, "%s: base", PSEUDO_IMAGE);
	good = ref.digest && digest_is_sha256(ref.digest);
	reference_finish(&ref);
	if (!good)
		return refuse(e, "'base' must name its image with its digest: REFERENCE@sha256:...");
	p->base_digest = strrchr(p->base, '@') + 1;
	return 0;
}

/* A name in layers/, and nothing that leads out of it. */
static bool is_file(const char *text)
{
	static const char *const ends[] = { ".tar.zst", ".tar.gz", ".tar" };
	const char *name = text + strlen(PSEUDO_LAYERS);
	size_t n = strlen(text);

	if (n > PSEUDO_FILE_MAX || strncmp(text, PSEUDO_LAYERS, strlen(PSEUDO_LAYERS)) != 0 ||
	    !is_word(name, "._+-"))
		return false;
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		if (n > strlen(ends[i]) && !strcmp(text + n - strlen(ends[i]), ends[i]))
			return true;
	return false;
}

static int take_digest(const json_t *item, const char *key, bool needed, char ret[DIGEST_CAP],
		       struct aisbx_error *e)
{
	const char *text = json_string_value(json_object_get(item, key));

	ret[0] = '\0';
	if (!text && !needed && !json_object_get(item, key))
		return 0;
	if (!text || !digest_is_sha256(text))
		return refuse(e, "each layer needs a 'file' and its 'digest', sha256:..., and may have a "
				 "'diff_id' like that");
	memcpy(ret, text, DIGEST_CAP);
	return 0;
}

static int take_layer(const json_t *item, struct pseudo *p, struct aisbx_error *e)
{
	const char *file = json_string_value(json_object_get(item, "file"));
	struct pseudo_layer *l = &p->layers[p->n_layers];
	int r;

	if (!file || !is_file(file))
		return refuse(e, "the 'file' of a layer must be layers/NAME, and end with .tar, .tar.gz or "
				 ".tar.zst");
	for (size_t i = 0; i < p->n_layers; i++)
		if (!strcmp(p->layers[i].file, file))
			return refuse(e, "a layer is there twice");
	r = take_digest(item, "digest", true, l->digest, e);
	r = r < 0 ? r : take_digest(item, "diff_id", false, l->diff_id, e);
	if (r < 0)
		return r;
	if (json_object_size(item) != 2u + (l->diff_id[0] != '\0'))
		return refuse(e, "a layer has 'file', 'digest' and 'diff_id', and nothing else");
	l->file = strdup(file);
	p->n_layers += l->file != NULL;
	return l->file ? 0 : no_memory(e);
}

static int take_layers(const json_t *doc, struct pseudo *p, struct aisbx_error *e)
{
	const json_t *list = json_object_get(doc, "layers");
	int r = 0;

	if (!json_is_array(list) || json_array_size(list) > IMAGE_MAX_LAYERS)
		return refuse(e, "'layers' must be a list of at most 400");
	p->layers = calloc(json_array_size(list) + 1, sizeof(*p->layers));
	if (!p->layers)
		return no_memory(e);
	for (size_t i = 0; r == 0 && i < json_array_size(list); i++)
		r = take_layer(json_array_get(list, i), p, e);
	return r;
}

static int check_list(const json_t *list, const char *key, struct aisbx_error *e)
{
	bool good = json_is_array(list) && json_array_size(list) <= OCI_MAX_STRINGS;

	for (size_t i = 0; good && i < json_array_size(list); i++) {
		const char *text = json_string_value(json_array_get(list, i));

		good = text && (strcmp(key, "env") != 0 || (*text != '=' && strchr(text, '=')));
	}
	return good ? 0
		    : aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EBADMSG,
				   "%s: '%s' must be a list of texts%s", PSEUDO_IMAGE, key,
				   strcmp(key, "env") ? "" : ", NAME=VALUE each");
}

static int check_platform(const char *text, struct aisbx_error *e)
{
	struct oci_platform ignored = { 0 };

	if (oci_platform_parse(text, &ignored, e) < 0)
		return aisbx_context(e, "%s", PSEUDO_IMAGE);
	oci_platform_finish(&ignored);
	return 0;
}

static int take_settings(const json_t *doc, struct pseudo *p, struct aisbx_error *e)
{
	static const char known[] = "name|version|base|layers|entrypoint|cmd|env|user|workdir|platform";
	static const char lists[] = "entrypoint|cmd|env", texts[] = "user|workdir|platform";
	const char *key;
	json_t *value;
	int r = 0;

	p->settings = json_object();
	if (!p->settings)
		return no_memory(e);
	json_object_foreach((json_t *)doc, key, value)
	{
		if (!str_is_one_of(key, known))
			return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EBADMSG,
					    "%s: there is no '%.60s' in it", PSEUDO_IMAGE, key);
		if (str_is_one_of(key, lists))
			r = check_list(value, key, e);
		else if (!str_is_one_of(key, texts))
			continue;
		else if (!json_is_string(value))
			r = refuse(e, "'user', 'workdir' and 'platform' must be texts");
		else if (!strcmp(key, "platform"))
			r = check_platform(json_string_value(value), e);
		if (r < 0)
			return r;
		if (json_object_set(p->settings, key, value) < 0)
			return no_memory(e);
	}
	return 0;
}

int pseudo_parse(const char *text, size_t len, struct pseudo *ret, struct aisbx_error *e)
{
	scoped(pseudo_finish) struct pseudo p = { 0 };
	json_t *doc = NULL;
	int r = yaml_json_read(text, len, PSEUDO_IMAGE, &doc, e);

	if (r == 0 && !json_is_object(doc))
		r = refuse(e, "it must be a mapping");
	r = r < 0 ? r : take_word(doc, "name", "._/-", &p.name, e);
	r = r < 0 ? r : take_word(doc, "version", "._+-", &p.version, e);
	r = r < 0 ? r : take_base(doc, &p, e);
	r = r < 0 ? r : take_layers(doc, &p, e);
	r = r < 0 ? r : take_settings(doc, &p, e);
	json_decref(doc);
	if (r == 0) {
		*ret = p;
		p = (struct pseudo){ 0 };
	}
	return r;
}

int pseudo_policy_check(const char *text, size_t len, struct aisbx_error *e)
{
	scoped(pseudo_policy_finish) struct pseudo_policy p = { 0 };

	return pseudo_policy_read(text, len, &p, e);
}

/*
 * The character at AT if YAML cannot have it as it is: more control characters than in JSON, more ends of
 * lines, marks of the order of bytes. 0: it can. RET_LEN: its bytes.
 */
static unsigned int must_escape(const char *at, size_t *ret_len)
{
	const uint8_t *c = (const uint8_t *)at;
	unsigned int code = 0;

	*ret_len = 1;
	if (c[0] == 0x7f)
		return c[0];
	if (c[0] == 0xc2 && c[1] < 0xa0) {
		*ret_len = 2;
		return c[1];
	}
	if ((c[0] & 0xf0) == 0xe0) {
		*ret_len = 3;
		code = (c[0] & 0x0fu) << 12 | (c[1] & 0x3fu) << 6 | (c[2] & 0x3fu);
	}
	return code == 0x2028 || code == 0x2029 || code >= 0xfffe || code == 0xfeff ? code : 0;
}

/* As a text between quotes: what JSON writes is YAML as well, but for some characters. */
static void print_text(struct buf *b, const json_t *value)
{
	scoped(drop_mem) char *text = json_dumps(value, JSON_ENCODE_ANY);

	for (const char *at = text; at && *at;) {
		size_t n;
		unsigned int code = must_escape(at, &n);

		if (code)
			buf_addf(b, "\\u%04x", code);
		else
			buf_add(b, at, n);
		at += n;
	}
	b->failed = b->failed || !text;
}

static void print_word(struct buf *b, const char *key, const char *value)
{
	json_t *text = json_string(value);

	buf_addf(b, "%s: ", key);
	print_text(b, text);
	buf_add(b, "\n", 1);
	b->failed = b->failed || !text;
	json_decref(text);
}

static void print_setting(struct buf *b, const json_t *settings, const char *key)
{
	const json_t *value = json_object_get(settings, key);

	if (!value)
		return;
	if (json_is_string(value)) {
		print_word(b, key, json_string_value(value));
		return;
	}
	buf_addf(b, "%s:%s\n", key, json_array_size(value) ? "" : " []");
	for (size_t i = 0; i < json_array_size(value); i++) {
		buf_addf(b, "  - ");
		print_text(b, json_array_get(value, i));
		buf_add(b, "\n", 1);
	}
}

int pseudo_print(const struct pseudo *p, struct buf *ret, struct aisbx_error *e)
{
	static const char *const keys[] = { "platform", "entrypoint", "cmd", "env", "user", "workdir" };

	print_word(ret, "name", p->name);
	print_word(ret, "version", p->version);
	print_word(ret, "base", p->base);
	buf_addf(ret, "layers:%s\n", p->n_layers ? "" : " []");
	for (size_t i = 0; i < p->n_layers; i++) {
		buf_addf(ret, "  - file: %s\n    digest: %s\n", p->layers[i].file, p->layers[i].digest);
		if (p->layers[i].diff_id[0])
			buf_addf(ret, "    diff_id: %s\n", p->layers[i].diff_id);
	}
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		print_setting(ret, p->settings, keys[i]);
	return buf_str(ret) ? 0 : aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "write %s", PSEUDO_IMAGE);
}
