/* SPDX-License-Identifier: Apache-2.0 */
/* Long chains of layers: what of one is the box's own, and merging that into one layer. */
#include "box/chain.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/log.h"
#include "base/path.h"
#include "base/scope.h"
#include "box/pin.h"
#include "layer/flatten.h"
#include "layer/layer.h"

/* overlayfs stacks no more than 500 layers. */
#define MAX_DEPTH (JAIL_PLAN_MAX_LAYERS - 8)
/*
 * A chain this long is folded. Each layer costs every run some 0.1 ms as root, a fold costs once by the files
 * of the chain. One that could not be folded is tried again this many snapshots later.
 */
#define FOLD_DEPTH 64
#define FOLD_AGAIN 16

void chain_fold_finish(struct chain_fold *f)
{
	close_fd(&f->lock);
}

int box_reserve_layer(struct box_state *s, char ret_id[STORE_ID_MAX], int *ret_lock, struct aisbx_error *e)
{
	return box_reserve_layer_as(s, "l-", ret_id, ret_lock, e);
}

int box_reserve_layer_as(struct box_state *s, const char *prefix, char ret_id[STORE_ID_MAX], int *ret_lock,
			 struct aisbx_error *e)
{
	scoped(drop_mem) char *path = NULL;
	scoped(drop_fd) int fd = -1;
	scoped(drop_fd) int draft = -1; /* without it gc puts aside what it could remove */
	char id[STORE_ID_MAX];
	int r = store_begin(s->store, e); /* gc is not at work now, and the next one finds the lock */

	if (r < 0)
		return r;
	box_new_id(prefix, id);
	r = layer_make(s->layers, id, e);
	if (r == 0) {
		path = path_join(s->layers, id);
		fd = path ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
		if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) < 0)
			r = aisbx_fail(e, AISBX_AREA_BOX, path ? errno : ENOMEM, "keep layer '%s'", id);
		else
			draft = openat(fd, BOX_DRAFT, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	}
	store_rollback(s->store);
	if (r < 0)
		return r;
	memcpy(ret_id, id, sizeof(id));
	*ret_lock = take_fd(&fd);
	return 0;
}

/* CHAIN is newest first. */
static int fold_chain(struct box_state *s, const struct store_layer *chain, size_t n, struct chain_fold *ret,
		      struct aisbx_error *e)
{
	const char **ids = calloc(n, sizeof(*ids));
	int r;

	if (!ids)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "merge %zu layers", n);
	for (size_t i = 0; i < n; i++)
		ids[i] = chain[n - 1 - i].id;
	r = box_reserve_layer(s, ret->id, &ret->lock, e);
	if (r == 0)
		r = layer_flatten(s->layers, ids, n, ret->id, true, e);
	free(ids);
	return r;
}

int box_own_layers(struct box_state *s, const struct store_box *b, const struct store_layer *chain, size_t *n,
		   char ret_on[STORE_ID_MAX], struct aisbx_error *e)
{
	struct store_image image = { 0 };
	struct aisbx_error gone = AISBX_ERROR_INIT;
	int r = b->image[0] ? store_image_find(s->store, b->image, &image, &gone) : 0;
	size_t own = 0;

	if (!b->image[0] || r < 0) {
		*n = r == 0 ? *n : 0; /* without its row nobody knows where it begins: nothing is merged */
		if (r < 0 && r != -ENOENT)
			*e = gone;
		return r == -ENOENT ? 0 : r;
	}
	while (own < *n && strcmp(chain[own].id, image.top) != 0)
		own++;
	memcpy(ret_on, image.top, STORE_ID_MAX);
	*n = own < *n ? own : 0;
	store_image_finish(&image);
	return 0;
}

int chain_fold_if_long(struct box_state *s, const struct store_box *b, struct chain_fold *ret,
		       struct aisbx_error *e)
{
	struct aisbx_error why = AISBX_ERROR_INIT;
	struct store_layer *chain = NULL;
	const struct store_layer *pin;
	size_t n = 0, all;
	int r = store_layer_chain(s->store, b->top, &chain, &n, e);

	all = n;
	if (r == 0)
		r = box_own_layers(s, b, chain, &n, ret->on, e);
	pin = r == 0 ? box_pin_of(chain, n) : NULL;
	if (pin) {
		memcpy(ret->on, pin->id, sizeof(ret->on));
		n = (size_t)(pin - chain);
	}
	if (r == 0 && n > 1 && ((n >= FOLD_DEPTH && n % FOLD_AGAIN == 0) || all >= MAX_DEPTH) &&
	    fold_chain(s, chain, n, ret, &why) < 0) {
		ret->id[0] = '\0';
		if (all < MAX_DEPTH) { /* it will do as it is */
			log_debug("the layers of '%s' stay %zu: %s", b->name, n, why.text);
		} else {
			*e = why;
			r = aisbx_context(e, "box '%s' has %zu layers, too many for another snapshot",
					  b->name, all);
		}
	}
	free(chain);
	return r;
}
