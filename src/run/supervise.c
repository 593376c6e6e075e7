/* SPDX-License-Identifier: Apache-2.0 */
/* The supervisor's loop: control socket, streams, signals, violations and the deadline in one poll. */
#include "run/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/log.h"
#include "base/scope.h"
#include "base/time.h"
#include "run/refusals.h"
#include "sys/sys.h"

/* How long who was told to end a command may take: pid 1, and a keeper, whom pid 1 has an eye on. */
#define END_PATIENCE_MS  7000
#define JOIN_PATIENCE_MS 10000
/* Between one blow and the next. */
#define STRIKE_MS 20
/* How long pid 1 may take to show its namespaces. */
#define NAMESPACES_MS 5000

void run_outcome_finish(struct run_outcome *o)
{
	buf_finish(&o->output[0]);
	buf_finish(&o->output[1]);
	for (size_t i = 0; i < o->n_services; i++) {
		free(o->services[i].name);
		buf_finish(&o->services[i].tail);
	}
	free(o->services);
	free(o->failure);
	free(o->net);
}

/*
 * With pid 1 all others end; but first it has to run once more, and among thousands that run as well its turn
 * comes after seconds. So they are killed along with it, and again until it is gone: some may just have been
 * made.
 */
void run_kill_box(struct run *r)
{
	r->services.stopping = true; /* how they end now is our doing */
	if (!r->init)
		return;
	kill(r->init, SIGKILL); /* our child, not reaped: the pid is still its own */
	watch_kill(&r->watch);
	r->strike_ms = time_ms() + STRIKE_MS;
}

static void end(struct run *r, enum run_end how, int status)
{
	if (r->ended)
		return;
	r->ended = true;
	r->out.end = how;
	r->out.status = status;
}

int run_say(const struct run *r, enum jail_word word, int value)
{
	struct jail_message m = { .word = word, .value = value };

	return sys_send(r->control, &m, sizeof(m), NULL, 0);
}

/* Alone in its box a command ends with it; with others there, whoever keeps it does the work. */
static void end_command(struct run *r)
{
	if (!r->joined && (!r->live.any || r->alone)) {
		run_kill_box(r);
		return;
	}
	run_say(r, JAIL_END, 0);
	r->give_up_ms = time_ms() + (r->joined ? JOIN_PATIENCE_MS : END_PATIENCE_MS);
}

void run_end_now(struct run *r, int sig)
{
	if (r->alone) {
		run_kill_box(r); /* the command's own end is known; this is about the others */
		return;
	}
	end(r, RUN_INTERRUPTED, sig);
	end_command(r);
}

/* Who waits for the walls hears that they are up; false: it cannot be told, and there is no sense in going
 * on. */
static bool tell_up(struct run *r)
{
	const struct run_hooks *hooks = &r->spec->hooks;

	if (!hooks->up || hooks->up(hooks->up_ctx, &r->error) == 0)
		return true;
	snprintf(r->step, sizeof(r->step), "detach");
	return false;
}

static void on_control(struct run *r);

static bool wants_start(const struct run *r)
{
	return r->spec->hooks.started;
}

/* It waits for a word that will not come. */
static void give_up_start(struct run *r)
{
	run_kill_box(r);
	if (r->joined)
		close_fd(&r->control);
}

