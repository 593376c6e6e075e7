/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a program and kills it, or one that it started, before a certain system call.
 * usage: kill-at PROCESS:CALL[:SIGNAL] LOG PROGRAM [ARGUMENT...]
 * The CALLth call of the PROCESSth process, threads counted as processes, both from 1; 0:0 kills nobody. LOG
 * gets a line for each process: its number, how many calls it made, and their numbers. Ends as PROGRAM did,
 * when all have ended. With SIGNAL, a number, all of its processes get that signal then, as by Ctrl-C.
 */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROCESSES 4096

struct process {
	pid_t pid;
	size_t n, room;
	long *calls; /* owned */
};

struct run {
	struct process list[PROCESSES];
	size_t n;
	size_t process;
	size_t call;
	int signal; /* for all; 0: that one is killed */
	bool killed;
};

static void die(const char *what)
{
	perror(what);
	exit(99);
}

static struct process *find(struct run *r, pid_t pid)
{
	for (size_t i = r->n; i > 0; i--)
		if (r->list[i - 1].pid == pid)
			return &r->list[i - 1];
	if (r->n == PROCESSES) {
		errno = E2BIG;
		die("kill-at");
	}
	r->list[r->n].pid = pid;
	return &r->list[r->n++];
}

static void note(struct process *p, long number)
{
	if (p->n == p->room) {
		p->room = 2 * p->room + 256;
		p->calls = realloc(p->calls, p->room * sizeof(*p->calls));
		if (!p->calls)
			die("kill-at");
	}
	p->calls[p->n++] = number;
}

/* At the start of a call: true if this is the one. */
static bool enter(struct run *r, struct process *p)
{
	struct __ptrace_syscall_info info = { 0 };

	if (ptrace(PTRACE_GET_SYSCALL_INFO, p->pid, sizeof(info), &info) < 0)
		return false;
	if (info.op != PTRACE_SYSCALL_INFO_ENTRY)
		return false;
	note(p, (long)info.entry.nr);
	return !r->killed && (size_t)(p - r->list) + 1 == r->process && p->n == r->call;
}

static void stopped(struct run *r, pid_t pid, int status)
{
	struct process *p = find(r, pid);
	int sig = WSTOPSIG(status);

	if (sig == (SIGTRAP | 0x80)) {
		if (enter(r, p)) {
			r->killed = true;
			for (size_t i = 0; r->signal && i < r->n; i++)
				kill(r->list[i].pid,
				     r->signal); /* one that has ended gets none: its id is still ours */
			if (!r->signal) {
				kill(pid, SIGKILL);
				return;
			}
		}
		sig = 0;
	} else if (status >> 16) {
		sig = 0; /* a new process, or a new program in an old one */
	} else if (sig == SIGSTOP && !p->n) {
		sig = 0; /* how a new one begins */
	}
	ptrace(PTRACE_SYSCALL, pid, 0, sig);
}

static pid_t start(char **argv)
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (pid == 0) {
		if (ptrace(PTRACE_TRACEME, 0, 0, 0) < 0)
			die("ptrace");
		raise(SIGSTOP);
		execv(argv[0], argv);
		die(argv[0]);
	}
	return pid;
}

static void write_log(const struct run *r, const char *path)
{
	FILE *f = fopen(path, "we");

	if (!f)
		die(path);
	for (size_t i = 0; i < r->n; i++) {
		fprintf(f, "%zu %zu", i + 1, r->list[i].n);
		for (size_t k = 0; k < r->list[i].n; k++)
			fprintf(f, " %ld", r->list[i].calls[k]);
		fputc('\n', f);
		free(r->list[i].calls);
	}
	if (fclose(f) != 0)
		die(path);
}

int main(int argc, char **argv)
{
	static struct run r;
	int status, end = 0;
	pid_t first, pid;

	if (argc < 4 || sscanf(argv[1], "%zu:%zu:%d", &r.process, &r.call, &r.signal) < 2) {
		fprintf(stderr, "usage: kill-at PROCESS:CALL[:SIGNAL] LOG PROGRAM [ARGUMENT...]\n");
		return 99;
	}
	first = start(argv + 3);
	if (waitpid(first, &status, 0) < 0)
		die("waitpid");
	find(&r, first);
	if (ptrace(PTRACE_SETOPTIONS, first, 0,
		   PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE |
			   PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL) < 0)
		die("ptrace");
	ptrace(PTRACE_SYSCALL, first, 0, 0);
	while ((pid = waitpid(-1, &status, __WALL)) > 0 || errno == EINTR) {
		if (pid > 0 && WIFSTOPPED(status))
			stopped(&r, pid, status);
		else if (pid == first)
			end = status;
	}
	write_log(&r, argv[2]);
	if (WIFSIGNALED(end)) {
		signal(WTERMSIG(end), SIG_DFL);
		raise(WTERMSIG(end));
	}
	return WIFEXITED(end) ? WEXITSTATUS(end) : 98;
}
