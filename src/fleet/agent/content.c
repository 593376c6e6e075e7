/* SPDX-License-Identifier: Apache-2.0 */
/* Starts aisbx-content, which ends when this process does, and reads its one line. */
#include "fleet/agent/content.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/end_with.h"
#include "base/error.h"
#include "base/io.h"
#include "base/program.h"
#include "base/scope.h"

#define LONGEST ((size_t)64 << 10)

bool content_is_tree(const char *text)
{
	return text && strlen(text) == CONTENT_TREE - 1 &&
	       strspn(text, "0123456789abcdef") == CONTENT_TREE - 1;
}

static void become_content(int program, const struct strlist *words, int out, pid_t parent)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (!end_with(parent, SIGKILL) || dup2(out, STDOUT_FILENO) < 0)
		_exit(127);
	fexecve(program, words->items, environ);
	_exit(127);
}

/* Its line; a new reference. */
static int ask(const struct strlist *words, json_t **ret, struct aisbx_error *e)
{
	scoped(drop_fd) int program = -1, in = -1, out = -1;
	scoped(buf_finish) struct buf text = { 0 };
	const pid_t parent = getpid();
	int pair[2], r = program_open("aisbx-content", &program, e);
	pid_t pid;

	if (r < 0)
		return r;
	if (words->failed || pipe2(pair, O_CLOEXEC) < 0)
		return aisbx_fail(e, AISBX_AREA_RUN, words->failed ? ENOMEM : errno, "start aisbx-content");
	in = pair[0];
	out = pair[1];
	pid = fork();
	if (pid == 0)
		become_content(program, words, out, parent);
	if (pid < 0)
		return aisbx_fail(e, AISBX_AREA_RUN, errno, "start aisbx-content");
	close_fd(&out);
	r = io_read_all(in, LONGEST, &text);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	*ret = r == 0 ? json_loadb(text.data ? text.data : "", text.len, 0, NULL) : NULL;
	return *ret ? 0
		    : aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_RUN, EPROTO,
				   "aisbx-content was killed, or could not be started");
}

/* What it said as an error of our own. */
static int take_error(const json_t *error, struct aisbx_error *e)
{
	const char *text = json_string_value(json_object_get(error, "text"));
	const char *kind = json_string_value(json_object_get(error, "kind"));
	const json_int_t code = json_integer_value(json_object_get(error, "code"));
	enum aisbx_kind found = AISBX_KIND_INTERNAL;

	for (int k = 0; kind && k < AISBX_KIND_COUNT; k++)
		if (!strcmp(aisbx_kind_name(k), kind))
			found = (enum aisbx_kind)k;
	return aisbx_refuse(e, found, AISBX_AREA_LAYER, code < 0 && code > -4096 ? (int)-code : EIO, "%s",
			    text ? text : "aisbx-content does not say what is wrong");
}

static int call(struct strlist *words, const struct content_place *p, json_t **ret, struct aisbx_error *e)
{
	json_t *said = NULL;
	int r;

	strlist_add(words, "--tenant");
	strlist_add(words, p->tenant);
	strlist_add(words, "--key");
	strlist_add(words, p->key);
	if (p->cache) {
		strlist_add(words, "--cache");
		strlist_add(words, p->cache);
	}
	r = ask(words, &said, e);
	if (r == 0 && json_object_get(said, "error"))
		r = take_error(json_object_get(said, "error"), e);
	if (r == 0)
		*ret = json_incref(json_object_get(said, "ok"));
	json_decref(said);
	return r;
}

static uint64_t number(const json_t *said, const char *name)
{
	const json_int_t n = json_integer_value(json_object_get(said, name));

	return n > 0 ? (uint64_t)n : 0;
}

int content_send(const struct content_place *place, const char *dir, const struct strlist *over,
		 const struct strlist *without, struct content_sent *ret, struct aisbx_error *e)
{
	scoped(strlist_finish) struct strlist words = { 0 };
	const char *tree;
	json_t *said = NULL;
	int r;

	strlist_add(&words, "aisbx-content");
	strlist_add(&words, "push");
	strlist_add(&words, "--from");
	strlist_add(&words, dir);
	strlist_add(&words, "--to");
	strlist_add(&words, place->store);
	for (size_t i = 0; over && i < over->n; i++) {
		strlist_add(&words, "--over");
		strlist_add(&words, over->items[i]);
	}
	for (size_t i = 0; without && i < without->n; i++) {
		strlist_add(&words, "--without");
		strlist_add(&words, without->items[i]);
	}
	r = call(&words, place, &said, e);
	tree = json_string_value(json_object_get(said, "id"));
	if (r == 0 && !content_is_tree(tree))
		r = aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_RUN, EPROTO,
				 "aisbx-content does not say what it sent");
	if (r == 0) {
		*ret = (struct content_sent){ .entries = number(said, "entries"),
					      .bytes = number(said, "bytes"),
					      .sent = number(said, "sent") };
		memcpy(ret->tree, tree, CONTENT_TREE);
	}
	json_decref(said);
	return r;
}

int content_fetch(const struct content_place *place, const char *tree, const char *to, const char *layer,
		  struct aisbx_error *e)
{
	scoped(strlist_finish) struct strlist words = { 0 };
	json_t *said = NULL;
	int r;

	strlist_add(&words, "aisbx-content");
	strlist_add(&words, "pull");
	strlist_add(&words, tree);
	strlist_add(&words, "--from");
	strlist_add(&words, place->store);
	strlist_add(&words, "--to");
	strlist_add(&words, to);
	if (layer) {
		strlist_add(&words, "--layer");
		strlist_add(&words, layer);
	}
	r = call(&words, place, &said, e);
	json_decref(said);
	return r;
}