/* The one of the box to the person's; a detached one to the log, and to who attaches to it later. */
static void connect_terminal(struct run *r)
{
	const struct run_io *io = &r->spec->io;
	int master = take_fd(&r->tty), copy = fcntl(master, F_DUPFD_CLOEXEC, 3);
	struct stream *out = &r->streams[OUT];

	terminal_attach(&r->terminal, io->stdin_fd, master);
	if (r->terminal.person < 0 && io->rows)
		ioctl(master, TIOCSWINSZ, &(struct winsize){ .ws_row = io->rows, .ws_col = io->cols });
	stream_init(&r->streams[IN], io->stdin_fd < 0 ? -1 : fcntl(io->stdin_fd, F_DUPFD_CLOEXEC, 3), master,
		    NULL, UINT64_MAX);
	stream_init(out, copy, io->out_fds[0], &r->out.output[0],
		    io->uncut && r->terminal.person >= 0 && io->out_fds[0] >= 0
			    ? UINT64_MAX
			    : r->spec->limits.held[LIMIT_OUTPUT]);
	out->known_secrets = &r->known_secrets;
	out->keeps_last = true;
	out->at_terminal = true;
	out->log = io->log;
	out->which = RUNLOG_STDOUT;
	out->output_listener = io->output_listener;
	out->output_listener_ctx = io->output_listener_ctx;
}

/* The command stopped itself, or was stopped by a key: so do we, for the shell that waits for us. */
static void stop_with_command(struct run *r)
{
	if (r->terminal.person >= 0 || !r->spec->io.tty) { /* of a detached one nobody waits */
		terminal_suspend(&r->terminal);
		raise(SIGSTOP);
		terminal_resume(&r->terminal);
	}
	run_say(r, JAIL_SIGNAL, SIGCONT);
}

/* All is up that has to be up before the command. */
static void let_command_go(struct run *r)
{
	int err;

	r->going = r->services.going = true;
	if (r->tty >= 0) /* not before: until now Ctrl-C is for us */
		connect_terminal(r);
	err = tell_up(r) ? run_say(r, JAIL_GO, wants_start(r)) : -ECANCELED;
	if (err == -ECANCELED) {
		give_up_start(r);
	} else if (err < 0 && err != -EPIPE &&
		   err != -ECONNRESET) { /* it would wait for ever, and we for it */
		aisbx_fail(&r->error, AISBX_AREA_RUN, -err, "let the command start");
		snprintf(r->step, sizeof(r->step), "go");
		give_up_start(r);
	}
}

static void check_services(struct run *r)
{
	if (r->services.failure && !r->going) {
		end(r, RUN_SERVICE, 0);
		run_kill_box(r);
	} else if (!r->going && r->ready && !r->ended && services_ready(&r->services)) {
		let_command_go(r);
	}
	if (r->services.stop_until_ms && time_ms() >= r->services.stop_until_ms) {
		r->services.stop_until_ms = 0;
		run_kill_box(r);
	}
}

bool run_has_network(const struct run *r)
{
	return !r->joined && r->spec->box.purpose == RUN_COMMAND &&
	       (r->spec->profile.net > NET_LOOPBACK || r->spec->net.publish.n);
}

int run_network_begin(struct run *r, const struct run_net *net, struct aisbx_error *e)
{
	uint64_t until = time_ms() + NAMESPACES_MS;
	int err = run_say(r, JAIL_SHOW, 0);

	while (err == 0 && r->namespaces[1] < 0 && r->control >= 0 && time_ms() < until) {
		struct pollfd p = { .fd = r->control, .events = POLLIN };

		if (poll(&p, 1, (int)(until - time_ms())) > 0)
			on_control(r);
	}
	if (r->namespaces[1] < 0)
		return aisbx_fail(e, AISBX_AREA_RUN, err ? -err : EPROTO,
				  "ask pid 1 of the box for its namespaces");
	r->network.say_fd = r->spec->io.tty ? r->spec->io.out_fds[0] : r->spec->io.out_fds[1];
	r->network.raw = r->spec->io.tty;
	err = network_begin(&r->network, r->namespaces, &net->rules, net->ask ? NET_FLAG_ASK : 0, e);
	close_fd(&r->namespaces[0]);
	close_fd(&r->namespaces[1]);
	return err;
}

/* Before the services: they may need it, too. */
static int begin_network(struct run *r)
{
	const struct run_net *net = &r->spec->net;
	char text[32];
	int err = run_network_begin(r, net, &r->error);

	for (size_t i = 0; err == 0 && i < net->publish.n; i++)
		err = network_change(&r->network, RUN_NET_PUBLISH, net->publish.items[i], text, sizeof(text),
				     &r->error);
	if (err < 0)
		snprintf(r->step, sizeof(r->step), "network");
	return err;
}

