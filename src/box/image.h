/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Images in the state directory: found by the names that people use, added when their layers are unpacked,
 * removed with the layers that nobody else needs. A box from an image is a box whose first layers are the
 * image's, on a ground of empty places.
 */
#ifndef BOX_IMAGE_H
#define BOX_IMAGE_H

#include "box/box.h"
#include "image/settings.h"

/* Where a name without one is from, and what tag it means. */
#define BOX_IMAGE_REGISTRY "docker.io"
#define BOX_IMAGE_LIBRARY  "library"
#define BOX_IMAGE_TAG      "latest"

/*
 * By id, digest (or the beginning of one) or name: as given, then with the tag, the registry and "library"
 * filled in; "NAME@DIGEST" is by digest. Nothing is fetched. -ENOENT: there is none. KEY may begin with
 * "image:".
 */
int box_image_resolve(struct box_state *s, const char *key, struct store_image *ret, struct aisbx_error *e);

/* A layer of an image that is unpacked. */
struct box_image_layer {
	const char *chain; /* its ChainID */
	/*
	 * The layer with its tree "root": one of box_reserve_layer, whose lock the caller holds until the
	 * image is added, or the one that store_image_layer_find told.
	 */
	const char *layer;
	bool known; /* the latter: if its row is gone when the image is added, that fails with -EAGAIN */
	int64_t files, bytes;
};

struct box_image_new {
	const char *digest; /* of the manifest */
	const char *ids; /* its layers are for these subordinate ids, as in struct store_image; NULL: not */
	const char *config, *manifest;        /* JSON, as fetched */
	const char *source;                   /* where it is from; NULL: not known */
	const char *name;                     /* that points to it from now on, complete; NULL: none */
	int64_t size;                         /* bytes of its blobs */
	const struct box_image_layer *layers; /* oldest first */
	size_t n_layers;
};

/*
 * In one transaction: all rows or none. What is there already is used: an image with this digest only gets
 * the name, a layer whose chain somebody else has unpacked meanwhile is that one, and the caller's is removed
 * by gc. Layers are on the disk before the store says so. The config is read first, and refused if it is not
 * valid.
 */
int box_image_add(struct box_state *s, const struct box_image_new *new, struct store_image *ret,
		  struct aisbx_error *e);

struct box_image_removed {
	char id[STORE_ID_MAX];
	bool stays; /* only the name was removed: the image has others */
	size_t layers;
};

/*
 * A name of an image that has others: only the name. Else the image, unless boxes or templates stand on it:
 * then it is refused, and they are named. Blobs are the caller's business.
 */
int box_image_remove(struct box_state *s, const char *key, struct box_image_removed *ret,
		     struct aisbx_error *e);

/* The directory that lies below the layers of every image, made if it is missing. Heap, or NULL with E. */
char *box_image_ground(const struct box_state *s, struct aisbx_error *e);

/* Whether a box can stand on the image with these settings; what it lacks is told. */
int box_image_is_ground(const struct image_settings *s, struct aisbx_error *e);
/*
 * SPEC is of a box whose layers are CHAIN, newest first, and which stands on image ID: sets walls.image, and
 * reads what the image says about running it.
 */
int box_image_apply(struct box_state *s, const char *id, const struct store_layer *chain, size_t n,
		    struct run_spec *spec, struct image_settings *ret, struct aisbx_error *e);
/* The shell that such a box has for people: bash if it is there. NULL: B stands on this machine. */
const char *box_image_shell(struct box_state *s, const struct store_box *b);
void run_image_free(struct run_image *i);

#endif
