/* SPDX-License-Identifier: Apache-2.0 */
/* The directory for files without a record: STATE/lost/TIME/PLACE/NAME. */
#include "box/orphans.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/dir.h"
#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "layer/layer.h"

#define KEEP_S (30 * 24 * 3600)

static const char *const places[] = { "layers", "promotions", "artifacts" };

void box_orphans_finish(struct box_orphans *l)
{
	free(l->batch);
	l->batch = NULL;
}

static int make_batch(struct box_orphans *l, struct aisbx_error *e)
{
	scoped(drop_mem) char *lost = path_join(l->state, "lost");
	char name[32];
	struct tm tm;
	time_t now = time(NULL);

	gmtime_r(&now, &tm);
	strftime(name, sizeof(name), "%Y%m%dT%H%M%SZ", &tm);
	l->batch = lost ? path_join(lost, name) : NULL;
	if (!l->batch)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "move what has no record to 'lost'");
	if ((mkdir(lost, 0700) < 0 && errno != EEXIST) || (mkdir(l->batch, 0700) < 0 && errno != EEXIST))
		return aisbx_fail(e, AISBX_AREA_BOX, errno, "make '%s'", l->batch);
	return 0;
}

int box_orphans_put(struct box_orphans *l, const char *place, const char *name, struct aisbx_error *e)
{
	scoped(drop_mem) char *from = NULL;
	scoped(drop_mem) char *to = NULL;
	scoped(drop_mem) char *dir = NULL;
	int r = l->batch ? 0 : make_batch(l, e);

	if (r < 0)
		return r;
	dir = path_join(l->batch, place);
	to = dir ? path_join(dir, name) : NULL;
	if (!to || asprintf(&from, "%s/%s/%s", l->state, place, name) < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "move what has no record to 'lost'");
	if (mkdir(dir, 0711) < 0 && errno != EEXIST)
		return aisbx_fail(e, AISBX_AREA_BOX, errno, "make '%s'", dir);
	if (rename(from, to) < 0 && errno != ENOENT)
		return aisbx_fail(e, AISBX_AREA_BOX, errno, "move '%s', which has no record, to 'lost'",
				  from);
	l->n++;
	return 0;
}

/* A layer without a row. */
struct stray {
	char id[STORE_ID_MAX], parent[STORE_ID_MAX];
	bool kept; /* it is put aside */
};

struct strays {
	struct box_state *state;
	struct stray *list; /* owned */
	size_t n;
	struct aisbx_error *e;
};

static void strays_finish(struct strays *s)
{
	free(s->list);
}

/* It has a row, or somebody is making it. When in doubt it has. */
static bool is_known(struct strays *s, const char *id)
{
	scoped(drop_mem) char *path = path_join(s->state->layers, id);
	scoped(drop_fd) int fd = -1;
	bool exists = true;

	store_layer_exists(s->state->store, id, &exists, s->e);
	if (exists || !path)
		return true;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) < 0;
}

/*
 * Whether there is anything in it that somebody may want back. An image on its way, whose layers are still
 * drafts, is brought again by who wants it: it never was there.
 */
static bool is_worth(const struct box_state *s, const char *id, char ret_parent[STORE_ID_MAX])
{
	scoped(drop_mem) char *manifest = NULL;
	scoped(drop_mem) char *draft = NULL;
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	struct store_told told;
	bool empty = false;

	if (asprintf(&manifest, "%s/%s/manifest", s->layers, id) < 0 ||
	    asprintf(&draft, "%s/%s/" BOX_DRAFT, s->layers, id) < 0)
		return true;
	if (store_manifest_read(manifest, &told) == 0) {
		memcpy(ret_parent, told.parent, STORE_ID_MAX);
		return told.named && !(told.only_image && access(draft, F_OK) == 0);
	}
	if (access(draft, F_OK) == 0)
		return false;
	return layer_is_empty(s->layers, id, NULL, &empty, &ignored) < 0 || !empty;
}

static int add(struct strays *s, const char *id)
{
	struct stray *grown = realloc(s->list, (s->n + 1) * sizeof(*grown));

	if (!grown)
		return aisbx_fail(s->e, AISBX_AREA_BOX, ENOMEM, "search for layers without a record");
	s->list = grown;
	grown[s->n] = (struct stray){ 0 };
	snprintf(grown[s->n].id, sizeof(grown[s->n].id), "%s", id);
	grown[s->n].kept = is_worth(s->state, id, grown[s->n].parent);
	s->n++;
	return 0;
}

static int find(struct strays *s)
{
	scoped(drop_dir) DIR *d = opendir(s->state->layers);
	struct dirent *entry;
	int r = 0;

	if (!d)
		return errno == ENOENT
			       ? 0
			       : aisbx_fail(s->e, AISBX_AREA_BOX, errno, "list '%s'", s->state->layers);
	while (r == 0 && (entry = dir_next(d, &r)))
		if (entry->d_name[0] != '.' && strlen(entry->d_name) < STORE_ID_MAX &&
		    !is_known(s, entry->d_name))
			r = add(s, entry->d_name);
	if (r == 0 && s->e->code)
		r = s->e->code;
	return r < 0 && !s->e->code ? aisbx_fail(s->e, AISBX_AREA_BOX, -r, "list '%s'", s->state->layers) : r;
}

