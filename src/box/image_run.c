/* SPDX-License-Identifier: Apache-2.0 */
/* What a run in a box from an image has of that image: its ground, its user, its settings. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "box/image.h"
#include "box/image_ids.h"
#include "driver/driver.h"
#include "image/inside.h"
#include "image/user.h"

/* Of an image that says nothing else. */
#define PATH_OF_IMAGES "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

_Static_assert(IMAGE_MAX_GROUPS == RUN_MAX_GROUPS, "as many as a plan has room for");

void run_image_free(struct run_image *i)
{
	if (!i)
		return;
	free(i->ground);
	free(i->cwd);
	free(i->git);
	free(i->run);
	free(i->tmp);
	free(i);
}

/* Places that every box mounts something on: in a layer of the box they would look like changes of it. */
static int make_places(int ground)
{
	static const char *const dirs[] = { "dev", "etc", "proc", "run", "sys", "tmp" };
	static const char *const files[] = { "etc/hostname", "etc/hosts", "etc/resolv.conf" };

	for (size_t i = 0; i < sizeof(dirs) / sizeof(*dirs); i++)
		if (mkdirat(ground, dirs[i], 0755) < 0 && errno != EEXIST)
			return -errno;
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		scoped(drop_fd) int fd =
			openat(ground, files[i], O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644);

		if (fd < 0)
			return -errno;
	}
	return 0;
}

/* Made beside its place, and renamed when it is whole. */
static int make_ground(const char *path)
{
	scoped(drop_mem) char *draft = NULL;
	scoped(drop_fd) int fd = -1;
	mode_t mask = umask(022);
	int r = 0;

	if (asprintf(&draft, "%s.%d", path, (int)getpid()) < 0) {
		draft = NULL;
		r = -ENOMEM;
	}
	if (r == 0 && mkdir(draft, 0755) < 0 && errno != EEXIST)
		r = -errno;
	if (r == 0) {
		fd = open(draft, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		r = fd < 0 ? -errno : make_places(fd);
	}
	if (r == 0 && rename(draft, path) < 0)
		r = errno == ENOTEMPTY || errno == EEXIST ? 0
							  : -errno; /* another was faster; gc sweeps this */
	umask(mask);
	return r;
}

char *box_image_ground(const struct box_state *s, struct aisbx_error *e)
{
	char *path = path_join(s->dir, "ground");
	int r = path ? 0 : -ENOMEM;

	if (r == 0 && access(path, F_OK) < 0)
		r = errno == ENOENT ? make_ground(path) : -errno;
	if (r == 0)
		return path;
	free(path);
	aisbx_fail(e, AISBX_AREA_BOX, -r, "make the ground of images");
	return NULL;
}

static bool sets(const struct strlist *env, const char *name)
{
	size_t n = strlen(name);

	for (size_t i = 0; i < env->n; i++)
		if (!strncmp(env->items[i], name, n) && env->items[i][n] == '=')
			return true;
	return false;
}

static void list_ups(const struct box_state *s, const struct store_layer *chain, size_t n,
		     struct strlist *ret)
{
	for (size_t i = 0; i < n; i++)
		strlist_addf(ret, "%s/%s/root/up", s->layers, chain[i].id);
}

const char *box_image_shell(struct box_state *s, const struct store_box *b)
{
	scoped(strlist_finish) struct strlist ups = { 0 };
	scoped(drop_mem) struct store_layer *chain = NULL;
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	const char *const *list;
	size_t n = 0;

	if (!b->image[0])
		return NULL;
	if (store_layer_chain(s->store, b->top, &chain, &n, &ignored) == 0)
		list_ups(s, chain, n, &ups);
	list = (const char *const *)ups.items;
	return !ups.failed && (image_has(list, ups.n, "bin/bash") || image_has(list, ups.n, "usr/bin/bash"))
		       ? "/bin/bash"
		       : "/bin/sh";
}

/* "/run" and "/tmp" are often links to directories of /var: the box's own are put there. */
static int find_places(const struct strlist *ups, struct run_image *image, struct aisbx_error *e)
{
	const char *const *list = (const char *const *)ups->items;
	char run[PATH_MAX], tmp[PATH_MAX];

	image_place(list, ups->n, "run", run);
	image_place(list, ups->n, "tmp", tmp);
	if (run[0] && tmp[0] && (path_is_within(run, tmp) || path_is_within(tmp, run)))
		return aisbx_refuse(e, AISBX_KIND_DENIED, AISBX_AREA_BOX, ELOOP,
				    "the links '/run' and '/tmp' of the image lead to one place, '%.100s'",
				    run);
	image->run = run[0] ? strdup(run) : NULL;
	image->tmp = tmp[0] ? strdup(tmp) : NULL;
	return (run[0] && !image->run) || (tmp[0] && !image->tmp)
		       ? aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "find places of an image")
		       : 0;
}