/* The runtime is gone: what it needed is taken back. What stays of it is in the group, too. */
static int tighten(struct run *r)
{
	return r->joined ? 0
			 : cgroup_tighten(&r->watch.group, r->spec->jail.runtime->others,
					  r->spec->limits.held, &r->error);
}

static void box_ready(struct run *r, const struct jail_message *m, int *fds)
{
	struct box_side box = { .control = r->control, .walls = m->walls, .order = r->order };
	int next = 0;

	r->ready = true;
	agents_hide(&r->network.agents);
	r->out.walls = m->walls;
	r->out.caps = m->caps;
	r->out.files = m->files;
	r->out.files_soft = m->files_soft;
	r->out.file_size = m->file_size;
	if (m->fds & JAIL_FD_NOTIFY)
		r->notify = take_fd(&fds[next++]);
	if (m->fds & JAIL_FD_TTY)
		r->tty = take_fd(&fds[next++]);
	if (m->fds & JAIL_FD_PROC) {
		int proc = take_fd(&fds[next++]),
		    staging = m->fds & JAIL_FD_STAGING ? take_fd(&fds[next++]) : -1;

		watch_start(&r->watch, r->init, proc, staging,
			    m->fds & JAIL_FD_SYSV ? take_fd(&fds[next++]) : -1,
			    &(struct run_space){ .bytes = m->disk, .inodes = m->inodes });
	}
	for (; r->n_decoys < m->decoys && r->n_decoys < JAIL_PLAN_MAX_WATCHED; r->n_decoys++) {
		r->decoys[r->n_decoys] = take_fd(&fds[next++]);
		refusals_guard_decoy(r->decoys[r->n_decoys]);
	}
	if (r->spec->hooks.starting)
		r->spec->hooks.starting(r->spec->hooks.box_ctx);
	if (!r->joined && m->cpu_us > r->watch.spent_us) /* a runtime's, too */
		r->watch.spent_us = m->cpu_us;
	if (r->spec->jail.runtime && tighten(r) < 0) {
		snprintf(r->step, sizeof(r->step), "cgroup");
		give_up_start(r);
		return;
	}
	if (run_has_network(r) && begin_network(r) < 0) {
		give_up_start(r);
		return;
	}
	box.proc = r->watch.box.proc;
	services_begin(&r->services, &box);
	check_services(r);
}

/* Input the command did not read goes back, so that `while read l; do aisbx run ...; done <file` works. */
static void return_input(const struct run *r)
{
	const struct stream *in = &r->streams[IN];
	int unread = 0;

	if (r->input < 0)
		return;
	ioctl(r->input, FIONREAD, &unread);
	unread += (int)(in->len - in->at);
	if (unread > 0)
		lseek(r->spec->io.stdin_fd, -unread, SEEK_CUR);
}

static void stop_input(struct run *r)
{
	struct stream *in = &r->streams[IN];

	return_input(r);
	close_fd(&r->input);
	close_fd(&r->feed);
	stream_finish(in);
	in->at = in->len = 0;
}

/* The one line the supervisor itself has for a person: else the prompt would be missing without a reason. */
static void say_waiting(const struct run *r, uint32_t n)
{
	int fd = r->spec->io.out_fds[1];

	if (fd >= 0 && isatty(fd))
		dprintf(fd,
			"aisbx: the command has ended; %u that joined its box %s on (Ctrl-C ends the box)\n",
			n, n == 1 ? "goes" : "go");
}

static void stop_at(struct run *r, enum limit l)
{
	if (!r->ended)
		r->out.limit = l;
	end(r, RUN_STOPPED, 0);
}

