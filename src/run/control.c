/* SPDX-License-Identifier: Apache-2.0 */
/* Requests about one run: the supervisor's answers, and the client. Requests about its box are in live.c. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/error.h"
#include "base/log.h"
#include "base/scope.h"
#include "base/time.h"
#include "run/internal.h"
#include "sys/sys.h"

static enum run_state state_of(const struct run *r)
{
	if (!r->going)
		return RUN_STARTING;
	if (r->ended)
		return RUN_ENDING;
	return r->live.paused ? RUN_PAUSED : RUN_RUNNING;
}

/* What only pid 1 sees comes a moment later: who wants it new asks twice. */
static void tell_status(struct run *r, struct run_status *s)
{
	watch_refresh(&r->watch);
	if (r->going && !r->joined && !r->measuring && r->control >= 0)
		r->measuring = run_say(r, JAIL_MEASURE, 0) == 0;
	*s = (struct run_status){ .pid = getpid(),
				  .init = r->init,
				  .state = state_of(r),
				  .joined = r->joined,
				  .wall_us = time_us() - r->started_us,
				  .timeout_ms = r->spec->limits.held[LIMIT_WALL_TIME],
				  .usage = r->watch.usage };
	for (int i = 0; i < 2; i++) {
		const struct stream *out = &r->streams[OUT + i];

		s->output[i] = out->passed + out->tail_len + out->dropped;
		s->cut[i] = out->dropped;
	}
}

/* These mean the end; after others the command decides for itself, and its end is its own. */
static bool means_end(int sig)
{
	return sig == SIGHUP || sig == SIGINT || sig == SIGQUIT || sig == SIGTERM;
}

static void pass_signal(struct run *r, int sig, struct aisbx_error *e)
{
	if (sig <= 0 || sig >= NSIG) {
		aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL, "there is no signal %d", sig);
	} else if (r->ended) {
		aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_RUN, ESRCH, "the command has ended");
	} else if (sig == SIGKILL || (!r->going && means_end(sig))) {
		run_end_now(r, sig);
	} else if (!r->going) {
		aisbx_refuse(e, AISBX_KIND_BUSY, AISBX_AREA_RUN, EAGAIN, "the run is starting");
	} else {
		if (means_end(sig))
			r->out.interrupted_by = sig;
		run_say(r, JAIL_SIGNAL, sig);
	}
}

/* What they write is typed there; they have it without us. Its end is a key, too. */
static void give_terminal(const struct run *r, bool close_it, int *ret_fd)
{
	struct termios now;
	char end = 4;

	if (!close_it) {
		*ret_fd = r->terminal.box;
		return;
	}
	if (tcgetattr(r->terminal.box, &now) == 0 && now.c_cc[VEOF])
		end = (char)now.c_cc[VEOF];
	if (write(r->terminal.box, &end, 1) < 0)
		log_debug("end the input of a terminal: %s", strerror(errno));
}

static void give_input(struct run *r, bool close_it, int *ret_fd, struct aisbx_error *e)
{
	if (r->spec->io.tty && r->spec->io.keep_input && r->terminal.box >= 0)
		give_terminal(r, close_it, ret_fd);
	else if (!r->spec->io.keep_input)
		aisbx_refuse(e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_RUN, EOPNOTSUPP,
			     "the command's input cannot be written by others; 'aisbx run --detach -i' "
			     "starts a run whose input can");
	else if (r->feed < 0)
		aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_RUN, EPIPE, "the command's input is closed");
	else if (close_it)
		close_fd(&r->feed);
	else
		*ret_fd = r->feed;
}

/* The network of the box: changed without a gap, for whoever is in it. */
static void change_network(struct run *r, const struct live_message *m, const char *text,
			   struct live_reply *ret)
{
	static const struct run_net none = { 0 };
	struct aisbx_error *e = &ret->m->error;

	if (r->joined)
		aisbx_refuse(e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_RUN, EOPNOTSUPP,
			     "the run joined the box of another run; give that run, or the box");
	else if (!r->going || !r->init)
		aisbx_refuse(e, AISBX_KIND_BUSY, AISBX_AREA_RUN, EAGAIN, "the run is starting or ending");
	else if (!(r->order.walls & WALL_BIT(NET)))
		aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_RUN, EINVAL,
			     "the box runs without the wall 'net': it uses the network of the host");
	else if ((m->value == RUN_NET_ALLOW && r->spec->net.no_rules) ||
		 (m->value == RUN_NET_PUBLISH && r->spec->net.no_ports))
		aisbx_refuse(e, AISBX_KIND_DENIED, AISBX_AREA_POLICY, EACCES,
			     "the policy of the image that the box stands on does not leave it this network");
	else if (r->network.up || m->value == RUN_NET_LIST || run_network_begin(r, &none, e) == 0)
		network_change(&r->network, (enum run_net_ask)m->value, text, ret->text, LIVE_MAX_TEXT, e);
}

