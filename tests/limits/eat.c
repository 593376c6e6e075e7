/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One who eats: takes what a limit limits, as much as it is told, and prints how much it got. It judges
 * nothing; the tests do. Every mode prints "done" and its numbers at the end, so who was stopped on the way
 * can be told apart.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MIB (1u << 20)
/* How long what was taken is held, so that who looks from time to time can see it. */
#define HOLD_MS 250

static void nap(long ms)
{
	struct timespec t = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };

	while (nanosleep(&t, &t) < 0 && errno == EINTR)
		;
}

static long long clock_us(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return t.tv_sec * 1000000LL + t.tv_nsec / 1000;
}

/* Of a process and the children it waited for. */
static long long used_us(int who)
{
	struct rusage u;

	getrusage(who, &u);
	return (u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000000LL + u.ru_utime.tv_usec + u.ru_stime.tv_usec;
}

static _Noreturn void give_up(const char *what, long long got)
{
	printf("%s %lld %s\n", what, got, strerrorname_np(errno));
	fflush(stdout);
	_exit(1);
}

static long long number(const char *text)
{
	char *unit;
	long long n = strtoll(text, &unit, 10);

	return *unit == 'g' ? n * MIB * 1024 : *unit == 'm' ? n * MIB : *unit == 'k' ? n * 1024 : n;
}

static void *map(size_t size, int flags)
{
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		give_up("mmap", (long long)size);
	return at;
}

static void touch(char *at, size_t size)
{
	for (size_t i = 0; i < size; i += 4096)
		at[i] = 1;
}

static pid_t fork_or_end(void)
{
	pid_t pid = fork();

	if (pid < 0)
		give_up("fork", 0);
	return pid;
}

/* BYTES, a MiB at a time with 2 ms between; prints each, so the last line is what it had. */
static void heap(char **arg)
{
	long long size = number(arg[0]);

	setvbuf(stdout, NULL, _IONBF, 0);
	for (long long n = 0; n < size; n += MIB) {
		touch(map(MIB, MAP_PRIVATE), MIB);
		printf("%lld\n", n + MIB);
		nap(2);
	}
	nap(HOLD_MS);
}

/* BYTES in one go, as fast as it can. */
static void gulp(char **arg)
{
	size_t size = (size_t)number(arg[0]);

	touch(map(size, MAP_PRIVATE), size);
	nap(HOLD_MS);
}

/* BYTES of addresses, of which one page is used. */
static void reserve(char **arg)
{
	size_t size = (size_t)number(arg[0]);

	touch(map(size, MAP_PRIVATE | MAP_NORESERVE), 4096);
	nap(HOLD_MS);
}

/* N processes hold something at the same time: each does WORK, then all wait. */
static void together(long n, void (*work)(char *at, size_t size), char *at, size_t size)
{
	int done[2], go[2];
	char byte;

	if (pipe(done) < 0 || pipe(go) < 0)
		give_up("pipe", 0);
	for (long i = 0; i < n; i++)
		if (fork_or_end() == 0) {
			work(at, size);
			close(go[1]);
			if (write(done[1], "", 1) != 1 || read(go[0], &byte, 1) < 0)
				_exit(1);
			_exit(0);
		}
	for (long i = 0; i < n; i++)
		if (read(done[0], &byte, 1) != 1)
			give_up("children", i);
	nap(HOLD_MS);
	close(go[1]);
	for (long i = 0; i < n; i++)
		wait(NULL);
}

static void touch_own(char *at, size_t size)
{
	(void)at;
	touch(map(size, MAP_PRIVATE), size);
}

static void each(char **arg)
{
	together(atol(arg[0]), touch_own, NULL, (size_t)number(arg[1]));
}

/* Gives half of it back and takes it again, for some seconds: no two looks at it see the same. */
static void churn_own(char *at, size_t size)
{
	(void)at;
	at = map(size, MAP_PRIVATE);
	touch(at, size);
	for (time_t end = time(NULL) + 3; time(NULL) < end;) {
		madvise(at, size / 2, MADV_DONTNEED);
		touch(at, size / 2);
	}
}

static void churn(char **arg)
{
	together(atol(arg[0]), churn_own, NULL, (size_t)number(arg[1]));
}

/* One mapping for all of them. */
static void shared(char **arg)
{
	size_t size = (size_t)number(arg[1]);
	char *at = map(size, MAP_SHARED);

	touch(at, size);
	together(atol(arg[0]), touch, at, size);
}

/* Inherited pages, of which each process makes its own. */
static void copies(char **arg)
{
	size_t size = (size_t)number(arg[1]);
	char *at = map(size, MAP_PRIVATE);

	touch(at, size);
	together(atol(arg[0]), touch, at, size);
}

static void fill(int fd, long long size)
{
	char *block = map(MIB, MAP_PRIVATE);
	long long n = 0;

	memset(block, 'x', MIB);
	while (n < size) {
		ssize_t got = write(fd, block, size - n < MIB ? (size_t)(size - n) : MIB);

		if (got <= 0)
			give_up("wrote", n);
		n += got;
	}
	munmap(block, MIB);
}

static void write_file(char **arg)
{
	int fd = open(arg[0], O_WRONLY | O_CREAT | O_TRUNC, 0644);

	if (fd < 0)
		give_up("open", 0);
	if (arg[2]) /* no signal: then the call fails */
		signal(SIGXFSZ, SIG_IGN);
	fill(fd, number(arg[1]));
	nap(HOLD_MS);
}

/* COUNT files in memory of BYTES each. "map": mapped, the descriptor closed; "open": held by it alone. */
static void memfd(char **arg)
{
	long count = atol(arg[0]);
	long long size = number(arg[1]);

	for (long i = 0; i < count; i++) {
		int fd = memfd_create("eat", 0);

		if (fd < 0)
			give_up("memfd", i);
		fill(fd, size);
		if (strcmp(arg[2], "map") != 0)
			continue;
		touch(mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0), (size_t)size);
		close(fd);
	}
	if (arg[3])
		together(atol(arg[3]), touch_own, NULL, 4096); /* others have the same descriptors */
	nap(HOLD_MS);
}

