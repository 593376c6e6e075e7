/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes copies of projects, and finds the one in effect: layers/pin-ID/pin/up, with its time in
 * layers/pin-ID/pin/since.
 */
#include "box/pin.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "box/point.h"
#include "layer/layer.h"

#define PREFIX "pin-" /* of the ids of such layers: a row alone tells, whatever became of the directory */

const struct store_layer *box_pin_of(const struct store_layer *chain, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strncmp(chain[i].id, PREFIX, strlen(PREFIX)))
			return &chain[i];
	return NULL;
}

int box_pin_host(const struct box_state *s, const struct store_layer *chain, size_t n, const char *project,
		 char **ret, bool *ret_pinned, struct aisbx_error *e)
{
	const struct store_layer *pin = box_pin_of(chain, n);
	scoped(drop_mem) char *host = NULL;

	if (ret_pinned)
		*ret_pinned = pin != NULL;
	if (pin ? asprintf(&host, "%s/%s/pin/up", s->layers, pin->id) < 0 : !(host = strdup(project))) {
		host = NULL;
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "find out what '%s' was", project);
	}
	if (pin && access(host, F_OK) < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, errno,
				  "find the copy of '%s' that the box is pinned to, '%s'", project, host);
	*ret = take_mem(&host);
	return 0;
}

static int write_since(const char *tree, const struct timespec *t, struct aisbx_error *e)
{
	scoped(drop_mem) char *file = path_join(tree, "since");
	scoped(drop_fd) int fd = file ? open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600) : -1;
	int r = fd < 0 || dprintf(fd, "%lld.%09ld\n", (long long)t->tv_sec, t->tv_nsec) < 0 ? -errno : 0;

	if (r == 0 && fsync(fd) < 0)
		r = -errno;
	return r < 0 ? aisbx_fail(e, AISBX_AREA_BOX, file ? -r : ENOMEM, "record when '%s' was made", tree)
		     : 0;
}

int box_pin_since(const char *host, struct timespec *ret, struct aisbx_error *e)
{
	scoped(drop_mem) char *file = NULL;
	scoped(drop_file) FILE *f = NULL;
	long long s;
	long ns;

	if (asprintf(&file, "%s/../since", host) < 0)
		file = NULL;
	f = file ? fopen(file, "re") : NULL;
	if (!f || fscanf(f, "%lld.%ld", &s, &ns) != 2)
		return aisbx_fail(e, AISBX_AREA_BOX, f ? EBADMSG : errno, "read when '%s' was made", host);
	*ret = (struct timespec){ s, ns };
	return 0;
}

int box_pinned_ms(struct box_state *s, const struct store_box *b, int64_t *ret, struct aisbx_error *e)
{
	scoped(drop_mem) struct store_layer *chain = NULL;
	scoped(drop_mem) char *host = NULL;
	struct timespec since = { 0 };
	bool pinned = false;
	size_t n = 0;
	int r = store_layer_chain(s->store, b->top, &chain, &n, e);

	*ret = 0;
	if (r == 0 && b->project)
		r = box_pin_host(s, chain, n, b->project, &host, &pinned, e);
	if (r < 0 || !pinned)
		return r;
	r = box_pin_since(host, &since, e);
	if (r == 0)
		*ret = since.tv_sec * 1000 + since.tv_nsec / 1000000;
	return r;
}

/* Who is asked to end while he copies takes the copy away first. */
static const int ends[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };

static bool is_ended(void)
{
	sigset_t waiting;

	if (sigpending(&waiting) < 0)
		return false;
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		if (sigismember(&waiting, ends[i]) == 1)
			return true;
	return false;
}

static int fill(struct box_state *s, const char *project, const struct pin_how *how, struct box_pin *p,
		struct aisbx_error *e)
{
	scoped(drop_mem) char *tree = NULL;
	scoped(drop_mem) char *up = NULL;
	int r;

