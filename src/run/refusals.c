/* SPDX-License-Identifier: Apache-2.0 */
/* Collects violations of a command, each kind once, with a count. */
#include "run/refusals.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/ioprio.h>
#include <linux/kcmp.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/scope.h"
#include "sys/sys.h"

#define DNS_PORT 53

static void read_comm(int32_t pid, char *ret_comm, size_t cap)
{
	scoped(drop_fd) int fd = -1;
	char path[32];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? 0 : read(fd, ret_comm, cap - 1);
	ret_comm[n > 0 ? n : 0] = '\0';
	ret_comm[strcspn(ret_comm, "\n")] = '\0';
}

static struct run_refusal *find(struct run_outcome *out, const struct run_refusal *like)
{
	for (size_t i = 0; i < out->n_refusals; i++) {
		struct run_refusal *t = &out->refusals[i];

		if (t->kind == like->kind && t->number == like->number &&
		    !memcmp(&t->to, &like->to, sizeof(t->to)))
			return t;
	}
	return NULL;
}

static bool is_room(const struct run_outcome *out, enum run_refusal_kind kind)
{
	size_t net = 0;

	for (size_t i = 0; kind == RUN_REFUSAL_NET && i < out->n_refusals; i++)
		net += out->refusals[i].kind == kind;
	return out->n_refusals < RUN_MAX_REFUSALS && net < RUN_MAX_NET_REFUSALS;
}

static void add(struct run_outcome *out, const struct run_refusal *refusal)
{
	struct run_refusal *t = find(out, refusal);

	if (t) {
		t->count++;
		return;
	}
	if (!is_room(out, refusal->kind)) {
		out->refusals_not_kept++;
		return;
	}
	t = &out->refusals[out->n_refusals++];
	*t = *refusal;
	t->count = 1;
	if (t->pid > 0)
		read_comm(t->pid, t->comm, sizeof(t->comm));
}

bool run_address_is_loopback(const struct run_address *a)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff }, zero[16], one[16] = { [15] = 1 };
	const uint8_t *four = a->family == AF_INET            ? a->bytes
			      : !memcmp(a->bytes, mapped, 12) ? a->bytes + 12
							      : NULL;

	/* The address of nobody is, for a connection, oneself. */
	return four ? four[0] == 127 || !memcmp(four, zero, 4)
		    : !memcmp(a->bytes, zero, 16) || !memcmp(a->bytes, one, 16);
}

/* Where a resolver of the host listens on its loopback: in a box that is nobody, and a name was to be looked
 * up. */
static bool is_resolver(const struct run_address *a)
{
	static const uint8_t stubs[][4] = { { 127, 0, 0, 53 }, { 127, 0, 0, 54 } };

	return a->family == AF_INET && a->port == DNS_PORT &&
	       (!memcmp(a->bytes, stubs[0], 4) || !memcmp(a->bytes, stubs[1], 4));
}

/*
 * The address in a call that is told of. It is for the record alone, so it does not matter that the caller
 * can change it before the kernel reads it: whether there is a way there does not hang on what was seen here.
 */
static bool read_address(const struct seccomp_notif *n, struct run_address *ret)
{
	union {
		struct sockaddr any;
		struct sockaddr_in in;
		struct sockaddr_in6 in6;
	} a = { 0 };
	int at = n->data.nr == SYS_sendto ? 4 : 1;
	uint64_t len = n->data.args[at + 1] & UINT32_MAX;
	struct iovec here = { .iov_base = &a, .iov_len = len < sizeof(a) ? len : sizeof(a) };
	struct iovec there = { .iov_base = (void *)(uintptr_t)n->data.args[at], .iov_len = here.iov_len };

	if ((n->data.nr != SYS_sendto && n->data.nr != SYS_connect) || len < sizeof(a.in) ||
	    process_vm_readv((pid_t)n->pid, &here, 1, &there, 1, 0) != (ssize_t)here.iov_len)
		return false;
	*ret = (struct run_address){ .family = a.any.sa_family };
	if (a.any.sa_family == AF_INET) {
		ret->port = ntohs(a.in.sin_port);
		memcpy(ret->bytes, &a.in.sin_addr, 4);
		return true;
	}
	if (a.any.sa_family != AF_INET6 || here.iov_len < sizeof(a.in6))
		return false;
	ret->port = ntohs(a.in6.sin6_port);
	memcpy(ret->bytes, &a.in6.sin6_addr, 16);
	return true;
}