/* What one that is kept stands on is kept with it. */
static void keep_ground(struct strays *s)
{
	for (bool more = true; more;) {
		more = false;
		for (size_t i = 0; i < s->n; i++)
			for (size_t j = 0; s->list[i].kept && j < s->n; j++)
				if (!s->list[j].kept && !strcmp(s->list[j].id, s->list[i].parent))
					s->list[j].kept = more = true;
	}
}

static bool is_not_buried(void *ctx, const char *id)
{
	const struct strays *s = ctx;

	for (size_t i = 0; i < s->n; i++)
		if (!strcmp(s->list[i].id, id))
			return s->list[i].kept;
	return true;
}

int box_orphans_layers(struct box_orphans *l, struct box_state *state, struct aisbx_error *e)
{
	scoped(strays_finish) struct strays s = { .state = state, .e = e };
	int r = find(&s);

	if (r < 0)
		return r;
	keep_ground(&s);
	for (size_t i = 0; r == 0 && i < s.n; i++)
		if (s.list[i].kept)
			r = box_orphans_put(l, "layers", s.list[i].id, e);
	return r < 0 ? r : layer_bury(state->layers, is_not_buried, &s, e);
}

int box_orphans_count(struct box_state *state, size_t *ret, struct aisbx_error *e)
{
	scoped(strays_finish) struct strays s = { .state = state, .e = e };
	int r = find(&s);

	*ret = 0;
	keep_ground(&s);
	for (size_t i = 0; r == 0 && i < s.n; i++)
		*ret += s.list[i].kept;
	return r;
}

/* Calls ACT with each batch. */
static int each_batch(const char *state,
		      int (*act)(void *ctx, const char *lost, const char *batch, struct aisbx_error *e),
		      void *ctx, struct aisbx_error *e)
{
	scoped(drop_mem) char *lost = path_join(state, "lost");
	scoped(drop_dir) DIR *d = lost ? opendir(lost) : NULL;
	struct dirent *entry;
	int r = 0;

	if (!d)
		return !lost || errno != ENOENT
			       ? aisbx_fail(e, AISBX_AREA_BOX, lost ? errno : ENOMEM, "list '%s/lost'", state)
			       : 0;
	while (r == 0 && (entry = dir_next(d, &r)))
		if (entry->d_name[0] != '.')
			r = act(ctx, lost, entry->d_name, e);
	return r < 0 && !e->code ? aisbx_fail(e, AISBX_AREA_BOX, -r, "list '%s'", lost) : r;
}

struct sweep {
	size_t removed, kept;
};

static int sweep(void *ctx, const char *lost, const char *batch, struct aisbx_error *e)
{
	struct sweep *s = ctx;
	scoped(drop_mem) char *path = path_join(lost, batch);
	struct stat st;

	if (!path || lstat(path, &st) < 0)
		return path ? 0 : aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "inspect 'lost'");
	if (st.st_mtim.tv_sec + KEEP_S > time(NULL)) {
		s->kept++;
		return 0;
	}
	s->removed++;
	return layer_remove(lost, batch, e);
}

int box_orphans_sweep(const char *state, size_t *ret_removed, size_t *ret_kept, struct aisbx_error *e)
{
	scoped(drop_mem) char *lost = path_join(state, "lost");
	struct sweep s = { 0 };
	size_t cut_off = 0;
	int r = each_batch(state, sweep, &s, e);

	*ret_removed = s.removed;
	*ret_kept = s.kept;
	return r < 0 || !lost ? r : layer_sweep(lost, &cut_off, e);
}

static int move_back(const char *from, const char *to, struct aisbx_error *e)
{
	scoped(drop_dir) DIR *d = opendir(from);
	struct dirent *entry;
	int r = 0;

	if (!d)
		return errno == ENOENT ? 0 : aisbx_fail(e, AISBX_AREA_BOX, errno, "list '%s'", from);
	if (mkdir(to, 0711) < 0 && errno != EEXIST)
		return aisbx_fail(e, AISBX_AREA_BOX, errno, "make '%s'", to);
	while (r == 0 && (entry = dir_next(d, &r))) {
		scoped(drop_mem) char *old = path_join(from, entry->d_name);
		scoped(drop_mem) char *new = path_join(to, entry->d_name);

		if (!old || !new)
			r = -ENOMEM;
		else if (faccessat(AT_FDCWD, new, F_OK, AT_SYMLINK_NOFOLLOW) < 0 && rename(old, new) < 0)
			r = -errno;
	}
	return r < 0 ? aisbx_fail(e, AISBX_AREA_BOX, -r, "restore what is in '%s'", from) : 0;
}

static int give_back(void *ctx, const char *lost, const char *batch, struct aisbx_error *e)
{
	const char *state = ctx;
	scoped(drop_mem) char *path = path_join(lost, batch);
	int r = path ? 0 : aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "restore what was moved to 'lost'");

	for (size_t i = 0; r == 0 && i < sizeof(places) / sizeof(*places); i++) {
		scoped(drop_mem) char *from = path_join(path, places[i]);
		scoped(drop_mem) char *to = path_join(state, places[i]);

		r = from && to ? move_back(from, to, e)
			       : aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "restore what was moved to 'lost'");
		if (r == 0)
			rmdir(from); /* what stays in it has another of its name */
	}
	if (r == 0)
		rmdir(path);
	return r;
}

int box_orphans_return(const char *state, struct aisbx_error *e)
{
	scoped(drop_mem) char *given = strdup(state);

	return given ? each_batch(state, give_back, given, e)
		     : aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "restore what was moved to 'lost'");
}