/* What is read in the layers: places, and the user that commands have; root's boxes have ids for all, others
 * one for all. */
static int find_user(struct box_state *s, const struct store_layer *chain, size_t n, const char *user,
		     struct run_spec *spec, struct image_settings *settings, struct aisbx_error *e)
{
	scoped(strlist_finish) struct strlist ups = { 0 };
	struct run_image *image = spec->walls.image;
	struct image_user u = { 0 };
	int r;

	list_ups(s, chain, n, &ups);
	if (ups.failed)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "find the user of an image");
	r = find_places(&ups, image, e);
	if (r == 0)
		r = image_user_find((const char *const *)ups.items, ups.n, user, &u, e);
	if (r < 0)
		return r;
	image->user = u.uid || u.gid;
	image->uid = u.uid;
	image->gid = u.gid;
	image->n_groups = u.n_groups;
	memcpy(image->groups, u.groups, sizeof(image->groups));
	if (!sets(&settings->env, "HOME")) /* what the image says itself counts */
		strlist_addf(&settings->env, "HOME=%s", u.home[0] ? u.home : u.uid ? "/" : "/root");
	if (!sets(&settings->env, "PATH"))
		strlist_add(&settings->env, "PATH=" PATH_OF_IMAGES);
	return settings->env.failed ? aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "find the user of an image") : 0;
}

int box_image_is_ground(const struct image_settings *s, struct aisbx_error *e)
{
	return s->for_machine
		       ? aisbx_refuse(e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_BOX, ENOTSUP,
				      "the image is a template that stands on a machine, with no system "
				      "in it; 'aisbx template pull' brings it as a template")
		       : 0;
}

int box_image_apply(struct box_state *s, const char *id, const struct store_layer *chain, size_t n,
		    struct run_spec *spec, struct image_settings *ret, struct aisbx_error *e)
{
	struct run_image *image = calloc(1, sizeof(*image));
	struct store_image row = { 0 };
	int r = image ? store_image_find(s->store, id, &row, e)
		      : aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "use an image");

	spec->walls.image = image; /* also after an error: whoever goes on has no other ground */
	if (r == -ENOENT)
		aisbx_refuse(
			e, AISBX_KIND_NOT_FOUND, AISBX_AREA_BOX, ENOENT,
			"the image '%s' that this box stands on is not in the store any more, so nothing can "
			"run in it; 'aisbx export' still gives its files",
			id);
	if (r == 0)
		r = image_settings_read(row.config, ret, e);
	if (r == 0)
		r = box_image_is_ground(ret, e);
	if (r == 0) {
		memcpy(image->id, row.id, sizeof(image->id));
		image->ground = box_image_ground(s, e);
		r = box_image_ids(&row, image, e);
		image->cwd = strdup(ret->cwd);
		r = r < 0            ? r
		    : !image->ground ? e->code
		    : image->cwd     ? find_user(s, chain, n, ret->user, spec, ret, e)
				     : aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "use an image");
	}
	store_image_finish(&row);
	return r;
}