/* Whether the socket of the call is one for datagrams; for the record, as the address is. */
static bool is_datagram(const struct seccomp_notif *n)
{
	scoped(drop_fd) int pidfd = sys_pidfd_open((pid_t)n->pid);
	scoped(drop_fd) int fd =
		pidfd < 0 ? -1 : (int)syscall(SYS_pidfd_getfd, pidfd, (int)n->data.args[0], 0);
	int type = 0;
	socklen_t len = sizeof(type);

	if (fd < 0 || getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &len) < 0)
		return n->data.nr == SYS_sendto;
	return type == SOCK_DGRAM;
}

/* A pid may be another's by the time its memory was read; the kernel knows whether the call still waits. */
static void note_address(int notify_fd, const struct seccomp_notif *n, const struct refusal_rules *rules,
			 struct run_outcome *out)
{
	struct run_refusal t = { .kind = RUN_REFUSAL_NET, .number = n->data.nr, .pid = (int32_t)n->pid };

	bool udp;

	if (!rules->net || !read_address(n, &t.to))
		return;
	if (rules->network->up) {
		if (run_address_is_loopback(&t.to))
			return; /* the box's own, where it also finds its resolver */
		udp = is_datagram(n);
		if (!network_decides(rules->network, &t.to, udp) &&
		    ioctl(notify_fd, SECCOMP_IOCTL_NOTIF_ID_VALID, &n->id) == 0)
			network_refused(rules->network, &t.to, udp);
	} else if ((!rules->loopback || !run_address_is_loopback(&t.to) || is_resolver(&t.to)) &&
		   ioctl(notify_fd, SECCOMP_IOCTL_NOTIF_ID_VALID, &n->id) == 0) {
		add(out, &t);
	}
}

/* The thread that a call names, which may be one of many; -1: it names something else. */
static int32_t named_thread(const struct seccomp_data *d)
{
	switch (d->nr) {
	case SYS_prlimit64:
	case SYS_sched_setparam:
	case SYS_sched_setscheduler:
	case SYS_sched_setattr:
	case SYS_sched_setaffinity:
		return (int32_t)d->args[0]; /* the kernel reads as much of it */
	case SYS_setpriority:
		return (int32_t)d->args[0] == PRIO_PROCESS ? (int32_t)d->args[1] : -1;
	case SYS_ioprio_set:
		return (int32_t)d->args[0] == IOPRIO_WHO_PROCESS ? (int32_t)d->args[1] : -1;
	default:
		return -1;
	}
}

/* Whether thread TID in TASKS, a directory of /proc, is INNER in the innermost of its namespaces. */
static bool is_called(int tasks, const char *tid, int32_t inner)
{
	char path[64], text[4096];
	scoped(drop_fd) int fd = -1;
	const char *at, *last;
	ssize_t n;

	snprintf(path, sizeof(path), "%.20s/status", tid);
	fd = openat(tasks, path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (n <= 0)
		return false;
	text[n] = '\0';
	at = strstr(text, "\nNSpid:");
	if (!at)
		return false;
	last = at + strcspn(at + 1, "\n");
	while (last > at && *last != '\t')
		last--;
	return strtol(last, NULL, 10) == inner;
}

/* Of PROCESS and all its threads: the one that the box calls INNER, as we call it; 0: none. */
static pid_t thread_called(pid_t process, int32_t inner)
{
	scoped(drop_dir) DIR *d = NULL;
	const struct dirent *entry;
	pid_t found = 0;
	char path[48];

	snprintf(path, sizeof(path), "/proc/%d/task", (int)process);
	d = opendir(path);
	while (d && !found && (entry = readdir(d)))
		if (entry->d_name[0] != '.' && is_called(dirfd(d), entry->d_name, inner))
			found = (pid_t)strtol(entry->d_name, NULL, 10);
	return found;
}

/*
 * What the call names it has in registers, so nobody can change it any more. That the thread is the caller's
 * is true for as long as the call waits, if it is for an instant.
 */
static bool names_own_thread(int notify_fd, const struct seccomp_notif *n)
{
	int32_t inner = named_thread(&n->data);

	return (inner == 0 || (inner > 0 && n->pid && thread_called((pid_t)n->pid, inner))) &&
	       ioctl(notify_fd, SECCOMP_IOCTL_NOTIF_ID_VALID, &n->id) == 0;
}

static pid_t parent_of(pid_t process)
{
	char path[48], line[128];
	FILE *f;
	int parent = 0;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)process);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f) && sscanf(line, "PPid: %d", &parent) != 1)
		;
	if (f)
		fclose(f);
	return parent;
}

