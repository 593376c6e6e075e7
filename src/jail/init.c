/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pid 1 of the box, behind the same walls as the commands: starts the first command, starts keepers for those
 * that join and for services, and ends the box after the last command, at a missed deadline, or when the
 * supervisor is gone.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/scope.h"
#include "jail/keep.h"
#include "sys/sys.h"

/* Commands that joined. */
static size_t guests(const struct keep *k)
{
	return k->n_keepers - k->n_services;
}

/*
 * After the last command the box ends. Services may have something to save: when they are told to end, and
 * how long they may take, is the supervisor's business, and ours if it has none.
 */
static void end_if_empty(struct keep *k)
{
	struct jail_message m = { .word = JAIL_EMPTY };
	long long overdue = keep_now_ms() + SERVICES_OVERDUE_MS;

	if (!k->told || guests(k))
		return;
	if (k->n_keepers == k->n_watchers)
		_exit(0); /* the kernel kills whoever is left */
	if (k->empty)
		return;
	k->empty = true;
	k->deadline = k->deadline && k->deadline < overdue ? k->deadline : overdue;
	sys_send(k->j->control, &m, sizeof(m), NULL, 0);
}

/* The first command is over; the box is, too, unless others joined it. */
static void first_ended(struct keep *k)
{
	if (k->n_keepers && !keep_end_family(k))
		_exit(124); /* what does not end alone ends with the box */
	keep_say_end(k, (uint32_t)guests(k));
	if (guests(k))
		k->deadline = 0;
	close_fd(&k->j->tty_slave); /* so that who reads the other side sees the end */
	end_if_empty(k);
}

/*
 * A keeper ends after its command's family; one that is killed leaves that family to us, where it would pass
 * for the first command's and outlive its own deadline.
 */
static void reap_keepers(struct keep *k)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG | __WCLONE)) > 0) {
		if (!WIFEXITED(status))
			_exit(125);
		for (size_t i = 0; i < k->n_keepers; i++)
			if (k->keepers[i] == pid) {
				k->n_keepers--;
				k->n_services -= k->service[i];
				k->service[i] = k->service[k->n_keepers];
				k->n_watchers -= k->watcher[i];
				k->watcher[i] = k->watcher[k->n_keepers];
				k->keepers[i] = k->keepers[k->n_keepers];
				k->overdue[i] = k->overdue[k->n_keepers];
			}
	}
	end_if_empty(k);
}

static void say_frozen(const struct keep *k, int error)
{
	struct jail_message m = { .word = JAIL_FROZEN, .value = error };

	sys_send(k->j->control, &m, sizeof(m), NULL, 0);
}

/* Who is outside may not open them: pid 1 cannot be looked at. */
static void show_namespaces(const struct keep *k)
{
	static const char *const paths[] = { "/proc/self/ns/user", "/proc/self/ns/net" };
	struct jail_message m = { .word = JAIL_NAMESPACES };
	int fds[2] = { -1, -1 };

	for (int i = 0; i < 2 && !m.value; i++) {
		/* What owns the network of a container is around that: the one inside may be another. */
		fds[i] = i == 0 && k->j->outer_user >= 0
				 ? fcntl(k->j->outer_user, F_DUPFD_CLOEXEC, 3)
				 : sys_open(AT_FDCWD, paths[i], O_RDONLY | O_CLOEXEC, 0);
		m.value = fds[i] < 0 ? -fds[i] : 0;
	}
	sys_send(k->j->control, &m, sizeof(m), fds, m.value ? 0 : 2);
	for (int i = 0; i < 2; i++)
		drop_fd(&fds[i]);
}

static void signal_all(const struct jail_message *m)
{
	if (!box_is_frozen() && m->value > 0 && m->value < NSIG)
		kill(-1, m->value);
}

static void obey(struct keep *k)
{
	struct jail_message m;
	int fds[SYS_MAX_FDS];
	ssize_t n = keep_hear(k, &m, fds);

	if (n <= 0)
		_exit(125); /* the supervisor is gone */
	if (n != sizeof(m))
		m.word = 0;
	switch (m.word) {
	case JAIL_SIGNAL:
		if (m.value > 0 && m.value < NSIG && !(m.value == SIGCONT && box_is_frozen()))
			keep_signal(k, m.value);
		break;
	case JAIL_SIGNAL_ALL:
		signal_all(&m);
		break;
	case JAIL_GO:
		if (!k->started)
			keep_go(k, &m);
		break;
	case JAIL_END:
		if (!guests(k))
			_exit(124);
		if (k->command && !keep_end_family(k))
			_exit(124);
		break; /* the reaping set command to 0, and the loop tells */
	case JAIL_JOIN:
		join_start(k, &m, fds);
		break;
	case JAIL_FREEZE:
		say_frozen(k, -freeze_box());
		break;
	case JAIL_THAW:
		thaw_box();
		break;
	case JAIL_MEASURE:
		keep_say_measured(k);
		break;
	case JAIL_SHOW:
		show_namespaces(k);
		break;
	default:
		break;
	}
	for (int i = 0; i < SYS_MAX_FDS; i++)
		drop_fd(&fds[i]);
}

/* When to look after keeper I. */
static long long due(const struct keep *k, size_t i)
{
	return box_is_frozen() ? k->overdue[i] - JOIN_OVERDUE_MS : k->overdue[i];
}

/* The nearest of all deadlines; 0: none. */
static long long next_deadline(const struct keep *k)
{
	long long next = k->deadline;

	for (size_t i = 0; i < k->n_keepers; i++)
		if (k->overdue[i] && (!next || due(k, i) < next))
			next = due(k, i);
	return next;
}

/* A keeper whose time is long up was stopped from inside. One that is frozen gets to its work in time. */
static void check_deadlines(struct keep *k)
{
	long long now = keep_now_ms();

	if (k->deadline && now >= k->deadline) {
		if (!guests(k) || !keep_end_family(k))
			_exit(124);
		k->deadline = 0;
	}
	for (size_t i = 0; i < k->n_keepers; i++) {
		if (!k->overdue[i] || now < due(k, i))
			continue;
		if (!box_is_frozen())
			_exit(124);
		thaw_box();
		say_frozen(k, ETIME);
	}
}

_Noreturn void jail_init(struct jail *j)
{
	static struct keep k;
	struct pollfd polls[2] = { { .fd = j->control, .events = POLLIN }, { .events = POLLIN } };

	keep_report(&k, j);
	polls[1].fd = k.signals;
	for (;;) {
		long long deadline = next_deadline(&k), left = deadline ? deadline - keep_now_ms() : -1;
		struct signalfd_siginfo info;

		if (deadline && left <= 0) {
			check_deadlines(&k);
			left = 0;
		}
		if (poll(polls, 2, (int)left) < 0) {
			if (errno != EINTR)
				_exit(125); /* who cannot wait cannot keep a deadline either */
			continue;
		}
		if (polls[0].revents)
			obey(&k);
		while (read(polls[1].fd, &info, sizeof(info)) > 0)
			;
		if (k.started && !k.told) {
			keep_reap(&k);
			if (!k.command)
				first_ended(&k);
		}
		reap_keepers(&k);
	}
}
