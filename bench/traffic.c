/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A TCP server and its client, for bench/net.py: bytes in bulk either way, one byte to and fro, connections that
 * do nothing, connections that end at once. The client prints one number per line.
 *
 *   traffic serve ADDRESS PORT
 *   traffic send|receive ADDRESS PORT MILLISECONDS   bytes per second, as the receiver counts them
 *   traffic ping ADDRESS PORT ROUNDS                 median of a round, in microseconds
 *   traffic connect ADDRESS PORT CONNECTIONS         how many per second, one after the other, each with one byte answered
 *   traffic idle ADDRESS PORT CONNECTIONS            opens them, prints how many, holds them until its input ends
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define BLOCK (256u << 10)

static char block[BLOCK];

static _Noreturn void die(const char *what)
{
	fprintf(stderr, "traffic: %s: %s\n", what, strerror(errno));
	exit(1);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static struct sockaddr_in place(char **argv)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(argv[1])) };

	if (inet_pton(AF_INET, argv[0], &at.sin_addr) != 1) {
		errno = EINVAL;
		die(argv[0]);
	}
	return at;
}

static void no_delay(int fd)
{
	static const int on = 1;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

/* Reads until the end, then says how many bytes that were. */
static void count(int fd)
{
	uint64_t all = 0;
	ssize_t n;

	while ((n = recv(fd, block, sizeof(block), 0)) > 0)
		all += (uint64_t)n;
	if (send(fd, &all, sizeof(all), MSG_NOSIGNAL) < 0)
		die("send");
}

static void pour(int fd)
{
	while (send(fd, block, sizeof(block), MSG_NOSIGNAL) > 0)
		;
}

static void echo(int fd)
{
	char byte;

	no_delay(fd);
	while (recv(fd, &byte, 1, 0) == 1 && send(fd, &byte, 1, MSG_NOSIGNAL) == 1)
		;
}

/* The first byte says what the client wants. What takes time has a process of its own. */
static void answer(int epoll, int fd)
{
	char want;
	ssize_t n = recv(fd, &want, 1, MSG_DONTWAIT);
	void (*work)(int) = n != 1 ? NULL : want == 's' ? count : want == 'r' ? pour : want == 'p' ? echo : NULL;

	if (n < 0 && errno == EAGAIN)
		return;
	if (n == 1 && want == 'i') {
		if (send(fd, &want, 1, MSG_NOSIGNAL) != 1)
			close(fd);
		return;
	}
	epoll_ctl(epoll, EPOLL_CTL_DEL, fd, NULL); /* the other process would keep it there */
	if (work && fork() == 0) {
		work(fd);
		_exit(0);
	}
	close(fd);
}

static void serve(struct sockaddr_in at)
{
	static const int on = 1;
	struct epoll_event e = { .events = EPOLLIN }, got[64];
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), epoll = epoll_create1(0);

	signal(SIGCHLD, SIG_IGN);
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	e.data.fd = fd;
	if (bind(fd, (struct sockaddr *)&at, sizeof(at)) < 0 || listen(fd, 4096) < 0 ||
	    epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &e) < 0)
		die("serve");
	puts("ready");
	fflush(stdout);
	for (;;)
		for (int i = 0, n = epoll_wait(epoll, got, 64, -1); i < n; i++) {
			if (got[i].data.fd != fd) {
				answer(epoll, got[i].data.fd);
				continue;
			}
			while ((e.data.fd = accept(fd, NULL, NULL)) >= 0)
				epoll_ctl(epoll, EPOLL_CTL_ADD, e.data.fd, &e);
		}
}

static int dial(const struct sockaddr_in *at, char want)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (fd < 0 || connect(fd, (const struct sockaddr *)at, sizeof(*at)) < 0 || send(fd, &want, 1, MSG_NOSIGNAL) != 1)
		die("connect");
	return fd;
}

static double send_for(const struct sockaddr_in *at, double seconds)
{
	int fd = dial(at, 's');
	double begin = now();
	uint64_t all;

	while (now() - begin < seconds)
		if (send(fd, block, sizeof(block), MSG_NOSIGNAL) < 0)
			die("send");
	shutdown(fd, SHUT_WR);
	if (recv(fd, &all, sizeof(all), MSG_WAITALL) != sizeof(all))
		die("the server's count");
	return (double)all / (now() - begin);
}

static double receive_for(const struct sockaddr_in *at, double seconds)
{
	int fd = dial(at, 'r');
	double begin = now(), all = 0;

	while (now() - begin < seconds) {
		ssize_t n = recv(fd, block, sizeof(block), 0);

		if (n <= 0)
			die("receive");
		all += (double)n;
	}
	return all / (now() - begin);
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double ping(const struct sockaddr_in *at, int rounds)
{
	double *times = calloc((size_t)rounds, sizeof(*times));
	int fd = dial(at, 'p');
	char byte = 'x';

	no_delay(fd);
	for (int i = 0; times && i < rounds; i++) {
		double begin = now();

		if (send(fd, &byte, 1, MSG_NOSIGNAL) != 1 || recv(fd, &byte, 1, 0) != 1)
			die("ping");
		times[i] = (now() - begin) * 1e6;
	}
	if (!times)
		die("ping");
	qsort(times, (size_t)rounds, sizeof(*times), by_size);
	return times[rounds / 2];
}

/* The byte comes back from the server itself, so nobody answers in its place. */
static void meet(const struct sockaddr_in *at, bool stay)
{
	int fd = dial(at, 'i');
	char byte;

	if (recv(fd, &byte, 1, 0) != 1)
		die("the server's answer");
	if (!stay)
		close(fd);
}

static double connect_often(const struct sockaddr_in *at, int n)
{
	double begin = now();

	for (int i = 0; i < n; i++)
		meet(at, false);
	return n / (now() - begin);
}

static void hold(const struct sockaddr_in *at, int n)
{
	for (int i = 0; i < n; i++)
		meet(at, true);
	printf("%d\n", n);
	fflush(stdout);
	while (getchar() != EOF)
		;
}

int main(int argc, char **argv)
{
	const char *what = argc > 3 ? argv[1] : "";
	struct rlimit files;
	struct sockaddr_in at;
	int number;

	if (argc != (strcmp(what, "serve") ? 5 : 4)) {
		fprintf(stderr, "usage: traffic serve|send|receive|ping|connect|idle ADDRESS PORT [NUMBER]\n");
		return 2;
	}
	if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
		files.rlim_cur = files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &files);
	}
	at = place(argv + 2);
	number = argc == 5 ? atoi(argv[4]) : 0;
	if (!strcmp(what, "serve"))
		serve(at);
	else if (!strcmp(what, "send"))
		printf("%.0f\n", send_for(&at, number / 1e3));
	else if (!strcmp(what, "receive"))
		printf("%.0f\n", receive_for(&at, number / 1e3));
	else if (!strcmp(what, "ping"))
		printf("%.2f\n", ping(&at, number));
	else if (!strcmp(what, "connect"))
		printf("%.0f\n", connect_often(&at, number));
	else if (!strcmp(what, "idle"))
		hold(&at, number);
	else
		return 2;
	return 0;
}