/* What LeakSanitizer asks for. Nothing here changes the other one, or follows it into a child or a program.
 */
static bool traces_to_look(uint64_t request)
{
	switch (request) {
	case PTRACE_ATTACH:
	case PTRACE_CONT:
	case PTRACE_DETACH:
	case PTRACE_GETREGS:
	case PTRACE_GETREGSET:
	case PTRACE_KILL:
		return true;
	default:
		return false;
	}
}

/*
 * A process that traces its parent, whose memory is its own as well, gets no power over it that it has not
 * had: so LeakSanitizer looks for what nobody points to. After our look the other one may become another
 * program, or end and leave its number to another process of the box. Whom the kernel then lets it stop and
 * whose registers it lets it read is of the same user, in the same box and behind the same filter; with the
 * next call we look again.
 */
static bool traces_own_memory(int notify_fd, const struct seccomp_notif *n)
{
	int32_t inner = (int32_t)n->data.args[1];
	pid_t caller = (pid_t)n->pid, parent, traced;

	if (n->data.nr != SYS_ptrace || !traces_to_look(n->data.args[0]) || inner <= 0 || !caller)
		return false;
	parent = parent_of(caller);
	if (parent <= 0 || syscall(SYS_kcmp, caller, parent, KCMP_VM, 0, 0) != 0)
		return false; /* before we look through its threads, which may be thousands */
	traced = thread_called(parent, inner);
	return traced > 0 && syscall(SYS_kcmp, caller, traced, KCMP_VM, 0, 0) == 0 &&
	       ioctl(notify_fd, SECCOMP_IOCTL_NOTIF_ID_VALID, &n->id) == 0;
}

/* A refused call gets EPERM whatever it has in memory. One that is told of is made: its wall is elsewhere. */
void refusals_answer(int *notify_fd, const struct refusal_rules *rules, struct run_outcome *out)
{
	/* The kernel's structs may be larger than the headers' (SECCOMP_GET_NOTIF_SIZES); leave room. */
	union {
		struct seccomp_notif notif;
		char room[512];
	} in;
	union {
		struct seccomp_notif_resp resp;
		char room[512];
	} answer;

	memset(&in, 0, sizeof(in));
	if (ioctl(*notify_fd, SECCOMP_IOCTL_NOTIF_RECV, &in.notif) < 0) {
		if (errno != EINTR && errno != ENOENT && errno != EAGAIN)
			close_fd(notify_fd);
		return;
	}
	memset(&answer, 0, sizeof(answer));
	answer.resp.id = in.notif.id;
	if (rules->told && rules->told(rules->preset, in.notif.data.nr)) {
		note_address(*notify_fd, &in.notif, rules, out);
		answer.resp.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
	} else if (rules->own && rules->own(rules->preset, in.notif.data.nr) &&
		   (names_own_thread(*notify_fd, &in.notif) || traces_own_memory(*notify_fd, &in.notif))) {
		answer.resp.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
	} else {
		add(out, &(struct run_refusal){ .kind = RUN_REFUSAL_SYSCALL,
						.number = in.notif.data.nr,
						.pid = (int32_t)in.notif.pid });
		answer.resp.error = -EPERM;
	}
	ioctl(*notify_fd, SECCOMP_IOCTL_NOTIF_SEND,
	      &answer.resp); /* fails only if the caller is dead by now */
}

void refusals_guard_decoy(int decoy)
{
	/* A tripwire, not a wall: where a lease cannot be had, the decoy is still only a decoy. */
	if (fcntl(decoy, F_SETSIG, DECOY_SIGNAL) == 0)
		fcntl(decoy, F_SETLEASE, F_WRLCK);
}

void refusals_decoy_opened(const int *decoys, unsigned int n, int fd, struct run_outcome *out)
{
	for (unsigned int i = 0; i < n; i++)
		if (decoys[i] == fd) {
			add(out, &(struct run_refusal){ .kind = RUN_REFUSAL_DECOY, .number = (int)i + 1 });
			fcntl(fd, F_SETLEASE, F_UNLCK); /* once is enough to know; now let them read */
		}
}
