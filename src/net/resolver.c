/* SPDX-License-Identifier: Apache-2.0 */
/* The process that looks up names. It ends with the broker, whose socket it reads. */
#include "net/resolver.h"

#include <arpa/nameser.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <resolv.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "net/control.h"

/* Look-ups at once; more wait. */
#define CHILDREN   32
#define PATIENCE_S 20

static void add_address(const struct sockaddr *from, struct resolver_answer *a)
{
	struct egress_address *to = &a->addresses[a->n];

	*to = (struct egress_address){ .family = from->sa_family == AF_INET ? 4 : 6 };
	if (from->sa_family == AF_INET)
		memcpy(to->bytes, &((const struct sockaddr_in *)from)->sin_addr, 4);
	else
		memcpy(to->bytes, &((const struct sockaddr_in6 *)from)->sin6_addr, 16);
	for (uint16_t i = 0; i < a->n; i++)
		if (egress_address_same(&a->addresses[i], to))
			return;
	a->n++;
}

static void find_addresses(const char *name, struct resolver_answer *a)
{
	const struct addrinfo hints = { .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM };
	struct addrinfo *found = NULL;
	char full[EGRESS_NAME_MAX + 1];

	/* With a dot at its end a name is looked up as it is; but files of names know it only without. */
	strcpy(full, name);
	if (strchr(name, '.'))
		strcat(full, ".");
	if (getaddrinfo(full, NULL, &hints, &found) != 0 && getaddrinfo(name, NULL, &hints, &found) != 0)
		return;
	for (const struct addrinfo *i = found; i && a->n < RESOLVER_MAX_ADDRESSES; i = i->ai_next)
		if (i->ai_family == AF_INET || i->ai_family == AF_INET6)
			add_address(i->ai_addr, a);
	freeaddrinfo(found);
}

static _Noreturn void look_up(int fd, const struct resolver_question *q)
{
	static struct resolver_answer a;

	alarm(PATIENCE_S);
	a.id = q->id;
	a.record = q->record;
	if (q->record) {
		int n = res_query(q->name, ns_c_in, q->record, a.reply, sizeof(a.reply));

		a.reply_len = n > 0 && (size_t)n <= sizeof(a.reply) ? (uint32_t)n : 0;
	} else {
		find_addresses(q->name, &a);
	}
	send(fd, &a, sizeof(a), 0);
	_exit(0);
}

static _Noreturn void serve(int fd)
{
	struct resolver_question q;
	int children = 0;
	ssize_t n;

	while ((n = recv(fd, &q, sizeof(q), 0)) != 0) {
		pid_t pid;

		if (n != sizeof(q) || !memchr(q.name, '\0', sizeof(q.name)))
			continue;
		while (children > 0 && waitpid(-1, NULL, children < CHILDREN ? WNOHANG : 0) > 0)
			children--;
		pid = fork();
		if (pid == 0)
			look_up(fd, &q);
		if (pid > 0) {
			children++;
		} else { /* none can be had: an answer without an address */
			struct resolver_answer none = { .id = q.id, .record = q.record };

			send(fd, &none, sizeof(none), 0);
		}
	}
	_exit(0);
}

int resolver_start(int *ret_fd)
{
	int pair[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return -errno;
	pid = fork();
	if (pid < 0) {
		int err = -errno;

		close(pair[0]);
		close(pair[1]);
		return err;
	}
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
		close(pair[0]);
		close(NET_CONTROL_FD); /* else its end would not be seen */
		if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
			_exit(125);
		serve(pair[1]);
	}
	close(pair[1]);
	*ret_fd = pair[0];
	return 0;
}
