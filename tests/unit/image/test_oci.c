/* SPDX-License-Identifier: Apache-2.0 */
/* The documents of images: what is read, what is refused and why, what is written. */
#include "support/test.h"

#include "image/oci.h"
#include "image/wire.h"

#define A "sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define B "sha256:bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
#define C "sha256:cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc"

#define CONFIG_DESC               "{\"mediaType\":\"" OCI_CONFIG "\",\"digest\":\"" A "\",\"size\":2}"
#define LAYER(type, digest, size) "{\"mediaType\":\"" type "\",\"digest\":\"" digest "\",\"size\":" size "}"
#define MANIFEST(layers)          "{\"schemaVersion\":2,\"config\":" CONFIG_DESC ",\"layers\":[" layers "]}"

static int read_manifest(const char *text, struct oci_manifest *m, struct aisbx_error *e)
{
	return oci_manifest_read(text, strlen(text), NULL, m, e);
}

static void test_manifest(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct oci_manifest m = { 0 };
	static const char docker[] = "{\"schemaVersion\":2,\"mediaType\":\"" DOCKER_MANIFEST
				     "\",\"config\":{\"mediaType\":\"" DOCKER_CONFIG "\",\"digest\":\"" A
				     "\",\"size\":2},\"layers\":[" LAYER(DOCKER_LAYER_GZIP, B, "7") "]}";

	(void)state;
	assert_int_equal(read_manifest(MANIFEST(LAYER(OCI_LAYER_GZIP, B, "5") "," LAYER(OCI_LAYER_ZSTD, C,
											"6")),
				       &m, &e),
			 0);
	assert_int_equal(m.n_layers, 2);
	assert_int_equal(m.size, 13);
	assert_string_equal(m.media_type, OCI_MANIFEST);
	assert_string_equal(m.layers[1].digest, C);
	assert_int_equal(oci_kind_of(m.layers[1].media_type), OCI_KIND_LAYER_ZSTD);
	oci_manifest_finish(&m);
	assert_int_equal(read_manifest(docker, &m, &e), 0);
	assert_string_equal(m.media_type, DOCKER_MANIFEST);
	oci_manifest_finish(&m);
	assert_failed(oci_manifest_read(docker, strlen(docker), OCI_MANIFEST, &m, &e), EBADMSG, e,
		      "something else");
	/* Repeated: builders do that with empty layers. */
	assert_int_equal(read_manifest(MANIFEST(LAYER(OCI_LAYER_GZIP, B, "32") "," LAYER(OCI_LAYER_GZIP, B,
											 "32")),
				       &m, &e),
			 0);
	oci_manifest_finish(&m);
}

