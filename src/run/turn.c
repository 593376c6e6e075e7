/* SPDX-License-Identifier: Apache-2.0 */
/* Waits for a run's turn, and answers meanwhile who asks for it. */
#include "run/turn.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"
#include "base/time.h"
#include "run/live.h"

struct waiting {
	uint64_t since_us;
	bool ended; /* somebody wants that it never begins */
};

static bool means_end(int sig)
{
	return sig == SIGHUP || sig == SIGINT || sig == SIGQUIT || sig == SIGTERM || sig == SIGKILL;
}

static void attend(void *ctx, const struct live_message *m, const char *text, struct live_reply *ret)
{
	struct waiting *w = ctx;

	(void)text;
	if (m->word == LIVE_STATUS)
		ret->m->status = (struct run_status){ .pid = getpid(),
						      .state = RUN_WAITING,
						      .wall_us = time_us() - w->since_us };
	else if (m->word == LIVE_END || (m->word == LIVE_SIGNAL && means_end(m->value)))
		w->ended = true;
	else
		aisbx_refuse(&ret->m->error, AISBX_KIND_BUSY, AISBX_AREA_RUN, EAGAIN,
			     "the run waits for its turn");
}

static int listen_to_signals(sigset_t *old, int *ret_fd, struct aisbx_error *e)
{
	static const int ends[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM };
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		sigaddset(&set, ends[i]);
	sigprocmask(SIG_BLOCK, &set, old);
	*ret_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return *ret_fd < 0 ? aisbx_fail(e, AISBX_AREA_RUN, errno, "wait for signals") : 0;
}

static int wait_on(const struct run_turn *w, int signals, struct aisbx_error *e)
{
	struct waiting self = { .since_us = time_us() };
	struct pollfd polls[LIVE_POLLS + 1];
	struct signalfd_siginfo info;
	struct live live;
	int r = 0, ms = -1;

	live_init(&live);
	live.listeners[LIVE_RUN] = w->listener;
	live.walls = ""; /* none yet */
	live.about = w->about;
	live.attend = attend;
	live.attend_ctx = &self;
	while (r == 0 && !self.ended) {
		r = w->look(w->ctx, &ms, e);
		if (r != 0)
			break;
		live_poll(&live, false, polls);
		polls[LIVE_POLLS] = (struct pollfd){ .fd = signals, .events = POLLIN };
		poll(polls, LIVE_POLLS + 1, ms);
		live_turn(&live, false, polls, -1);
		self.ended = self.ended || read(signals, &info, sizeof(info)) == sizeof(info);
	}
	live_finish(&live);
	if (r == 0)
		r = aisbx_refuse(e, AISBX_KIND_CANCELLED, AISBX_AREA_RUN, ECANCELED,
				 "the run was ended while it waited for its turn; nothing was run");
	return r < 0 ? r : 0;
}

int run_await_turn(const struct run_turn *w, struct aisbx_error *e)
{
	scoped(drop_fd) int signals = -1;
	sigset_t old;
	int r = listen_to_signals(&old, &signals, e);

	if (r == 0)
		r = wait_on(w, signals, e);
	sigprocmask(SIG_SETMASK, &old, NULL);
	return r;
}
