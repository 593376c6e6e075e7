/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The JSON documents of an image, read as hostile input and written the same way each time: descriptor,
 * index, manifest and config, of OCI and of Docker (schema 2). What is taken has all its numbers in range,
 * its digests valid (sha256) and its counts agreed; everything else is refused with a sentence.
 */
#ifndef IMAGE_OCI_H
#define IMAGE_OCI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "aisbx/error.h"
#include "base/buf.h"
#include "base/str.h"
#include "image/digest.h"

#define OCI_INDEX           "application/vnd.oci.image.index.v1+json"
#define OCI_MANIFEST        "application/vnd.oci.image.manifest.v1+json"
#define OCI_CONFIG          "application/vnd.oci.image.config.v1+json"
#define OCI_LAYER           "application/vnd.oci.image.layer.v1.tar"
#define OCI_LAYER_GZIP      OCI_LAYER "+gzip"
#define OCI_LAYER_ZSTD      OCI_LAYER "+zstd"
#define DOCKER_INDEX        "application/vnd.docker.distribution.manifest.list.v2+json"
#define DOCKER_MANIFEST     "application/vnd.docker.distribution.manifest.v2+json"
#define DOCKER_CONFIG       "application/vnd.docker.container.image.v1+json"
#define DOCKER_LAYER        "application/vnd.docker.image.rootfs.diff.tar"
#define DOCKER_LAYER_GZIP   "application/vnd.docker.image.rootfs.diff.tar.gzip"
#define DOCKER_LAYER_ZSTD   "application/vnd.docker.image.rootfs.diff.tar.zstd"
#define OCI_REF_NAME        "org.opencontainers.image.ref.name"
#define CONTAINERD_REF_NAME "io.containerd.image.name"

#define OCI_MAX_INDEX   1000u /* descriptors of one index */
#define OCI_MAX_DEPTH   64u   /* of JSON */
#define OCI_MAX_STRINGS 4096u /* of one list of a config: variables, words of a command, labels */
#define OCI_MAX_TWICE   65536u
/* Bytes of a layer that an image may name more than once: builders repeat empty layers. */

enum oci_kind { /* what a media type stands for */
		OCI_KIND_OTHER,
		OCI_KIND_INDEX,
		OCI_KIND_MANIFEST,
		OCI_KIND_CONFIG,
		OCI_KIND_LAYER, /* tar, as it is */
		OCI_KIND_LAYER_GZIP,
		OCI_KIND_LAYER_ZSTD
};

enum oci_kind oci_kind_of(const char *media_type);
static inline bool oci_kind_is_layer(enum oci_kind k)
{
	return k == OCI_KIND_LAYER || k == OCI_KIND_LAYER_GZIP || k == OCI_KIND_LAYER_ZSTD;
}

struct oci_platform {
	char *os;           /* owned; NULL: not said */
	char *architecture; /* owned; NULL: not said */
	char *variant;      /* owned; NULL: not said */
};

/* "linux/arm64/v8"; os and architecture in the words of Go. */
int oci_platform_parse(const char *text, struct oci_platform *ret, struct aisbx_error *e);
void oci_platform_finish(struct oci_platform *p);
/* "linux/amd64" of this machine. Constant. */
const char *oci_platform_here(void);
/* How well what is there (HAS) serves what is asked for (WANT): 0 not at all, more is better. */
unsigned int oci_platform_fits(const struct oci_platform *has, const struct oci_platform *want);

struct oci_descriptor {
	char *media_type; /* owned; "" if the document does not say */
	char digest[DIGEST_CAP];
	uint64_t size;
	struct oci_platform platform;
	json_t *annotations; /* owned; object or NULL */
};

void oci_descriptor_finish(struct oci_descriptor *d);
int oci_descriptor_copy(const struct oci_descriptor *d, struct oci_descriptor *ret);
/* Of VALUE, which may be anything. WHAT: for the message: "a layer". */
int oci_descriptor_read(const json_t *value, const char *what, struct oci_descriptor *ret,
			struct aisbx_error *e);
/* No control characters: can be shown to a person. */
bool oci_is_plain(const char *text);
/* Borrowed, or NULL. */
const char *oci_annotation(const struct oci_descriptor *d, const char *name);

struct oci_index {
	struct oci_descriptor *items; /* owned */
	size_t n;
};

void oci_index_finish(struct oci_index *x);
/* MEDIA_TYPE: what the one who names it says it is, or NULL; the document must not contradict. */
int oci_index_read(const char *text, size_t len, const char *media_type, struct oci_index *ret,
		   struct aisbx_error *e);
/* The best entry for a platform ("" or NULL: of this machine). Borrowed from X. */
int oci_index_choose(const struct oci_index *x, const char *platform, const struct oci_descriptor **ret,
		     struct aisbx_error *e);

struct oci_manifest {
	char *media_type; /* owned; OCI_MANIFEST or DOCKER_MANIFEST */
	struct oci_descriptor config;
	struct oci_descriptor *layers; /* owned; oldest first */
	size_t n_layers;
	uint64_t size; /* of config and layers */
};

void oci_manifest_finish(struct oci_manifest *m);
int oci_manifest_read(const char *text, size_t len, const char *media_type, struct oci_manifest *ret,
		      struct aisbx_error *e);
/* The same, for what is stored as a manifest and is no image (a signature): any media types. */
int oci_artifact_read(const char *text, size_t len, struct oci_manifest *ret, struct aisbx_error *e);

struct oci_config {
	struct oci_platform platform;
	char *created; /* owned or NULL; as it is written there */
	struct strlist entrypoint, cmd;
	struct strlist env;      /* NAME=VALUE */
	struct strlist ports;    /* "80/tcp" */
	struct strlist volumes;  /* paths */
	json_t *labels;          /* owned; object of texts, or NULL */
	char *user;              /* owned; "" if not said: "1000:1000", "www-data" */
	char *working_dir;       /* owned; "" if not said */
	char *stop_signal;       /* owned; "" if not said */
	struct strlist diff_ids; /* digests, oldest first */
	size_t n_history;
};

void oci_config_finish(struct oci_config *c);
int oci_config_read(const char *text, size_t len, struct oci_config *ret, struct aisbx_error *e);
/* Whether the two speak of the same layers. */
int oci_agree(const struct oci_manifest *m, const struct oci_config *c, struct aisbx_error *e);

/* Documents as text: keys in the order of the specification, no white space, so that the same image has the
 * same digest. Heap, or NULL if memory ran out. */
char *oci_index_write(const struct oci_index *x);
char *oci_manifest_write(const struct oci_manifest *m);
char *oci_config_write(const struct oci_config *c);

/* Gives the text of what D names, at most IMAGE_MAX_JSON bytes, verified. */
typedef int oci_load_fn(void *ctx, const struct oci_descriptor *d, struct buf *ret, struct aisbx_error *e);
/* From a manifest or an index to the manifest for a platform ("" or NULL: of this machine): RET names it,
 * RET_TEXT is it. An index in an index is refused, and what leads to itself. */
int oci_resolve(const struct oci_descriptor *from, const char *platform, oci_load_fn *load, void *ctx,
		struct oci_descriptor *ret, struct buf *ret_text, struct aisbx_error *e);

/* A JSON object of at most IMAGE_MAX_JSON bytes and OCI_MAX_DEPTH levels; no name twice. WHAT: for the
 * message: "a manifest". RET: the caller's. */
int oci_json(const char *text, size_t len, const char *what, json_t **ret, struct aisbx_error *e);

#endif