/* COUNT System V segments of BYTES each, filled and let go: nobody maps them, and they stay. */
static void sysv(char **arg)
{
	long count = atol(arg[0]);
	size_t size = (size_t)number(arg[1]);

	for (long i = 0; i < count; i++) {
		int id = shmget(IPC_PRIVATE, size, IPC_CREAT | 0600);
		char *at = id < 0 ? NULL : shmat(id, NULL, 0);

		if (id < 0 || at == (void *)-1)
			give_up("shm", i);
		touch(at, size);
		if (!arg[2])
			shmdt(at);
	}
	nap(HOLD_MS);
}

/* As much as fits into COUNT pipes, or pairs of sockets. */
static void stuff(char **arg, bool sockets)
{
	static char block[65536];
	long count = atol(arg[0]);
	long long total = 0;

	for (long i = 0; i < count; i++) {
		int p[2];
		ssize_t n;

		if ((sockets ? socketpair(AF_UNIX, SOCK_STREAM, 0, p) : pipe(p)) < 0) {
			printf("stopped %ld %s\n", i, strerrorname_np(errno));
			break;
		}
		if (!sockets)
			fcntl(p[1], F_SETPIPE_SZ, 1 << 20);
		fcntl(p[1], F_SETFL, O_NONBLOCK);
		while ((n = write(p[1], block, sizeof(block))) > 0)
			total += n;
	}
	printf("held %lld\n", total);
	fflush(stdout);
	nap(HOLD_MS);
}

static void pipes(char **arg)
{
	stuff(arg, false);
}

static void sockets(char **arg)
{
	stuff(arg, true);
}

/* N processes beside this one. "leave": they stay when it fails; "tidy": it takes them away first. */
static void forks(char **arg)
{
	long n = atol(arg[0]), i;
	int err = 0;

	for (i = 0; i < n; i++) {
		pid_t pid = fork();

		if (pid < 0) {
			err = errno;
			break;
		}
		if (pid == 0)
			for (;;)
				pause();
	}
	nap(HOLD_MS);
	if (arg[1] && !strcmp(arg[1], "tidy")) {
		signal(SIGTERM, SIG_IGN);
		kill(0, SIGTERM);
		while (wait(NULL) > 0)
			;
	}
	errno = err;
	if (err)
		give_up("forked", i);
	printf("forked %ld OK\n", i);
}

static void *thread(void *arg)
{
	while (pause() < 0) /* until all end with the process: the last may come late */
		;
	return arg;
}

static void threads(char **arg)
{
	long n = atol(arg[0]), i;
	pthread_attr_t attr;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 65536);
	for (i = 0; i < n; i++) {
		pthread_t id;
		int err = pthread_create(&id, &attr, thread, NULL);

		errno = err;
		if (err) {
			nap(HOLD_MS);
			errno = err;
			give_up("threads", i);
		}
	}
	nap(HOLD_MS);
	printf("threads %ld OK\n", i);
}

/* Descriptors until there are no more. */
static void files(char **arg)
{
	long n = 0;
	int fd, last = 0;

	(void)arg;
	while ((fd = open("/dev/null", O_RDONLY)) >= 0) {
		last = fd;
		n++;
	}
	printf("files %ld %s last %d\n", n, strerrorname_np(errno), last);
}