/* Pid 1 keeps the deadline, too: where we were late on a busy machine, that is what ended the command. */
static bool was_overdue(const struct run *r, int status)
{
	return r->deadline_ms && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL &&
	       time_ms() >= r->deadline_ms;
}

static void command_exited(struct run *r, const struct jail_message *m)
{
	r->out.usage.disk = m->disk;
	r->out.usage.inodes = m->inodes;
	r->out.usage.refused_forks = m->full;
	r->made = m->made;
	if (was_overdue(r, m->value))
		stop_at(r, limit_of_time(r->spec->limits.held));
	else
		end(r, RUN_EXITED, m->value);
	if (r->spec->io.tty && r->out.end == RUN_EXITED && WIFSIGNALED(m->value) &&
	    WTERMSIG(m->value) == SIGINT) /* the key was pressed in the box's terminal, not in ours */
		r->out.interrupted_by = SIGINT;
	r->give_up_ms = 0;
	if (!r->joined && !m->joined && !r->services.n)
		return; /* the box ends with it; reaping pid 1 tells the rest */
	r->out.usage.cpu_us = m->cpu_us;
	r->out.usage.mem_peak = m->mem_peak;
	r->ended_us = time_us();
	if (r->joined)
		return;
	r->alone = true;
	r->others = m->joined;
	stop_input(r);
	terminal_restore(&r->terminal);
	if (r->others)
		say_waiting(r, m->joined);
}

/* Where nothing stays, nothing is worth waiting for. */
static void end_services(struct run *r)
{
	if (r->spec->jail.services_save && r->out.end == RUN_EXITED)
		services_stop(&r->services, r->deadline_ms);
	else
		run_kill_box(r);
}

static void jail_failed(struct run *r, const struct jail_message *m)
{
	if (r->error.code)
		return; /* what the other process of the jail failed for follows from the first */
	memcpy(r->step, m->step, sizeof(r->step));
	r->step[sizeof(r->step) - 1] = '\0';
	r->error = m->error;
	r->error.text[sizeof(r->error.text) - 1] = '\0';
	run_kill_box(r);
}

static void box_measured(struct run *r, const struct jail_message *m)
{
	r->measuring = false;
	if (r->spec->limits.disk) /* its tmpfs is the lesser part, and the watch knows the rest */
		return;
	r->watch.usage.disk = m->disk;
	r->watch.usage.inodes = m->inodes;
}

/* Said also after JAIL_EXEC_FAILED. */
static void command_started(struct run *r)
{
	if (!r->ended && wants_start(r))
		r->spec->hooks.started(r->spec->hooks.started_ctx);
	r->told_start = true;
}

/* Takes those of FDS that it needs. */
static void hear_jail(struct run *r, const struct jail_message *m, int *fds)
{
	switch ((enum jail_word)m->word) {
	case JAIL_BORN:
		r->init = m->value;
		if (r->ended) /* its end was decided before it was born */
			run_kill_box(r);
		break;
	case JAIL_FAILED:
		jail_failed(r, m);
		break;
	case JAIL_READY:
		box_ready(r, m, fds);
		break;
	case JAIL_EXEC_FAILED:
		end(r, RUN_EXEC_FAILED, m->value);
		break;
	case JAIL_STOPPED:
		stop_with_command(r);
		break;
	case JAIL_EXITED:
		command_exited(r, m);
		break;
	case JAIL_FROZEN:
		live_frozen(&r->live, m->value);
		break;
	case JAIL_MEASURED:
		box_measured(r, m);
		break;
	case JAIL_NAMESPACES:
		r->namespaces[0] = take_fd(&fds[0]);
		r->namespaces[1] = take_fd(&fds[1]);
		break;
	case JAIL_EMPTY:
		end_services(r);
		break;
	case JAIL_STARTED:
		command_started(r);
		break;
	case JAIL_ORDER:
	case JAIL_PLAN:
	case JAIL_GO:
	case JAIL_SIGNAL:
	case JAIL_SIGNAL_ALL:
	case JAIL_END:
	case JAIL_JOIN:
	case JAIL_FREEZE:
	case JAIL_THAW:
	case JAIL_MEASURE:
	case JAIL_SHOW:
		break; /* our own words */
	}
}

