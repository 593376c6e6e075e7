/* SPDX-License-Identifier: Apache-2.0 */
/* A table by open addressing: inode and layer to a path. */
#include "helpers/image/link_names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct link_name {
	char *path; /* owned; NULL: an empty place */
	uint64_t dev, ino;
	size_t layer;
};

static struct link_name *place_of(struct link_name *places, size_t cap, const struct link_name *key)
{
	uint64_t mixed = (key->ino ^ (key->dev << 40) ^ ((uint64_t)key->layer << 52)) * 0x9e3779b97f4a7c15ull;
	size_t i = (size_t)(mixed >> 20) & (cap - 1);

	while (places[i].path &&
	       (places[i].ino != key->ino || places[i].dev != key->dev || places[i].layer != key->layer))
		i = (i + 1) & (cap - 1);
	return &places[i];
}

static int grow(struct link_names *l)
{
	size_t cap = l->cap ? l->cap * 2 : 64;
	struct link_name *places = calloc(cap, sizeof(*places));

	if (!places)
		return -ENOMEM;
	for (size_t i = 0; i < l->cap; i++)
		if (l->places[i].path)
			*place_of(places, cap, &l->places[i]) = l->places[i];
	free(l->places);
	l->places = places;
	l->cap = cap;
	return 0;
}

int link_names_take(struct link_names *l, size_t layer, const struct stat *st, const char *path,
		    const char **ret_first)
{
	struct link_name key = { .dev = st->st_dev, .ino = st->st_ino, .layer = layer };
	struct link_name *place;

	if (l->n * 2 >= l->cap && grow(l) < 0)
		return -ENOMEM;
	place = place_of(l->places, l->cap, &key);
	*ret_first = place->path;
	if (place->path)
		return 0;
	key.path = strdup(path);
	if (!key.path)
		return -ENOMEM;
	*place = key;
	l->n++;
	return 0;
}

void link_names_finish(struct link_names *l)
{
	for (size_t i = 0; i < l->cap; i++)
		free(l->places[i].path);
	free(l->places);
	*l = (struct link_names){ 0 };
}