	if (asprintf(&tree, "%s/%s/pin", s->layers, p->id) < 0 ||
	    asprintf(&up, "%s/%s/pin/up", s->layers, p->id) < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "pin '%s'", project);
	/* Passable, as all directories of layers: a box's root is not the host's. */
	if (mkdir(tree, 0711) < 0 || mkdir(up, 0700) < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, errno, "make '%s'", up);
	r = pin_copy(project, up, how, &p->count, e);
	return r < 0 ? r : write_since(tree, &p->count.since, e);
}

int box_pin_make(struct box_state *s, const char *project, const struct pin_how *how, struct box_pin *ret,
		 struct aisbx_error *e)
{
	struct pin_how as_who = *how;
	struct box_pin p = BOX_PIN_INIT;
	sigset_t held, before;
	int r = box_check_place(s->dir, project, e);

	as_who.owners = driver_id_shift() != 0;
	as_who.stops = is_ended;
	sigemptyset(&held);
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		sigaddset(&held, ends[i]);
	sigprocmask(SIG_BLOCK, &held, &before);
	if (r == 0)
		r = box_reserve_layer_as(s, PREFIX, p.id, &p.lock, e);
	if (r == 0)
		r = fill(s, project, &as_who, &p, e);
	if (r < 0)
		box_pin_finish(s, &p, false);
	sigprocmask(SIG_SETMASK, &before, NULL); /* one that waits ends us here */
	if (r < 0)
		return aisbx_context(e, "the project could not be pinned");
	*ret = p;
	return 0;
}

void box_pin_finish(struct box_state *s, struct box_pin *p, bool kept)
{
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	bool exists = true;

	/* What failed may have been the sync behind the commit: then it has its row, and the box stands on
	 * it. */
	if (p->id[0] && !kept && store_layer_exists(s->store, p->id, &exists, &ignored) == 0 && !exists)
		layer_remove(s->layers, p->id, &ignored); /* if not now, then by gc */
	close_fd(&p->lock);
	p->id[0] = '\0';
}

/* Before anything is copied. */
static int check(struct box_state *s, const struct store_box *b, const char *name, struct aisbx_error *e)
{
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	struct store_snapshot old;
	int64_t pinned_ms;
	int r = name ? box_check_name(name, e) : 0;

	if (r == 0 && !b->project)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EINVAL,
				    "box '%s' has no project to pin", b->name);
	if (r == 0 && name && store_snapshot_find(s->store, b->id, name, &old, &ignored) == 0)
		return aisbx_refuse(e, AISBX_KIND_EXISTS, AISBX_AREA_BOX, EEXIST,
				    "this box already has a snapshot '%s'", name);
	if (r == 0)
		r = box_pinned_ms(s, b, &pinned_ms, e);
	if (r == 0 && pinned_ms)
		return aisbx_refuse(e, AISBX_KIND_EXISTS, AISBX_AREA_BOX, EEXIST,
				    "box '%s' is pinned already, and so are its later snapshots; 'aisbx "
				    "create --pin' makes a box with a copy of the project as it is now",
				    b->name);
	return r;
}

int box_snapshot_pin(struct box_state *s, const struct store_box *b, const char *name,
		     const struct pin_how *how, struct pin_count *ret_count, struct store_snapshot *ret,
		     struct aisbx_error *e)
{
	scoped(store_box_finish) struct store_box now = { 0 };
	struct box_pin pin = BOX_PIN_INIT;
	scoped(drop_fd) int lock = -1;
	int r = box_try_lock(s, b, &lock, e);

	if (r == -EBUSY && !e->code)
		return aisbx_refuse(e, AISBX_KIND_BUSY, AISBX_AREA_BOX, EBUSY,
				    "box '%s' is in use, and its commands see the real project; pin it when "
				    "they have ended",
				    b->name);
	if (r == 0) /* read again: it may have moved until the lock was ours */
		r = store_box_find(s->store, b->id, &now, e);
	if (r == 0)
		r = check(s, &now, name, e);
	if (r == 0)
		r = box_settle(s, &now, e); /* against the real project, as long as the box stands on it */
	if (r == 0)
		r = box_pin_make(s, now.project, how, &pin, e);
	if (r == 0)
		r = box_snapshot_on(s, &now, name, pin.id, ret, e);
	*ret_count = pin.count;
	box_pin_finish(s, &pin, r == 0);
	return r;
}