static void on_control(struct run *r)
{
	struct jail_message m;
	int fds[SYS_MAX_FDS];
	ssize_t n = sys_recv(r->control, &m, sizeof(m), fds, MSG_DONTWAIT);

	/* A jail that dies with our words unread resets the connection; its own last words
	 * come after that. */
	if (n == -EAGAIN || n == -ECONNRESET)
		return;
	if (n != sizeof(m)) { /* both ends of the jail are gone, or it speaks nonsense */
		close_fd(&r->control);
		return;
	}
	hear_jail(r, &m, fds);
	for (int i = 0; i < SYS_MAX_FDS; i++)
		drop_fd(&fds[i]);
}

static void reap(struct run *r)
{
	struct rusage usage;
	int status;

	if (r->jail && wait4(r->jail, &status, WNOHANG, NULL) == r->jail)
		r->jail = 0;
	if (r->init && wait4(r->init, &status, WNOHANG, &usage) == r->init) {
		r->init = 0;
		if (r->others)
			return; /* its numbers are everybody's; the command's own came with its end */
		r->out.usage.cpu_us =
			watch_net_us(&r->watch,
				     (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000u +
					     (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec));
		r->out.usage.mem_peak = (uint64_t)usage.ru_maxrss * 1024u;
	}
}

/* Job control without a terminal of the box's own: stop everybody inside, then ourselves. */
static void suspend(const struct run *r)
{
	run_say(r, JAIL_SIGNAL_ALL, SIGSTOP);
	raise(SIGSTOP);
	run_say(r, JAIL_SIGNAL_ALL, SIGCONT);
}

static void on_signal(struct run *r)
{
	struct signalfd_siginfo info;

	while (read(r->signals, &info, sizeof(info)) == sizeof(info)) {
		int sig = (int)info.ssi_signo;

		if (sig == SIGCHLD)
			continue;
		if (sig == DECOY_SIGNAL) {
			refusals_decoy_opened(r->decoys, r->n_decoys, info.ssi_fd, &r->out);
			continue;
		}
		if (sig == SIGWINCH) {
			terminal_resize(&r->terminal);
		} else if (sig == SIGTSTP) {
			suspend(r);
		} else if (r->alone || r->out.interrupted_by || !r->going) {
			if (!r->alone && !r->out.interrupted_by)
				r->out.interrupted_by = sig;
			run_end_now(r, sig); /* asked twice: no more patience */
		} else {
			r->out.interrupted_by = sig;
			run_say(r, JAIL_SIGNAL, sig);
		}
	}
}

static bool outputs_done(const struct run *r)
{
	return stream_done(&r->streams[OUT]) && stream_done(&r->streams[ERR]);
}

/* There is a box with a command in it, and it will be there for a while. */
static bool can_join(const struct run *r)
{
	return r->going && !r->services.stopping && r->init;
}

/* Nothing moves in the box. */
static bool is_still(const struct run *r)
{
	return r->live.freezer >= 0 || r->live.paused;
}

/* Milliseconds until the nearest of what has to be done at a time; -1: nothing has. */
static int wait_ms(const struct run *r)
{
	const uint64_t times[] = { r->ended ? 0 : r->deadline_ms,
				   r->give_up_ms,
				   live_due(&r->live, can_join(r)),
				   r->watch.next_ms,
				   services_due(&r->services, is_still(r)),
				   r->init ? r->strike_ms : 0,
				   r->streams[OUT].idle_ms };
	uint64_t now = time_ms(), next = UINT64_MAX;

	for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++)
		if (times[i] && times[i] < next)
			next = times[i];
	if (next == UINT64_MAX)
		return -1;
	return now >= next ? 0 : (int)(next - now < 1000000 ? next - now : 1000000);
}

