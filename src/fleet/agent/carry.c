/* SPDX-License-Identifier: Apache-2.0 */
/* What the process does that carries a tree: one thing, and one line of JSON about it. */
#include "fleet/agent/carry.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"
#include "box/travel.h"

struct work {
	struct content_place place;
	json_t *told; /* owned */
};

static int make_parent(const char *path, struct aisbx_error *e)
{
	scoped(drop_mem) char *dir = strdup(path);
	char *slash = dir ? strrchr(dir, '/') : NULL;

	if (!slash)
		return aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "make '%s'", path);
	*slash = '\0';
	return mkdir(dir, 0700) < 0 && errno != EEXIST
		       ? aisbx_fail(e, AISBX_AREA_RUN, errno, "make '%s'", dir)
		       : 0;
}

/* TREE, TO, BOXES */
static int fetch(struct work *w, char **words, struct aisbx_error *e)
{
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	int r = make_parent(words[1], e);

	box_remove_others(CARRY_BOX, words[2], &ignored); /* of jobs that a dead node left */
	return r == 0 ? content_fetch(&w->place, words[0], words[1], NULL, e) : r;
}

static int send_dir(void *ctx, const char *dir, struct aisbx_error *e)
{
	struct work *w = ctx;
	struct content_sent sent;
	int r = content_send(&w->place, dir, NULL, NULL, &sent, e);

	if (r == 0 && sent.entries > 1) {
		json_object_set_new(w->told, "tree", json_string(sent.tree));
		json_object_set_new(w->told, "entries", json_integer((json_int_t)sent.entries - 1));
		json_object_set_new(w->told, "bytes", json_integer((json_int_t)sent.bytes));
	}
	return r;
}

/* BOX */
static int send_box(struct work *w, char **words, struct aisbx_error *e)
{
	return box_send_changes(words[0], send_dir, w, e);
}

/* DIR */
static int remove_dir(struct work *w, char **words, struct aisbx_error *e)
{
	(void)w;
	return box_remove_dir(words[0], e);
}

static const struct errand {
	const char *name;
	int words;
	int (*run)(struct work *w, char **words, struct aisbx_error *e);
} errands[] = { { "fetch", 3, fetch }, { "send", 1, send_box }, { "remove", 1, remove_dir } };

/* WHAT, STORE, KEY, TENANT, CACHE, and what WHAT needs. */
static int act(char **words, struct work *w, struct aisbx_error *e)
{
	int n = 0;

	while (words[n])
		n++;
	for (size_t i = 0; n >= 5 && i < sizeof(errands) / sizeof(errands[0]); i++)
		if (!strcmp(errands[i].name, words[0]) && n == 5 + errands[i].words) {
			w->place = (struct content_place){ words[1], words[2], words[3], words[4] };
			return errands[i].run(w, words + 5, e);
		}
	return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
			    "this command is for 'aisbx fleet node' only");
}

int carry_main(char **words)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct work w = { .told = json_object() };
	sigset_t none;
	json_t *line;
	int r;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	r = act(words, &w, &e);
	line = r == 0 ? json_pack("{s:O}", "ok", w.told)
		      : json_pack("{s:{s:s, s:i, s:s%}}", "error", "kind", aisbx_kind_name(e.kind), "code", r,
				  "text", e.text, strlen(e.text));
	if (line)
		json_dumpf(line, stdout, JSON_COMPACT);
	fputc('\n', stdout);
	json_decref(line);
	json_decref(w.told);
	return fflush(stdout) == 0 && r == 0 ? 0 : 1;
}
