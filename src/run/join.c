/* SPDX-License-Identifier: Apache-2.0 */
/* A command in another run's live box, and stopping the processes of such a box. */
#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"
#include "run/internal.h"
#include "sys/sys.h"

/* Who keeps the command talks to us directly; the supervisor of the box only passes the other end on. */
static int knock(struct run *r, const struct jail_plan_order *order, int live_fd, int plan_fd,
		 struct aisbx_error *e)
{
	struct live_message m = { .word = LIVE_JOIN,
				  .version = LIVE_VERSION,
				  .timeout_ms = r->spec->limits.held[limit_of_time(r->spec->limits.held)],
				  .value = r->spec->io.watcher ? JAIL_JOIN_WATCHER : JAIL_JOIN_COMMAND };
	int child[3] = { -1, -1, -1 }, pair[2], err;

	err = sys_socketpair(SOCK_SEQPACKET, pair);
	if (err < 0)
		return aisbx_fail(e, AISBX_AREA_RUN, -err, "create the control socket");
	r->control = pair[0];
	err = run_open_pipes(r, order, child, e);
	if (err == 0) {
		const int fds[JAIL_JOIN_FDS + 1] = { pair[1],  plan_fd,  child[0],
						     child[1], child[2], r->known_secrets.fd };
		const struct live_question q = { .m = &m,
						 .text = r->spec->jail.walls,
						 .text_len = r->spec->jail.walls_len,
						 .fds = fds,
						 .n_fds = JAIL_JOIN_FDS + (r->known_secrets.fd >= 0),
						 .patience_ms = LIVE_ANSWER_MS };
		int known_secrets = -1;

		err = live_ask(live_fd, &q, &m, NULL, &known_secrets, e);
		if (err == 0) /* from now on all that the box has is known here, too */
			err = known_secrets_join(&r->known_secrets, known_secrets, e);
	}
	for (int i = 0; i < 3; i++)
		drop_fd(&child[i]);
	close(pair[1]);
	return err;
}

int run_join(const struct run_spec *spec, const struct jail_plan_order *order, int live_fd, int plan_fd,
	     struct run_outcome *ret_outcome, struct aisbx_error *e)
{
	struct run *r;
	int err = run_prepare(spec, &r, e);

	if (err < 0)
		return err;
	r->joined = true;
	err = knock(r, order, live_fd, plan_fd, e);
	if (err == 0) {
		run_loop(r);
		err = run_conclude(r, ret_outcome, e);
	}
	run_destroy(r);
	return err;
}

int run_freeze(int live_fd, struct aisbx_error *e)
{
	struct live_message m = { .word = LIVE_FREEZE, .version = LIVE_VERSION };
	const struct live_question q = { .m = &m, .patience_ms = LIVE_ANSWER_MS };

	return live_ask(live_fd, &q, &m, NULL, NULL, e);
}

/* While all is well the supervisor has nothing more to say. */
int run_is_frozen(int live_fd, struct aisbx_error *e)
{
	struct pollfd p = { .fd = live_fd, .events = POLLIN };
	struct live_message got;
	int none[SYS_MAX_FDS];

	if (poll(&p, 1, 0) == 0)
		return 0;
	if (sys_recv(live_fd, &got, sizeof(got), none, MSG_DONTWAIT) == sizeof(got) && got.error.code < 0) {
		got.error.text[sizeof(got.error.text) - 1] = '\0';
		*e = got.error;
		return e->code;
	}
	return aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_BOX, ESTALE, "the live box ended meanwhile");
}