static void check_time(struct run *r)
{
	uint64_t now = time_ms();

	if (r->deadline_ms && !r->ended && now >= r->deadline_ms) {
		stop_at(r, limit_of_time(r->spec->limits.held));
		end_command(r);
	}
	if (r->watch.next_ms && now >= r->watch.next_ms) {
		enum limit l = watch_look(&r->watch);

		if (l != LIMIT_COUNT) { /* of the box as a whole: it ends for everybody in it */
			stop_at(r, l);
			run_kill_box(r);
		}
	}
	if (r->strike_ms && now >= r->strike_ms)
		run_kill_box(r);
	if (r->give_up_ms && now >= r->give_up_ms) {
		r->give_up_ms = 0;
		run_kill_box(r);
		if (r->joined) /* the last we can do: a keeper ends its command when we are gone */
			close_fd(&r->control);
	}
}

/* While the person is asked, the terminal is theirs. */
static void lend_terminal(struct run *r)
{
	if (r->network.asker && !r->lent)
		terminal_suspend(&r->terminal);
	else if (!r->network.asker && r->lent)
		terminal_resume(&r->terminal);
	r->lent = r->network.asker;
}

static void attend_network(struct run *r, bool answered)
{
	if (answered)
		network_hear_person(&r->network);
	network_hear(&r->network);
}

/* What one turn waits for, in this order; then the live sockets and the services. */
enum {
	WAIT_JAIL,
	WAIT_SIGNALS,
	WAIT_NOTIFY,
	WAIT_BROKER,
	WAIT_PERSON,
	WAIT_AGENT,
	WAIT_STREAMS,
	WAIT_LIVE = WAIT_STREAMS + STREAMS
};

static void attend(struct run *r)
{
	struct pollfd p[WAIT_LIVE + LIVE_POLLS + SERVICE_POLLS * RUN_MAX_SERVICES] = {
		{ .fd = r->control, .events = POLLIN },
		{ .fd = r->signals, .events = POLLIN },
		{ .fd = r->notify, .events = POLLIN },
		{ .fd = r->network.control, .events = POLLIN },
		{ .fd = r->network.asker_ends, .events = POLLIN },
		{ .fd = r->network.agents.control, .events = POLLIN },
	};
	const struct refusal_rules rules = { .told = r->spec->jail.told,
					     .own = r->spec->jail.own,
					     .preset = r->spec->profile.seccomp,
					     .net = r->order.walls & WALL_BIT(NET),
					     .network = &r->network,
					     .loopback = r->order.flags & JAIL_PLAN_LOOPBACK };
	nfds_t n = WAIT_LIVE, n_services;

	for (int i = 0; i < STREAMS; i++)
		p[WAIT_STREAMS + i] = stream_poll(&r->streams[i]);
	if (r->network.asker)
		p[WAIT_STREAMS + IN].fd = -1; /* what is typed now is the answer */
	if (wants_start(r) && !r->told_start && !r->ended && r->control >= 0)
		p[WAIT_STREAMS + OUT].fd = p[WAIT_STREAMS + ERR].fd =
			-1;                      /* that it runs is told before what it says */
	live_poll(&r->live, can_join(r), p + n); /* before there is somebody to join, those of a box wait */
	n += LIVE_POLLS;
	n_services = r->ready && r->init ? services_poll(&r->services, p + n) : 0;
	if (poll(p, n + n_services, wait_ms(r)) < 0)
		return;
	if (p[WAIT_BROKER].revents || p[WAIT_PERSON].revents || p[WAIT_AGENT].revents)
		attend_network(r, p[WAIT_PERSON].revents);
	if (p[WAIT_NOTIFY].revents & POLLIN)
		refusals_answer(&r->notify, &rules, &r->out);
	else if (p[WAIT_NOTIFY].revents) /* nobody is left under the filter; the hang-up would wake us until
					  * the reaping
					  */
		close_fd(&r->notify);
	lend_terminal(r);
	for (int i = 0; i < STREAMS; i++)
		if (p[WAIT_STREAMS + i].revents)
			stream_move(&r->streams[i]);
	if (r->streams[OUT].idle_ms)
		stream_idle(&r->streams[OUT], time_ms());
	if (p[WAIT_SIGNALS].revents)
		on_signal(r);
	if (p[WAIT_JAIL].revents)
		on_control(r);
	live_turn(&r->live, can_join(r), p + WAIT_LIVE, r->control);
	if (n_services) {
		services_turn(&r->services, p + n, is_still(r));
		check_services(r);
	}
	if (r->deadline_ms || r->give_up_ms || r->watch.next_ms || r->strike_ms)
		check_time(r);
}

