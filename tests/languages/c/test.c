/* SPDX-License-Identifier: Apache-2.0 */
/* The library, and what programs in C do through the C library: the calls that the preset `c` must have. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tally.h"

#define MUST(what)                                                                             \
	do {                                                                                   \
		if (!(what)) {                                                                 \
			printf("FAILED line %d: %s (%s)\n", __LINE__, #what, strerror(errno)); \
			exit(1);                                                               \
		}                                                                              \
	} while (0)

extern char **environ;

static void put(const char *key, double sum, void *ctx)
{
	char *text = ctx;

	sprintf(text + strlen(text), "%s %.2f;", key, sum);
}

static void sums(void)
{
	struct tally *t = tally_create();
	char text[256] = "";

	MUST(t && !tally_add(t, "2024-02-01,cake,4") && !tally_add(t, "2024-01-03,tea,3.5"));
	MUST(!tally_add(t, "2024-01-20,tea,1.5") && tally_add(t, "a,b") == -1);
	tally_each(t, put, text);
	MUST(!strcmp(text, "2024-01 tea 5.00;2024-02 cake 4.00;"));
	tally_destroy(t);
}

static void plugin(void)
{
	void *library = dlopen("out/libtally.so", RTLD_NOW);

	MUST(library && dlsym(library, "tally_create"));
	dlclose(library);
}

static void files(void)
{
	char buf[16];
	struct iovec parts[2] = { { buf, 2 }, { buf + 2, 2 } };
	struct timespec times[2] = { { 1, 0 }, { 2, 0 } };
	struct stat st;
	int fd = open("f", O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	void *map;
	DIR *d;

	MUST(fd >= 0 && write(fd, "0123456789", 10) == 10 && pwrite(fd, "ab", 2, 4) == 2 &&
	     pread(fd, buf, 4, 3) == 4);
	MUST(lseek(fd, 0, SEEK_SET) == 0 && readv(fd, parts, 2) == 4 && writev(fd, parts, 2) == 4);
	MUST(!fsync(fd) && !fdatasync(fd) && !ftruncate(fd, 4096) && !posix_fallocate(fd, 0, 8192) &&
	     !fchmod(fd, 0600));
	MUST(!flock(fd, LOCK_EX) && !lockf(fd, F_LOCK, 1) && dup2(fd, 20) == 20 && dup(fd) >= 0 &&
	     !close(20));
	map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	MUST(map != MAP_FAILED && !msync(map, 4096, MS_SYNC) && !munmap(map, 4096) && !fstat(fd, &st));
	MUST(!mkdir("d", 0755) && !symlink("f", "s") && !link("f", "h") && !rename("h", "d/m") &&
	     !chmod("f", 0644));
	MUST(readlink("s", buf, sizeof(buf)) == 1 && !utimensat(AT_FDCWD, "f", times, 0) &&
	     !truncate("f", 8) && !access("f", R_OK));
	MUST(!chown("f", getuid(), getgid()) && !lstat("s", &st) && S_ISLNK(st.st_mode) &&
	     !mkfifo("p", 0600) && !chdir("d"));
	MUST(!chdir("..") && (d = opendir(".")) && readdir(d) && !closedir(d) && umask(022) != (mode_t)-1);
	MUST(!unlink("d/m") && !rmdir("d") && !unlink("s") && !unlink("p") && !unlink("f") && !close(fd));
}

static void children(void)
{
	char *const words[] = { "sh", "-c", "exit 3", NULL };
	char buf[16] = "";
	int status, ends[2];
	FILE *out;
	pid_t pid;

	MUST(!pipe(ends) && (pid = fork()) >= 0);
	if (!pid) {
		setsid();
		dup2(ends[1], 1);
		_exit(write(1, "x", 1) != 1);
	}
	MUST(waitpid(pid, &status, 0) == pid && status == 0 && read(ends[0], buf, 1) == 1);
	MUST(!posix_spawnp(&pid, "sh", NULL, NULL, words, environ) && waitpid(pid, &status, 0) == pid);
	MUST(WEXITSTATUS(status) == 3 && WEXITSTATUS(system("exit 4")) == 4);
	MUST((out = popen("echo through", "r")) && fgets(buf, sizeof(buf), out) && !pclose(out) &&
	     !strcmp(buf, "through\n"));
	pid = vfork();
	if (!pid)
		_exit(5);
	MUST(pid > 0 && waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 5 && getppid() > 0 &&
	     getpgid(0) >= 0);
}

static volatile sig_atomic_t seen;

static void note(int number)
{
	(void)number;
	seen++;
}

static void signals(void)
{
	struct itimerval soon = { .it_value.tv_usec = 5000 };
	struct timespec second = { 1, 0 };
	sigset_t set, old;
	timer_t timer;
	int fd;

	signal(SIGALRM, note);
	signal(SIGUSR1, note);
	MUST(!sigemptyset(&set) && !sigaddset(&set, SIGALRM) && !sigprocmask(SIG_BLOCK, &set, &old));
	MUST(!setitimer(ITIMER_REAL, &soon, NULL) && sigsuspend(&old) == -1 && seen == 1);
	MUST(!sigprocmask(SIG_SETMASK, &old, NULL) && !kill(getpid(), SIGUSR1) && !raise(SIGUSR1) &&
	     seen == 3);
	alarm(100);
	MUST(alarm(0) <= 100 && !sigemptyset(&set) && !sigaddset(&set, SIGUSR2) &&
	     !sigprocmask(SIG_BLOCK, &set, NULL));
	MUST(!kill(getpid(), SIGUSR2) && sigtimedwait(&set, NULL, &second) == SIGUSR2 &&
	     (fd = signalfd(-1, &set, 0)) >= 0 && !close(fd));
	MUST(!timer_create(CLOCK_MONOTONIC, NULL, &timer) && !timer_delete(timer));
}

static void *add_up(void *arg)
{
	sem_post(arg);
	return NULL;
}

static void threads(void)
{
	pthread_t thread[4];
	sem_t done;

	MUST(!sem_init(&done, 0, 0));
	for (int i = 0; i < 4; i++)
		MUST(!pthread_create(&thread[i], NULL, add_up, &done));
	for (int i = 0; i < 4; i++)
		MUST(!sem_wait(&done) && !pthread_join(thread[i], NULL));
}

static void talk(void)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX, .sun_path = "socket" };
	int server = socket(AF_UNIX, SOCK_STREAM, 0), client = socket(AF_UNIX, SOCK_STREAM, 0), one = 1,
	    pair[2], other;
	socklen_t length = sizeof(one);
	char buf[4];

	MUST(!bind(server, (struct sockaddr *)&name, sizeof(name)) && !listen(server, 1));
	MUST(!connect(client, (struct sockaddr *)&name, sizeof(name)) &&
	     (other = accept(server, NULL, NULL)) >= 0);
	MUST(send(client, "x", 1, 0) == 1 && recv(other, buf, 1, 0) == 1 && !shutdown(client, SHUT_WR));
	MUST(!setsockopt(client, SOL_SOCKET, SO_KEEPALIVE, &one, sizeof(one)));
	MUST(!getsockopt(client, SOL_SOCKET, SO_TYPE, &one, &length) && one == SOCK_STREAM);
	MUST(!socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) && send(pair[0], "x", 1, 0) == 1 &&
	     recv(pair[1], buf, 4, 0) == 1);
	unlink("socket");
}

static void network(void)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICHOST }, *found;
	struct sockaddr_storage name;
	socklen_t length = sizeof(name);
	struct iovec part = { "x", 1 };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
	char buf[4];
	int server, client, other;

	MUST(!getaddrinfo("127.0.0.1", "0", &hints, &found));
	server = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	client = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	MUST(!bind(server, found->ai_addr, found->ai_addrlen) && !listen(server, 1));
	MUST(!getsockname(server, (struct sockaddr *)&name, &length) &&
	     !connect(client, (struct sockaddr *)&name, length));
	MUST((other = accept4(server, NULL, NULL, SOCK_CLOEXEC)) >= 0 &&
	     !getpeername(other, (struct sockaddr *)&name, &length));
	MUST(sendmsg(client, &message, 0) == 1);
	part.iov_base = buf;
	MUST(recvmsg(other, &message, 0) == 1 && buf[0] == 'x');
	freeaddrinfo(found);
}

static void waiting(void)
{
	struct itimerspec soon = { .it_value.tv_nsec = 1000 };
	struct epoll_event event = { .events = EPOLLIN };
	struct timeval second = { 1, 0 };
	struct pollfd p = { .events = POLLIN };
	int counter = eventfd(1, 0), timer = timerfd_create(CLOCK_MONOTONIC, 0), epoll = epoll_create1(0);
	fd_set set;

	p.fd = counter;
	FD_ZERO(&set);
	FD_SET(counter, &set);
	MUST(poll(&p, 1, 1000) == 1 && select(counter + 1, &set, NULL, NULL, &second) == 1 &&
	     !timerfd_settime(timer, 0, &soon, NULL));
	MUST(!epoll_ctl(epoll, EPOLL_CTL_ADD, timer, &event) && epoll_wait(epoll, &event, 1, 1000) == 1);
	MUST(!usleep(10));
}

static void numbers(void)
{
	struct rlimit limit;
	struct rusage usage;

	MUST(!getrlimit(RLIMIT_NOFILE, &limit) && !setrlimit(RLIMIT_NOFILE, &limit) &&
	     !getrusage(RUSAGE_SELF, &usage));
	MUST(sysconf(_SC_NPROCESSORS_ONLN) > 0 && getuid() == geteuid() && time(NULL) > 0 &&
	     memfd_create("m", 0) >= 0);
}

int main(void)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} tests[] = { { "sums", sums },         { "plugin", plugin },   { "files", files },
		      { "children", children }, { "signals", signals }, { "threads", threads },
		      { "talk", talk },         { "network", network }, { "waiting", waiting },
		      { "numbers", numbers } };

	for (size_t i = 0; i < sizeof(tests) / sizeof(*tests); i++) {
		tests[i].run();
		printf("ok %s\n", tests[i].name);
		fflush(stdout);
	}
	printf("%zu tests, 0 failed\n", sizeof(tests) / sizeof(*tests));
	return 0;
}
