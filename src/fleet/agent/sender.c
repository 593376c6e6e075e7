/* SPDX-License-Identifier: Apache-2.0 */
/* Starts aisbx-outbox, which ends when its standard input does: so also when the node is killed. */
#include "fleet/agent/sender.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/program.h"
#include "base/scope.h"
#include "base/spawn.h"
#include "base/str.h"
#include "fleet/agent/agent.h"
#include "fleet/core/memory.h"

#define PAUSE_MS      1000
#define PAUSE_MOST_MS 60000
/* One that ran for so long was well. */
#define WELL_MS 60000
/* When the node ends it may take so long. */
#define END_MS 5000

struct sender {
	const struct fleet_options *o;
	const char *name, *dir;
	pid_t pid; /* 0: it does not run */
	int alive; /* owned; while it is open it runs */
	uint64_t since_ms, due_ms, pause_ms;
};

struct sender *sender_create(const struct fleet_options *o, const char *name, const char *dir)
{
	struct sender *s = fleet_new(sizeof(*s));

	s->o = o;
	s->name = name;
	s->dir = dir;
	s->alive = -1;
	s->pause_ms = PAUSE_MS;
	return s;
}

static void fill_words(const struct sender *s, struct strlist *words)
{
	strlist_add(words, "aisbx-outbox");
	strlist_addf(words, "--nats=%s", s->o->nats);
	strlist_addf(words, "--node=%s", s->name);
	if (s->o->creds)
		strlist_addf(words, "--creds=%s", s->o->creds);
	if (s->o->ca)
		strlist_addf(words, "--ca=%s", s->o->ca);
	strlist_addf(words, "--tenants=%s/tenants", s->dir);
	strlist_add(words, "--until-eof");
}

static int start(struct sender *s, struct aisbx_error *e)
{
	scoped(strlist_finish) struct strlist words = { 0 };
	scoped(strlist_finish) struct strlist env = { 0 };
	scoped(drop_fd) int program = -1, in = -1, alive = -1;
	struct spawn spawn;
	int pair[2], r = program_open("aisbx-outbox", &program, e);

	if (r < 0)
		return r;
	fill_words(s, &words);
	strlist_addf(&env, "HOME=%s", s->dir);
	strlist_add(&env, "LANG=C.UTF-8");
	if (words.failed || env.failed)
		fleet_out_of_memory();
	if (pipe2(pair, O_CLOEXEC) < 0)
		return -errno;
	in = pair[0];
	alive = pair[1];
	spawn = (struct spawn){ .exec_fd = program,
				.argv = (const char *const *)words.items,
				.env = (const char *const *)env.items,
				.fds = { in, STDERR_FILENO, STDERR_FILENO },
				.n_fds = 3 };
	r = spawn_start(&spawn, &s->pid, e);
	if (r == 0)
		s->alive = take_fd(&alive);
	return r;
}

static void try_later(struct sender *s, uint64_t now_ms)
{
	s->due_ms = now_ms + s->pause_ms;
	s->pause_ms = 2 * s->pause_ms < PAUSE_MOST_MS ? 2 * s->pause_ms : PAUSE_MOST_MS;
}

void sender_tick(struct sender *s, uint64_t now_ms)
{
	struct aisbx_error e = AISBX_ERROR_INIT;

	if (!s || s->pid || now_ms < s->due_ms)
		return;
	s->since_ms = now_ms;
	if (start(s, &e) == 0)
		return;
	s->pid = 0;
	agent_say("node %s: aisbx-outbox, which sends the history, does not start (%s); --no-history does "
		  "without",
		  s->name, e.text);
	try_later(s, now_ms);
}

uint64_t sender_next(const struct sender *s)
{
	return !s || s->pid ? UINT64_MAX : s->due_ms;
}

void sender_child_ended(struct sender *s, uint64_t now_ms)
{
	if (!s || !s->pid || waitpid(s->pid, NULL, WNOHANG) != s->pid)
		return;
	s->pid = 0;
	close_fd(&s->alive);
	if (now_ms - s->since_ms > WELL_MS)
		s->pause_ms = PAUSE_MS;
	agent_say("node %s: aisbx-outbox, which sends the history, has ended; it begins again in %llu s",
		  s->name, (unsigned long long)s->pause_ms / 1000);
	try_later(s, now_ms);
}

bool sender_runs(const struct sender *s)
{
	return s && s->pid;
}

void sender_destroy(struct sender *s)
{
	if (!s)
		return;
	close_fd(&s->alive);
	for (int i = 0; s->pid && i < END_MS / 10; i++) {
		if (waitpid(s->pid, NULL, WNOHANG) == s->pid)
			s->pid = 0;
		else
			poll(NULL, 0, 10);
	}
	if (s->pid) {
		kill(s->pid, SIGKILL);
		waitpid(s->pid, NULL, 0);
	}
	free(s);
}