void run_turn(struct run *r)
{
	attend(r);
	reap(r);
}

/* The command that joined is gone with all it started; who still holds its output got it from it, and keeps
 * silent. */
static void let_go(struct run *r)
{
	for (int i = OUT; i < STREAMS; i++) {
		struct pollfd p = stream_poll(&r->streams[i]);

		if (p.events == POLLIN && poll(&p, 1, 0) == 0)
			stream_end(&r->streams[i]);
	}
}

void run_loop(struct run *r)
{
	/* Until the jail's two processes are reaped and its output is read to the end. */
	while (r->jail || r->init || r->control >= 0 || !outputs_done(r)) {
		run_turn(r);
		if (r->ended && !r->init && (!r->joined || r->control < 0) && !stream_done(&r->streams[IN]))
			stop_input(r); /* nobody is left to read it */
		if (r->joined && r->control < 0)
			let_go(r);
	}
	stop_input(r);
	watch_last_look(&r->watch);
	network_end(&r->network, &r->out);
}

/* What the caller named is not there or not a place for it; no doctor helps. */
static bool is_about_a_path(int code)
{
	return code == -EROFS || code == -ELOOP || code == -ENOENT || code == -ENOTDIR;
}

static int judge(struct run *r, struct aisbx_error *e)
{
	if (r->error.code && !r->ended) { /* an end of our own making explains what fails after it */
		*e = r->error;
		if (r->joined)
			return aisbx_context(e, "join the live box, step '%s'", r->step);
		aisbx_context(e, "wall '%s'", r->step);
		return strstr(e->text, "'aisbx doctor'") || is_about_a_path(e->code)
			       ? e->code
			       : aisbx_hint(e, "'aisbx doctor' shows what is missing and how to fix it");
	}
	if (!r->ended && !r->ready && r->joined)
		return aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_BOX, ESTALE,
				    "the live box ended before the command could start");
	if (!r->ended && !r->ready)
		return aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_JAIL, EPROTO,
				    "aisbx-jail ended before the walls were built");
	end(r, RUN_INTERRUPTED, SIGKILL); /* pid 1 of the box was killed from outside */
	r->out.started = r->going;
	run_account(r);
	r->out.dropped[0] = r->streams[OUT].dropped;
	r->out.dropped[1] = r->streams[ERR].dropped;
	for (int i = 0; i < STREAMS; i++)
		r->out.unread = r->out.unread ? r->out.unread : r->streams[i].unread;
	r->out.unwritten[0] = r->streams[OUT].unwritten;
	r->out.unwritten[1] = r->streams[ERR].unwritten;
	return 0;
}

void run_destroy(struct run *r)
{
	terminal_restore(&r->terminal);
	for (int i = 0; i < STREAMS; i++)
		stream_finish(&r->streams[i]);
	for (unsigned int i = 0; i < r->n_decoys; i++)
		close_fd(&r->decoys[i]);
	close_fd(&r->control);
	close_fd(&r->notify);
	live_finish(&r->live);
	network_finish(&r->network);
	close_fd(&r->namespaces[0]);
	close_fd(&r->namespaces[1]);
	watch_finish(&r->watch);
	services_finish(&r->services);
	known_secrets_finish(&r->known_secrets);
	close_fd(&r->tty);
	if (r->signals >= 0) {
		close_fd(&r->signals);
		sigprocmask(SIG_SETMASK, &r->old_mask, NULL);
		sigaction(SIGPIPE, &r->old_pipe, NULL);
	}
	run_outcome_finish(&r->out);
	free(r);
}

