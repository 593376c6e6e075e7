/* SPDX-License-Identifier: Apache-2.0 */
/* Processor time and number of all processes of a box, from its own /proc. */
#include "run/box_proc.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/scope.h"
#include "sys/sys.h"

struct sum {
	uint64_t ticks, own_ticks, rss_pages, threads;
	struct box_process *list; /* owned */
	size_t n, cap;
};

ssize_t box_proc_read(int proc, const char *pid, const char *file, char *ret, size_t cap)
{
	char path[64];
	scoped(drop_fd) int fd = -1;
	ssize_t n;

	snprintf(path, sizeof(path), "%.20s/%s", pid, file);
	fd = sys_open(proc, path, O_RDONLY, 0);
	n = fd < 0 ? fd : sys_read(fd, ret, cap - 1);
	ret[n > 0 ? n : 0] = '\0';
	return n;
}

void box_proc_init(struct box_proc *b)
{
	*b = (struct box_proc){ .proc = -1, .staging = -1, .answer = -1 };
}

void box_proc_start(struct box_proc *b, int proc, int staging, int sysv)
{
	scoped(drop_fd) int nameless = memfd_create("aisbx", MFD_CLOEXEC);
	struct sysinfo machine;
	struct stat st;

	b->proc = proc;
	b->staging = staging;
	b->sysv = sysv < 0 ? NULL : fdopen(sysv, "r");
	if (sysv >= 0 && !b->sysv)
		close(sysv);
	b->shmem_before = sysinfo(&machine) == 0 ? machine.sharedram : 0;
	b->shmem_dev = nameless >= 0 && fstat(nameless, &st) == 0 ? st.st_dev : 0;
}

void box_proc_finish(struct box_proc *b)
{
	box_mem_stop(b);
	close_fd(&b->proc);
	close_fd(&b->staging);
	if (b->sysv)
		fclose(b->sysv);
	free(b->seen);
	box_proc_init(b);
}

static void remember(struct sum *sum, struct box_process p)
{
	if (sum->n == sum->cap) {
		size_t cap = sum->cap ? sum->cap * 2 : 16;
		void *grown = realloc(sum->list, cap * sizeof(*sum->list));

		if (!grown)
			return;
		sum->list = grown;
		sum->cap = cap;
	}
	sum->list[sum->n++] = p;
}

/* A program chooses its own name, so the fields are counted from behind it. */
static void add_process(int proc, const char *pid, struct sum *sum)
{
	unsigned long long user, system, children_user, children_system, threads, started, rss;
	char text[1024];
	const char *rest;

	if (box_proc_read(proc, pid, "stat", text, sizeof(text)) <= 0 || !(rest = strrchr(text, ')')))
		return;
	if (sscanf(rest + 1,
		   " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu %llu %llu %*d %*d %llu %*d %llu "
		   "%*u %llu",
		   &user, &system, &children_user, &children_system, &threads, &started, &rss) != 7)
		return;
	sum->ticks += user + system + children_user + children_system;
	sum->own_ticks += user + system;
	sum->threads += threads;
	if (strcmp(pid, "1") != 0) /* pid 1 is ours */
		sum->rss_pages += rss;
	remember(sum, (struct box_process){ .pid = atoi(pid), .started = started, .ticks = user + system });
}

static int by_pid(const void *a, const void *b)
{
	const struct box_process *x = a, *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

/*
 * The time of a child goes to its parent when that waits for it, and to nobody when the parent does not want
 * to. So there is a second sum: what each process was seen to have used itself. Neither is ever too large.
 */
static void settle_gone(struct box_proc *b, struct sum *sum)
{
	if (sum->n)
		qsort(sum->list, sum->n, sizeof(*sum->list), by_pid);
	for (size_t i = 0; i < b->n_seen; i++) {
		const struct box_process *now =
			sum->n ? bsearch(&b->seen[i], sum->list, sum->n, sizeof(*sum->list), by_pid) : NULL;

		if (!now || now->started != b->seen[i].started)
			b->gone_ticks += b->seen[i].ticks;
	}
	free(b->seen);
	b->seen = sum->list;
	b->n_seen = sum->n;
}

void box_proc_count(struct box_proc *b, struct run_usage *ret, uint64_t *ret_rss)
{
	int copy = sys_open(b->proc, ".", O_RDONLY | O_DIRECTORY, 0);
	DIR *dir = copy < 0 ? NULL : fdopendir(copy);
	struct sum sum = { 0 };
	const struct dirent *entry;
	uint64_t cpu_us;

	*ret_rss = 0;
	if (!dir) {
		if (copy >= 0)
			close(copy);
		return;
	}
	while ((entry = readdir(dir)))
		if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9')
			add_process(b->proc, entry->d_name, &sum);
	closedir(dir);
	settle_gone(b, &sum);
	sum.own_ticks += b->gone_ticks;
	cpu_us = (sum.own_ticks > sum.ticks ? sum.own_ticks : sum.ticks) * 1000000u /
		 (uint64_t)sysconf(_SC_CLK_TCK);
	if (cpu_us > ret->cpu_us)
		ret->cpu_us = cpu_us;
	ret->pids = sum.threads;
	if (sum.threads > ret->pids_peak)
		ret->pids_peak = sum.threads;
	*ret_rss = sum.rss_pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

void run_usage_peaks(struct run_usage *u)
{
	if (u->disk > u->disk_peak)
		u->disk_peak = u->disk;
	if (u->inodes > u->inodes_peak)
		u->inodes_peak = u->inodes;
}

void box_proc_staging(struct box_proc *b, struct run_usage *ret)
{
	struct statfs sf;
	uint64_t inodes;

	if (b->staging < 0 || fstatfs(b->staging, &sf) < 0)
		return;
	b->staging_bytes = (uint64_t)(sf.f_blocks - sf.f_bfree) * (uint64_t)sf.f_bsize;
	inodes = (uint64_t)(sf.f_files - sf.f_ffree);
	ret->disk = b->staging_bytes > b->own.bytes ? b->staging_bytes - b->own.bytes : 0;
	ret->inodes = inodes > b->own.inodes ? inodes - b->own.inodes : 0;
	run_usage_peaks(ret);
}

void box_proc_kill(const struct box_proc *b)
{
	int copy = b->proc < 0 ? -1 : sys_open(b->proc, ".", O_RDONLY | O_DIRECTORY, 0);
	DIR *dir = copy < 0 ? NULL : fdopendir(copy);
	const struct dirent *entry;

	if (!dir && copy >= 0)
		close(copy);
	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9') {
			scoped(drop_fd) int process =
				sys_open(dirfd(dir), entry->d_name, O_RDONLY | O_DIRECTORY, 0);

			if (process >= 0)
				sys_pidfd_signal(process, SIGKILL);
		}
	if (dir)
		closedir(dir);
}
