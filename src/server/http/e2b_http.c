/* SPDX-License-Identifier: Apache-2.0 */
/* What server/e2b needs of this machine: a directory to remember sandboxes, one that they clone as their
 * home. */
#include "server/http/e2b_http.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "box/box.h"

extern char **environ;

struct e2b_http {
	struct e2b *e2b;
	char *state, *home; /* owned */
};

static const struct e2b_wire wire = {
	.method = exchange_method,
	.path = exchange_path,
	.header = exchange_header,
	.query = exchange_query,
	.body = exchange_body,
	.known_token = exchange_known_token,
	.token = exchange_token,
	.set_token = exchange_set_token,
	.on_end = exchange_on_end,
	.add_header = exchange_add_header,
	.reply = exchange_reply,
	.begin = exchange_begin,
	.send = exchange_send,
	.waiting = exchange_waiting,
	.end = exchange_end,
};

/* DIR/A/B, of which only this user has anything. Heap. */
static char *make_dirs(const char *dir, const char *a, const char *b, struct aisbx_error *e)
{
	scoped(drop_mem) char *first = path_join(dir, a);
	scoped(drop_mem) char *second = first ? path_join(first, b) : NULL;

	if (!second) {
		aisbx_fail(e, AISBX_AREA_SYS, ENOMEM, "make a directory in '%s'", dir);
		return NULL;
	}
	if ((mkdir(first, 0700) < 0 && errno != EEXIST) || (mkdir(second, 0700) < 0 && errno != EEXIST)) {
		aisbx_fail(e, AISBX_AREA_SYS, errno, "make '%s'", second);
		return NULL;
	}
	return take_mem(&second);
}

/* Empty, and outside of the state directory, which no box sees. */
static char *make_home(struct aisbx_error *e)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	scoped(drop_mem) char *dir = cache && *cache == '/' ? strdup(cache)
				     : home                 ? path_join(home, ".cache")
							    : NULL;

	if (!dir) {
		aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, ENOENT,
			     "there is no place for the home of sandboxes; set HOME or XDG_CACHE_HOME");
		return NULL;
	}
	if (mkdir(dir, 0700) < 0 && errno != EEXIST) {
		aisbx_fail(e, AISBX_AREA_SYS, errno, "make '%s'", dir);
		return NULL;
	}
	return make_dirs(dir, "aisbx-e2b", "user", e);
}

int e2b_http_open(struct loop *l, const json_t *args, struct e2b_http **ret_http, struct aisbx_error *e)
{
	scoped(drop_mem) char *state = box_state_dir(e);
	struct e2b_http *h = state ? calloc(1, sizeof(*h)) : NULL;
	int r;

	if (!h)
		return state ? aisbx_fail(e, AISBX_AREA_SYS, ENOMEM, "serve sandboxes") : e->code;
	*ret_http = h;
	r = store_make_dirs(state, e);
	if (r == 0 && !(h->state = make_dirs(state, "serve", "e2b", e)))
		r = e->code;
	if (r == 0 && !(h->home = make_home(e)))
		r = e->code;
	if (r == 0) {
		const struct e2b_how how = { .wire = &wire,
					     .state = h->state,
					     .home = h->home,
					     .env = (const char *const *)environ,
					     .net = json_object_get(args, "net"),
					     .profile = json_string_value(json_object_get(args, "profile")),
					     .share = json_is_true(json_object_get(args, "share")) };

		r = e2b_open(l, &how, &h->e2b, e);
	}
	return r;
}

enum http_admit e2b_http_admit(struct e2b_http *h, struct exchange *x, size_t *ret_max_body)
{
	switch (e2b_admit(h->e2b, x, ret_max_body)) {
	case E2B_MINE:
		return HTTP_MINE;
	case E2B_REFUSED:
		return HTTP_REFUSED;
	case E2B_NOT_MINE:
		break;
	}
	return HTTP_NOT_MINE;
}

void e2b_http_request(struct e2b_http *h, struct exchange *x)
{
	e2b_request(h->e2b, x);
}

void e2b_http_stop(struct e2b_http *h, void (*stopped)(void *ctx), void *ctx)
{
	e2b_stop(h->e2b, stopped, ctx);
}

void e2b_http_close(struct e2b_http *h)
{
	if (!h)
		return;
	e2b_close(h->e2b);
	free(h->state);
	free(h->home);
	free(h);
}