int run_conclude(struct run *r, struct run_outcome *ret_outcome, struct aisbx_error *e)
{
	int err = judge(r, e);

	if (err < 0)
		return err;
	if (!services_tell(&r->services, &r->out))
		return aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "report the state of the services");
	r->out.wall_us = (r->ended_us ? r->ended_us : time_us()) - r->started_us;
	*ret_outcome = r->out;
	r->out = (struct run_outcome){ 0 };
	log_debug("run ended: end %d status %d after %llu us", (int)ret_outcome->end, ret_outcome->status,
		  (unsigned long long)ret_outcome->wall_us);
	return 0;
}

uint32_t run_held(const struct run *r, const char **ret_method)
{
	*ret_method = cgroup_method(&r->watch.group);
	return cgroup_held(&r->watch.group);
}

const char *run_authority(const struct run *r)
{
	return r->network.authority;
}

const char *run_agent(const struct run *r)
{
	return r->network.agents.path;
}

bool run_wants_agent(const struct run_spec *spec)
{
	return strlist_has(&spec->net.rules, "net:agent:ssh");
}

/* The jail waits for a plan, and goes when none can come. */
static void give_no_plan(const struct run *r)
{
	shutdown(r->control, SHUT_WR);
}

void run_abandon(struct run *r)
{
	give_no_plan(r);
	run_loop(r);
	run_destroy(r);
}

/* Whoever wants to know of pid 1 knows it before it knows the plan. */
static int tell_born(struct run *r, struct aisbx_error *e)
{
	if (!r->spec->hooks.born)
		return 0;
	while (!r->init && !r->ended && r->jail && r->control >= 0)
		run_turn(r);
	return r->init && !r->ended ? r->spec->hooks.born(r->spec->hooks.box_ctx, r->init, e)
				    : 0; /* the loop hears why there is none */
}

int run_give_plan(struct run *r, int plan_fd, struct aisbx_error *e)
{
	struct jail_message m = { .word = JAIL_PLAN };
	const int fds[] = { plan_fd, r->spec->jail.runtime ? r->spec->jail.runtime->fd : -1 };
	int err = tell_born(r, e);

	if (err < 0) {
		run_abandon(r);
		return err;
	}
	if (r->ended) /* by a signal, or its time was over, while we waited for pid 1, which is killed: nobody
			 would read it */
		give_no_plan(r);
	else
		err = sys_send(r->control, &m, sizeof(m), fds, r->spec->jail.runtime ? 2 : 1);
	if (err < 0 && err != -EPIPE &&
	    err != -ECONNRESET) { /* else: it is gone, and the loop will hear why */
		run_abandon(r);
		return aisbx_fail(e, AISBX_AREA_RUN, -err, "pass the plan to the jail");
	}
	return 0;
}

int run_finish(struct run *r, struct run_outcome *ret_outcome, struct aisbx_error *e)
{
	int err;

	run_loop(r);
	err = run_conclude(r, ret_outcome, e);
	if (err == 0 && r->going && r->spec->hooks.leave && r->watch.box.staging >= 0)
		r->spec->hooks.leave(r->spec->hooks.leave_ctx, r->watch.box.staging);
	run_destroy(r);
	return err;
}

int run_supervise(struct run *r, int plan_fd, struct run_outcome *ret_outcome, struct aisbx_error *e)
{
	int err = run_give_plan(r, plan_fd, e);

	return err < 0 ? err : run_finish(r, ret_outcome, e);
}