static void open_all(char *at, size_t size)
{
	(void)at;
	(void)size;
	while (open("/dev/null", O_RDONLY) >= 0)
		;
}

/* N processes, each with as many descriptors as it gets. */
static void hoard(char **arg)
{
	together(atol(arg[0]), open_all, NULL, 0);
}

static void inodes(char **arg)
{
	long n = atol(arg[1]);
	char path[256];

	for (long i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "%s/%ld", arg[0], i);
		int fd = open(path, O_WRONLY | O_CREAT, 0644);

		if (fd < 0)
			give_up("inodes", i);
		close(fd);
	}
	nap(HOLD_MS);
}

static void burn(long long us)
{
	while (clock_us(CLOCK_PROCESS_CPUTIME_ID) < us)
		;
}

/* N processes that use MS of processor time each. */
static void spin(char **arg)
{
	long n = atol(arg[1]);

	for (long i = 1; i < n; i++)
		if (fork_or_end() == 0) {
			burn(number(arg[0]) * 1000);
			_exit(0);
		}
	burn(number(arg[0]) * 1000);
	while (wait(NULL) > 0)
		;
	printf("cpu %lld\n", used_us(RUSAGE_SELF) + used_us(RUSAGE_CHILDREN));
}

/* N processes busy for MS on the clock: how much of the processors they got, and how long it took with what
 * they had to wait. */
static void busy(char **arg)
{
	long long began = clock_us(CLOCK_MONOTONIC), until = began + number(arg[0]) * 1000;
	long n = atol(arg[1]);

	for (long i = 0; i < n; i++)
		if (fork_or_end() == 0) {
			while (clock_us(CLOCK_MONOTONIC) < until)
				;
			_exit(0);
		}
	while (wait(NULL) > 0)
		;
	printf("cpu %lld\ntook %lld\n", used_us(RUSAGE_CHILDREN), clock_us(CLOCK_MONOTONIC) - began);
}

/* MS of processor time each in N children, one after the other, for whom nobody waits. */
static void unwaited(char **arg)
{
	long n = atol(arg[1]);

	signal(SIGCHLD, SIG_IGN);
	for (long i = 0; i < n; i++) {
		if (fork_or_end() == 0) {
			burn(number(arg[0]) * 1000);
			_exit(0);
		}
		while (wait(NULL) > 0) /* until it is gone, and with it its numbers */
			;
	}
}

/* Ends as somebody would who was killed for his memory, but was not. */
static void killed(char **arg)
{
	pid_t victim;

	if (!strcmp(arg[0], "self"))
		kill(getpid(), SIGKILL);
	if (!strcmp(arg[0], "exit"))
		_exit(137);
	victim = getpid();
	if (fork_or_end() == 0) {
		kill(victim, SIGKILL);
		_exit(0);
	}
	for (;;)
		pause();
}

/* A child takes BYTES and is killed for it; the parent says so and goes on as if nothing was. */
static void survivor(char **arg)
{
	int status;

	if (fork_or_end() == 0) {
		heap(arg);
		_exit(0);
	}
	wait(&status);
	printf("child %d\n", WIFSIGNALED(status) ? WTERMSIG(status) : -WEXITSTATUS(status));
}

static void nothing(char **arg)
{
	(void)arg;
	nap(HOLD_MS);
}

/* As many as there can be, and each of them the same. */
static void bomb(char **arg)
{
	(void)arg;
	for (;;)
		if (fork() < 0 && arg[0])
			nap(1);
}

/* The same, and each in a session of its own. */
static void swarm(char **arg)
{
	(void)arg;
	for (;;)
		if (fork() == 0)
			setsid();
}

static const struct meal {
	const char *name;
	void (*eat)(char **arg);
} meals[] = {
	{ "heap", heap },         { "gulp", gulp },        { "each", each },         { "shared", shared },
	{ "copies", copies },     { "write", write_file }, { "memfd", memfd },       { "sysv", sysv },
	{ "pipes", pipes },       { "sockets", sockets },  { "forks", forks },       { "threads", threads },
	{ "files", files },       { "inodes", inodes },    { "spin", spin },         { "busy", busy },
	{ "unwaited", unwaited }, { "killed", killed },    { "survivor", survivor }, { "bomb", bomb },
	{ "nothing", nothing },   { "hoard", hoard },      { "swarm", swarm },       { "churn", churn },
	{ "reserve", reserve },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc > 1 && i < sizeof(meals) / sizeof(*meals); i++)
		if (!strcmp(meals[i].name, argv[1])) {
			meals[i].eat(argv + 2);
			printf("done\n");
			return 0;
		}
	fprintf(stderr, "eat: no such meal\n");
	return 2;
}