static void test_manifests_that_are_refused(void **state)
{
	static const struct {
		const char *text;
		int err;
		const char *word;
	} rows[] = {
		{ "", EBADMSG, "not valid JSON" },
		{ "[]", EBADMSG, "no JSON object" },
		{ "{}", EBADMSG, "schema version 2" },
		{ "{\"schemaVersion\":1,\"fsLayers\":[],\"history\":[]}", EOPNOTSUPP, "schema 1" },
		{ "{\"schemaVersion\":2,\"schemaVersion\":2}", EBADMSG, "not valid JSON" },
		{ "{\"schemaVersion\":2}", EBADMSG, "config" },
		{ "{\"schemaVersion\":2,\"config\":" CONFIG_DESC "}", EBADMSG, "no list" },
		{ "{\"schemaVersion\":2,\"config\":" CONFIG_DESC ",\"layers\":[],\"manifests\":[]}", EBADMSG,
		  "index as well" },
		{ "{\"schemaVersion\":2,\"mediaType\":\"" OCI_INDEX "\",\"config\":" CONFIG_DESC
		  ",\"layers\":[]}",
		  EBADMSG, "index as well" },
		{ MANIFEST("5"), EBADMSG, "no object" },
		{ MANIFEST("{\"size\":1}"), EBADMSG, "digest" },
		{ MANIFEST(LAYER(OCI_LAYER, "sha256:../../etc/passwd", "5")), EBADMSG, "digest" },
		{ MANIFEST(LAYER(OCI_LAYER, B, "-1")), EBADMSG, "size" },
		{ MANIFEST(LAYER(OCI_LAYER, B, "1.5")), EBADMSG, "size" },
		{ MANIFEST(LAYER(OCI_LAYER, B, "\"1\"")), EBADMSG, "size" },
		{ MANIFEST(LAYER(OCI_LAYER, B, "9223372036854775807")), EBADMSG, "too large" },
		{ MANIFEST(LAYER("text/plain", B, "5")), EOPNOTSUPP, "text/plain" },
		{ MANIFEST(LAYER("a\\u001b[31m", B, "5")), EBADMSG, "plain text" },
		{ MANIFEST(LAYER(OCI_LAYER, A, "2")), EBADMSG, "config as well" },
		/* attack 62 */
		{ MANIFEST(LAYER(OCI_LAYER, B, "99999") "," LAYER(OCI_LAYER, B, "99999")), EBADMSG, "twice" },
		{ MANIFEST(LAYER(OCI_LAYER, B, "5") "," LAYER(OCI_LAYER, B, "6")), EBADMSG, "differently" },
		{ MANIFEST(LAYER(OCI_LAYER, B, "5") "," LAYER(OCI_LAYER_GZIP, B, "5")), EBADMSG,
		  "differently" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct aisbx_error e = AISBX_ERROR_INIT;
		struct oci_manifest m = { 0 };

		assert_failed(read_manifest(rows[i].text, &m, &e), rows[i].err, e, rows[i].word);
		assert_null(m.layers);
	}
}

/* N layers, each its own. */
static char *many_layers(size_t n)
{
	struct buf b = { 0 };

	buf_addf(&b, "{\"schemaVersion\":2,\"config\":%s,\"layers\":[", CONFIG_DESC);
	for (size_t i = 0; i < n; i++)
		buf_addf(&b, "%s{\"mediaType\":\"%s\",\"digest\":\"sha256:%064zx\",\"size\":1}", i ? "," : "",
			 OCI_LAYER, i);
	buf_addf(&b, "]}");
	return buf_str(&b);
}

static void test_bounds(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct oci_manifest m = { 0 };
	char *text = many_layers(IMAGE_MAX_LAYERS), *large;
	json_t *document = NULL;
	char deep[2 * OCI_MAX_DEPTH + 16];

	(void)state;
	assert_int_equal(read_manifest(text, &m, &e), 0);
	oci_manifest_finish(&m);
	free(text);
	text = many_layers(IMAGE_MAX_LAYERS + 1);
	assert_failed(read_manifest(text, &m, &e), E2BIG, e, "at most 400");
	free(text);

	for (size_t extra = 0; extra < 2; extra++) {
		size_t n = OCI_MAX_DEPTH - 1 + extra;

		memcpy(deep, "{\"\\\\\":", 6);
		memset(deep + 6, '[', n);
		memset(deep + 6 + n, ']', n);
		strcpy(deep + 6 + 2 * n, "}");
		assert_int_equal(oci_json(deep, strlen(deep), "a text", &document, &e), extra ? -EBADMSG : 0);
		if (!extra)
			json_decref(document);
	}
	assert_non_null(strstr(e.text, "nested"));
	/* Brackets in texts are none. */
	memset(deep, '[', sizeof(deep));
	memcpy(deep, "{\"\\\"", 4);
	strcpy(deep + sizeof(deep) - 5, "\":1}");
	assert_int_equal(oci_json(deep, strlen(deep), "a text", &document, &e), 0);
	json_decref(document);

	large = malloc(IMAGE_MAX_JSON + 2);
	memset(large, ' ', IMAGE_MAX_JSON + 2);
	memcpy(large, "{}", 2);
	assert_int_equal(oci_json(large, IMAGE_MAX_JSON, "a text", &document, &e), 0);
	json_decref(document);
	assert_failed(oci_json(large, IMAGE_MAX_JSON + 1, "a text", &document, &e), EBADMSG, e, "4 MiB");
	free(large);
}

#define ENTRY(digest, os, arch, variant)                           \
	"{\"mediaType\":\"" OCI_MANIFEST "\",\"digest\":\"" digest \
	"\",\"size\":2,\"platform\":{\"os\":\"" os "\",\"architecture\":\"" arch "\"" variant "}}"
#define INDEX(entries) "{\"schemaVersion\":2,\"manifests\":[" entries "]}"

static const char *choose(const char *text, const char *platform)
{
	static char digest[DIGEST_CAP];
	struct aisbx_error e = AISBX_ERROR_INIT;
	const struct oci_descriptor *d;
	struct oci_index x = { 0 };

	strcpy(digest, "none");
	assert_int_equal(oci_index_read(text, strlen(text), NULL, &x, &e), 0);
	if (oci_index_choose(&x, platform, &d, &e) == 0)
		strcpy(digest, d->digest);
	oci_index_finish(&x);
	return digest;
}

static void test_platforms(void **state)
{
	static const char arm[] = INDEX(ENTRY(A, "linux", "arm", ",\"variant\":\"v5\"") "," ENTRY(
		B, "linux", "arm", ",\"variant\":\"v7\"") "," ENTRY(C, "linux", "arm",
								    ",\"variant\":\"v6\""));
	static const char two[] =
		INDEX(ENTRY(A, "linux", "arm64", ",\"variant\":\"v8\"") "," ENTRY(B, "linux", "amd64", ""));
	static const char extra[] =
		INDEX(ENTRY(A, "unknown", "unknown", "") "," ENTRY(B, "linux", "amd64", ""));
	static const char silent[] = INDEX("{\"digest\":\"" C "\",\"size\":1}");

	(void)state;
	assert_string_equal(choose(two, "linux/amd64"), B);
	assert_string_equal(choose(two, "linux/arm64"), A);
	assert_string_equal(choose(two, "linux/arm64/v8"), A);
	assert_string_equal(choose(two, "linux/s390x"), "none");
	assert_string_equal(choose(two, "windows/amd64"), "none");
	assert_string_equal(choose(two, "amd64"), "none");
	assert_string_equal(choose(two, "linux/amd64/v1/x"), "none");
	assert_string_equal(choose(arm, "linux/arm"), B);
	assert_string_equal(choose(arm, "linux/arm/v6"), C);
	assert_string_equal(choose(arm, "linux/arm/v5"), A);
	assert_string_equal(choose(INDEX(ENTRY(A, "linux", "amd64", ",\"variant\":\"v3\"")), "linux/amd64"),
			    "none");
	assert_string_equal(choose(INDEX(ENTRY(A, "linux", "amd64", ",\"variant\":\"v3\"")),
				   "linux/amd64/v4"),
			    A);
	assert_string_equal(choose(extra, "linux/amd64"), B);
	assert_string_equal(choose(extra, "unknown/unknown"), "none");
	assert_string_equal(choose(silent, "linux/amd64"), C);
	assert_string_equal(choose(INDEX(""), NULL), "none");
	assert_string_equal(choose(two, NULL), strstr(oci_platform_here(), "arm64") ? A : B);
}

static void test_indexes_that_are_refused(void **state)
{
	static const char *const rows[][2] = {
		{ "{\"schemaVersion\":2}", "no list" },
		{ "{\"schemaVersion\":2,\"manifests\":[],\"layers\":[]}", "manifest as well" },
		{ "{\"schemaVersion\":2,\"manifests\":[],\"mediaType\":\"" OCI_MANIFEST "\"}",
		  "manifest as well" },
		{ "{\"schemaVersion\":2,\"manifests\":[],\"mediaType\":7}", "media type" },
		{ INDEX("{\"digest\":\"" A "\",\"size\":1,\"platform\":[]}"), "platform" },
		{ INDEX("{\"digest\":\"" A "\",\"size\":1,\"platform\":{\"os\":1}}"), "plain text" },
		{ INDEX("{\"digest\":\"" A "\",\"size\":1,\"annotations\":{\"a\":1}}"), "annotations" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct aisbx_error e = AISBX_ERROR_INIT;
		struct oci_index x = { 0 };

		assert_failed(oci_index_read(rows[i][0], strlen(rows[i][0]), NULL, &x, &e), EBADMSG, e,
			      rows[i][1]);
	}
}

/* Documents by the first digit of their digest. */
struct shelf {
	const char *a, *b, *c;
	int asked;
};

static int load(void *ctx, const struct oci_descriptor *d, struct buf *ret, struct aisbx_error *e)
{
	struct shelf *s = ctx;
	const char *text = d->digest[7] == 'a' ? s->a : d->digest[7] == 'b' ? s->b : s->c;

	(void)e;
	s->asked++;
	buf_add(ret, text, strlen(text));
	return 0;
}

static int resolve(struct shelf *s, struct aisbx_error *e)
{
	struct oci_descriptor from = { .media_type = "", .digest = A, .size = 5 }, found = { 0 };
	struct buf text = { 0 };
	int r = oci_resolve(&from, "linux/amd64", load, s, &found, &text, e);

	if (r == 0)
		assert_string_equal(buf_str(&text), !strcmp(found.digest, A) ? s->a : s->b);
	buf_finish(&text);
	oci_descriptor_finish(&found);
	return r;
}

/* attack 64 */
static void test_resolve(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	static const char manifest[] = MANIFEST("");
	static const char to_b[] = INDEX(ENTRY(B, "linux", "amd64", ""));
	static const char to_b_index[] =
		INDEX("{\"mediaType\":\"" OCI_INDEX "\",\"digest\":\"" B "\",\"size\":2}");
	static const char to_a[] = INDEX("{\"mediaType\":\"" OCI_INDEX "\",\"digest\":\"" A "\",\"size\":2}");
	static const char to_large[] =
		INDEX("{\"mediaType\":\"" OCI_INDEX "\",\"digest\":\"" B "\",\"size\":99999999}");
	static const char to_text[] =
		INDEX("{\"mediaType\":\"text/plain\",\"digest\":\"" B
		      "\",\"size\":2,\"platform\":{\"os\":\"linux\",\"architecture\":\"amd64\"}}");
	struct shelf s = { manifest, manifest, manifest, 0 };

	(void)state;
	assert_int_equal(resolve(&s, &e), 0);
	assert_int_equal(s.asked, 1);
	s = (struct shelf){ to_b, manifest, "", 0 };
	assert_int_equal(resolve(&s, &e), 0);
	assert_int_equal(s.asked, 2);
	s = (struct shelf){ to_b_index, to_b, "", 0 };
	assert_failed(resolve(&s, &e), EBADMSG, e, "index");
	assert_int_equal(s.asked, 2); /* and never goes on */
	s = (struct shelf){ to_a, "", "", 0 };
	assert_failed(resolve(&s, &e), EBADMSG, e, "leads to itself");
	assert_int_equal(s.asked, 1);
	s = (struct shelf){ to_large, "", "", 0 };
	assert_failed(resolve(&s, &e), EBADMSG, e, "4 MiB");
	s = (struct shelf){ to_text, "", "", 0 };
	assert_failed(resolve(&s, &e), ENOENT, e, "linux/amd64");
}

#define ROOTFS "\"rootfs\":{\"type\":\"layers\",\"diff_ids\":[\"" A "\",\"" B "\"]}"

static int read_config(const char *text, struct oci_config *c, struct aisbx_error *e)
{
	return oci_config_read(text, strlen(text), c, e);
}

static void test_config(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct oci_config c = { 0 }, again = { 0 };
	struct oci_manifest m = { .n_layers = 1 };
	char *text, *twice;
	static const char whole[] =
		"{\"architecture\":\"arm\",\"os\":\"linux\",\"variant\":\"v7\",\"created\":\"2020-01-01T00:"
		"00:00Z\","
		"\"config\":{\"Entrypoint\":[\"/e\",\"x\\ny\"],\"Cmd\":[\"c\"],\"Env\":[\"PATH=/"
		"bin\",\"E=\"],\"User\":"
		"\"7:8\","
		"\"WorkingDir\":\"/w\",\"Labels\":{\"b\":\"2\",\"a\":\"1\"},\"ExposedPorts\":{\"80/"
		"tcp\":{},\"53/udp\":{}}"
		","
		"\"StopSignal\":\"SIGINT\",\"Volumes\":{\"/v\":{}},\"Healthcheck\":{}}," ROOTFS
		",\"history\":[{},{\"empty_layer\":true},{\"created_by\":\"x\"}]}";

	(void)state;
	assert_int_equal(read_config(whole, &c, &e), 0);
	assert_string_equal(c.platform.variant, "v7");
	assert_string_equal(c.entrypoint.items[1], "x\ny");
	assert_string_equal(c.env.items[1], "E=");
	assert_string_equal(c.user, "7:8");
	assert_string_equal(c.working_dir, "/w");
	assert_string_equal(c.stop_signal, "SIGINT");
	assert_string_equal(json_string_value(json_object_get(c.labels, "a")), "1");
	assert_int_equal(c.ports.n, 2);
	assert_string_equal(c.volumes.items[0], "/v");
	assert_int_equal(c.diff_ids.n, 2);
	assert_int_equal(c.n_history, 3);
	assert_failed(oci_agree(&m, &c, &e), EBADMSG, e, "1 layers and a config of 2");
	/* What is written is read as the same, and written as the same. */
	text = oci_config_write(&c);
	assert_int_equal(read_config(text, &again, &e), 0);
	twice = oci_config_write(&again);
	assert_string_equal(text, twice);
	assert_string_equal(
		text,
		"{\"created\":\"2020-01-01T00:00:00Z\",\"architecture\":\"arm\",\"os\":\"linux\",\"variant\":"
		"\"v7\",\"config\":{\"User\":\"7:8\",\"ExposedPorts\":{\"53/udp\":{},\"80/tcp\":{}},\"Env\":["
		"\"PATH=/bin\",\"E=\"],\"Entrypoint\":[\"/e\",\"x\\ny\"],\"Cmd\":[\"c\"],\"Volumes\":{\"/"
		"v\":{}"
		"},\"WorkingDir\":\"/"
		"w\",\"Labels\":{\"a\":\"1\",\"b\":\"2\"},\"StopSignal\":\"SIGINT\"}," ROOTFS "}");
	free(text);
	free(twice);
	oci_config_finish(&c);
	oci_config_finish(&again);

	assert_int_equal(read_config("{" ROOTFS "}", &c, &e), 0); /* nothing else is said */
	assert_string_equal(c.user, "");
	assert_string_equal(c.working_dir, "");
	assert_null(c.platform.os);
	oci_config_finish(&c);
	assert_int_equal(read_config("{\"config\":{\"Entrypoint\":null,\"Labels\":null}," ROOTFS "}", &c, &e),
			 0);
	oci_config_finish(&c);
}

static void test_configs_that_are_refused(void **state)
{
	static const char *const rows[][2] = {
		{ "{}", "no layers" },
		{ "{\"rootfs\":{\"type\":\"other\",\"diff_ids\":[]}}", "no layers" },
		{ "{\"rootfs\":{\"diff_ids\":[\"x\"]}}", "diff_id" },
		{ "{\"rootfs\":{\"diff_ids\":\"x\"}}", "diff_ids" },
		{ "{\"config\":[]," ROOTFS "}", "settings" },
		{ "{\"config\":{\"Cmd\":\"x\"}," ROOTFS "}", "Cmd" },
		{ "{\"config\":{\"Cmd\":[1]}," ROOTFS "}", "Cmd" },
		{ "{\"config\":{\"Env\":[\"x\"]}," ROOTFS "}", "variable" },
		{ "{\"config\":{\"Env\":[\"=x\"]}," ROOTFS "}", "variable" },
		{ "{\"config\":{\"Labels\":{\"a\":1}}," ROOTFS "}", "labels" },
		{ "{\"config\":{\"Labels\":[]}," ROOTFS "}", "labels" },
		{ "{\"config\":{\"ExposedPorts\":[]}," ROOTFS "}", "ExposedPorts" },
		{ "{\"config\":{\"Volumes\":{\"/\\u0007\":{}}}," ROOTFS "}", "control" },
		{ "{\"config\":{\"User\":7}," ROOTFS "}", "User" },
		{ "{\"config\":{\"User\":\"a\\u0000b\"}," ROOTFS "}", "valid JSON" },
		{ "{\"config\":{\"WorkingDir\":\"/a\\nb\"}," ROOTFS "}", "WorkingDir" },
		{ "{" ROOTFS ",\"history\":{}}", "history" },
		{ "{" ROOTFS ",\"history\":[1,2]}", "history" },
		{ "{" ROOTFS ",\"history\":[{}]}", "history makes 1 layers while it names 2" },
		{ "{" ROOTFS ",\"history\":[{},{},{}]}", "history makes 3" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct aisbx_error e = AISBX_ERROR_INIT;
		struct oci_config c = { 0 };

		assert_failed(read_config(rows[i][0], &c, &e), EBADMSG, e, rows[i][1]);
		assert_null(c.user);
	}
}

/* A layer that is named twice cannot be two different ones. */
static void test_agree(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct oci_manifest m = { 0 };
	struct oci_config c = { 0 };

	(void)state;
	assert_int_equal(read_manifest(MANIFEST(LAYER(OCI_LAYER_GZIP, C, "5") "," LAYER(OCI_LAYER_GZIP, C,
											"5")),
				       &m, &e),
			 0);
	assert_int_equal(read_config("{" ROOTFS "}", &c, &e), 0);
	assert_failed(oci_agree(&m, &c, &e), EBADMSG, e, "differently");
	strcpy(c.diff_ids.items[1], A);
	assert_int_equal(oci_agree(&m, &c, &e), 0);
	oci_manifest_finish(&m);
	oci_config_finish(&c);
}

static void test_written(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct oci_manifest m = { 0 };
	struct oci_index x = { 0 };
	static const char manifest[] =
		"{\"schemaVersion\":2,\"mediaType\":\"" OCI_MANIFEST "\",\"config\":" CONFIG_DESC
		",\"layers\":[" LAYER(OCI_LAYER, B, "5") "]}";
	static const char index[] =
		"{\"schemaVersion\":2,\"mediaType\":\"" OCI_INDEX
		"\",\"manifests\":[{\"mediaType\":\"" OCI_MANIFEST "\",\"digest\":\"" A
		"\",\"size\":2,\"platform\":{\"architecture\":\"amd64\",\"os\":\"linux\"},"
		"\"annotations\":{\"a\":\"1\",\"b\":\"2\"}}]}";
	char *text;

	(void)state;
	assert_int_equal(read_manifest(manifest, &m, &e), 0);
	text = oci_manifest_write(&m);
	assert_string_equal(text, manifest);
	free(text);
	oci_manifest_finish(&m);
	assert_int_equal(oci_index_read(index, strlen(index), NULL, &x, &e), 0);
	text = oci_index_write(&x);
	assert_string_equal(text, index);
	free(text);
	oci_index_finish(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_manifest),
					    cmocka_unit_test(test_manifests_that_are_refused),
					    cmocka_unit_test(test_bounds),
					    cmocka_unit_test(test_platforms),
					    cmocka_unit_test(test_indexes_that_are_refused),
					    cmocka_unit_test(test_resolve),
					    cmocka_unit_test(test_config),
					    cmocka_unit_test(test_configs_that_are_refused),
					    cmocka_unit_test(test_agree),
					    cmocka_unit_test(test_written) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