void run_control(void *ctx, const struct live_message *m, const char *text, struct live_reply *ret)
{
	struct run *r = ctx;
	struct live_message *answer = ret->m;

	switch ((enum live_word)m->word) {
	case LIVE_STATUS:
		tell_status(r, &answer->status);
		break;
	case LIVE_SIGNAL:
		pass_signal(r, m->value, &answer->error);
		break;
	case LIVE_END:
		run_end_now(r, SIGKILL);
		break;
	case LIVE_INPUT:
	case LIVE_CLOSE_INPUT:
		give_input(r, m->word == LIVE_CLOSE_INPUT, &ret->fd, &answer->error);
		break;
	case LIVE_NET:
		change_network(r, m, text, ret);
		break;
	case LIVE_JOIN:
	case LIVE_FREEZE:
	case LIVE_PAUSE:
	case LIVE_RESUME:
	case LIVE_ANSWER:
	default:
		aisbx_refuse(&answer->error, AISBX_KIND_INTERNAL, AISBX_AREA_RUN, EPROTO,
			     "the run does not know that request");
	}
}

static int ask(int fd, enum live_word word, int value, int patience_ms, struct live_message *ret,
	       char **ret_text, int *ret_fd, struct aisbx_error *e)
{
	const struct live_message m = { .word = word, .version = LIVE_VERSION, .value = value };
	const struct live_question q = { .m = &m, .patience_ms = patience_ms };

	return live_ask(fd, &q, ret, ret_text, ret_fd, e);
}

int run_send_status(int live_fd, struct aisbx_error *e)
{
	const struct live_message m = { .word = LIVE_STATUS, .version = LIVE_VERSION };
	const struct live_question q = { .m = &m };

	return live_send(live_fd, &q, e);
}

int run_hear_status(int live_fd, int patience_ms, struct run_status *ret, char **ret_about,
		    struct aisbx_error *e)
{
	struct live_message got;
	int r = live_hear(live_fd, patience_ms, &got, ret_about, NULL, e);

	if (r == 0)
		*ret = got.status;
	return r;
}

int run_ask_status(int live_fd, struct run_status *ret, char **ret_about, struct aisbx_error *e)
{
	int r = run_send_status(live_fd, e);

	return r < 0 ? r : run_hear_status(live_fd, LIVE_STATUS_MS, ret, ret_about, e);
}

/* It answers after its process was opened: so that is not another that got its number. */
int run_ask_watch(int live_fd, int *ret_pidfd, struct run_status *ret, struct aisbx_error *e)
{
	scoped(drop_fd) int pidfd = -1;
	struct ucred peer;
	socklen_t len = sizeof(peer);
	int r;

	if (getsockopt(live_fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) < 0)
		return aisbx_fail(e, AISBX_AREA_RUN, errno, "find the supervisor of the run");
	pidfd = sys_pidfd_open(peer.pid);
	if (pidfd < 0)
		return aisbx_fail(e, AISBX_AREA_RUN, -pidfd == ESRCH ? ESTALE : -pidfd,
				  "watch the supervisor of the run");
	r = run_ask_status(live_fd, ret, NULL, e);
	if (r == 0)
		*ret_pidfd = take_fd(&pidfd);
	return r;
}

int run_ask_signal(int live_fd, int sig, struct aisbx_error *e)
{
	struct live_message got;

	return ask(live_fd, LIVE_SIGNAL, sig, LIVE_STATUS_MS, &got, NULL, NULL, e);
}

int run_ask_end(int live_fd, struct aisbx_error *e)
{
	struct live_message got;

	return ask(live_fd, LIVE_END, 0, LIVE_STATUS_MS, &got, NULL, NULL, e);
}

int run_ask_pause(int live_fd, bool on, struct aisbx_error *e)
{
	struct live_message got;

	return ask(live_fd, on ? LIVE_PAUSE : LIVE_RESUME, 0, LIVE_ANSWER_MS, &got, NULL, NULL, e);
}

int run_ask_input(int live_fd, bool close_it, int *ret_fd, struct aisbx_error *e)
{
	struct live_message got;

	*ret_fd = -1;
	return ask(live_fd, close_it ? LIVE_CLOSE_INPUT : LIVE_INPUT, 0, LIVE_STATUS_MS, &got, NULL, ret_fd,
		   e);
}

int run_ask_net(int live_fd, enum run_net_ask what, const char *text, char **ret_text, struct aisbx_error *e)
{
	const struct live_message m = { .word = LIVE_NET, .version = LIVE_VERSION, .value = what };
	const struct live_question q = {
		.m = &m, .text = text, .text_len = text ? strlen(text) + 1 : 0, .patience_ms = LIVE_ANSWER_MS
	};
	struct live_message got;

	return live_ask(live_fd, &q, &got, ret_text, NULL, e);
}
