/* SPDX-License-Identifier: Apache-2.0 */
/* Starts a process for each branch, and waits for them. */
#include "fleet/client/spread.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/end_with.h"
#include "base/error.h"
#include "base/scope.h"
#include "base/time.h"
#include "fleet/agent/loop.h"
#include "fleet/client/spread_part.h"
#include "op/try_apart.h"

#define LONGEST ((size_t)4 << 20)
/* A signal is seen within this time. */
#define LOOK_MS 500
#define FAILED  125

static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
	interrupted = number;
}

static void spread_finish(struct spread *s)
{
	for (size_t i = 0; i < s->n; i++) {
		close_fd(&s->branches[i].from);
		buf_finish(&s->branches[i].text);
	}
	free(s->branches);
	json_decref(s->split);
	json_decref(s->reports);
}

static int read_request(struct spread *s, struct aisbx_error *e)
{
	int r = op_try_split(s->q->arguments, &s->split, e);
	const json_t *list = json_object_get(s->split, "branches");

	if (r < 0)
		return r;
	s->branches = calloc(json_array_size(list) + 1, sizeof(*s->branches));
	s->reports = json_array();
	if (!s->branches || !s->reports)
		return aisbx_fail(e, AISBX_AREA_USAGE, ENOMEM, "read the branches");
	for (; s->n < json_array_size(list); s->n++) {
		const json_t *branch = json_array_get(list, s->n);

		s->branches[s->n] =
			(struct spread_branch){ .name = json_string_value(json_object_get(branch, "name")),
						.arguments = json_object_get(branch, "arguments"),
						.from = -1 };
		json_array_append_new(s->reports, json_null());
	}
	s->most = (size_t)json_integer_value(json_object_get(s->split, "parallel"));
	s->most = s->most ? s->most : s->n;
	return 0;
}

/* The process of a branch: it cancels its job when this one ends. */
static void follow(struct spread *s, struct spread_branch *b, int out, pid_t parent)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	int r, nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);

	setpgid(0, 0); /* Ctrl-C is for the parent, who tells it once */
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0)
		_exit(FAILED);
	loop_block_signals();
	if (!end_with(parent, SIGINT))
		_exit(FAILED);
	r = s->q->run(s->q->ctx, b->arguments, &e);
	if (r < 0)
		fprintf(stderr, "aisbx: %s: %s\n", b->name, e.text);
	fflush(stdout);
	_exit(r < 0 ? FAILED : r);
}

static int start(struct spread *s, struct spread_branch *b, struct aisbx_error *e)
{
	const pid_t parent = getpid();
	int pair[2];

	if (pipe2(pair, O_CLOEXEC) < 0)
		return aisbx_fail(e, AISBX_AREA_RUN, errno, "start a branch");
	fflush(stdout);
	fflush(stderr);
	b->pid = fork();
	if (b->pid == 0)
		follow(s, b, pair[1], parent);
	close(pair[1]);
	b->from = pair[0];
	s->begun++;
	if (b->pid > 0)
		return 0;
	b->pid = 0;
	return aisbx_fail(e, AISBX_AREA_RUN, errno, "start a branch");
}

static void stop_all(struct spread *s)
{
	if (s->is_stopped)
		return;
	s->is_stopped = true;
	for (size_t i = 0; i < s->n; i++)
		if (s->branches[i].pid)
			kill(s->branches[i].pid, SIGINT);
}

/* Somebody who looks on hears of each end. */
static void tell(const struct spread *s, size_t i)
{
	const struct spread_branch *b = &s->branches[i];
	const json_t *report = json_array_get(s->reports, i);
	const char *state = json_string_value(json_object_get(report, "state")),
		   *why = json_string_value(json_object_get(report, "why"));

	if (!s->q->common.json && !s->q->common.quiet)
		fprintf(stderr, "aisbx: %s: %s%s%s%s%s\n", b->name, state ? state : "",
			*b->node ? " on " : "", b->node, why && *why ? ": " : "", why ? why : "");
}

static bool is_first(const struct spread *s)
{
	const char *mode = json_string_value(json_object_get(s->split, "mode"));

	return s->first && mode && !strcmp(mode, "first");
}

static void take_end(struct spread *s, struct spread_branch *b)
{
	const size_t i = (size_t)(b - s->branches);
	const char *why = interrupted ? "interrupted" : s->is_stopped ? "another was first" : NULL;

	close_fd(&b->from);
	while (b->pid && waitpid(b->pid, NULL, 0) < 0 && errno == EINTR)
		;
	b->pid = 0;
	s->ended++;
	if (spread_take_report(s, i, why) && !s->first)
		s->first = i + 1;
	tell(s, i);
	if (is_first(s))
		stop_all(s);
}

static void take_output(struct spread *s, struct spread_branch *b)
{
	char chunk[65536];
	ssize_t n = read(b->from, chunk, sizeof(chunk));

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n > 0 && b->text.len < LONGEST)
		buf_add(&b->text, chunk, (size_t)n);
	if (n <= 0)
		take_end(s, b);
}

/* Those that are not begun any more. */
static void skip_rest(struct spread *s)
{
	while (s->begun < s->n)
		take_end(s, &s->branches[s->begun++]);
}

static int attend(struct spread *s, struct aisbx_error *e)
{
	scoped(drop_mem) struct pollfd *fds = calloc(s->n, sizeof(*fds));
	int r = fds ? 0 : aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "attend to the branches");

	while (fds && r == 0 && s->ended < s->n) {
		while (r == 0 && !s->is_stopped && s->begun < s->n && s->begun - s->ended < s->most)
			r = start(s, &s->branches[s->begun], e);
		if (r < 0 || interrupted)
			stop_all(s);
		if (s->is_stopped)
			skip_rest(s);
		for (size_t i = 0; i < s->n; i++)
			fds[i] = (struct pollfd){ .fd = s->branches[i].from, .events = POLLIN };
		if (s->ended == s->n || poll(fds, s->n, LOOK_MS) < 0)
			continue;
		for (size_t i = 0; i < s->n; i++)
			if (fds[i].revents && s->branches[i].from >= 0)
				take_output(s, &s->branches[i]);
	}
	return r;
}

int client_spread(const struct spread_request *q, struct aisbx_error *e)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
	const struct sigaction catch = { .sa_handler = on_signal };
	scoped(spread_finish) struct spread s = { .q = q };
	const uint64_t begun = time_us();
	int r = read_request(&s, e);

	if (r < 0)
		return r;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		sigaction(numbers[i], &catch, NULL);
	r = attend(&s, e);
	s.signal = interrupted;
	return r == 0 ? spread_conclude(&s, (double)(time_us() - begun) / 1000, e) : r;
}
