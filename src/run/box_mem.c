/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory of a box without a control group: pages of its processes, and files in memory, which may be mapped
 * by no process. Data in sockets and pipes is not counted.
 */
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/end_with.h"
#include "base/scope.h"
#include "base/time.h"
#include "run/box_proc.h"
#include "sys/sys.h"

/* Not longer than this for descriptors at one look: the deadline is kept by the same loop. */
#define SEARCH_US 10000u
/* Files without a name are looked for when so much more lies in memory than is known of. */
#define SEARCH_PART 16 /* of the limit */
/* An answer that takes longer comes at the next look; one that takes much longer shall not come at all. */
#define ANSWER_MS   10
#define PATIENCE_MS 2000u
/* Mappings of this much are looked at one by one. */
#define SHARED_BYTES (1u << 20)

/* A file without a name that some process has open. */
struct nameless {
	uint64_t inode, bytes;
};

struct nameless_list {
	struct nameless *list; /* owned */
	size_t n, cap;
};

static void nameless_finish(struct nameless_list *l)
{
	free(l->list);
}

static int by_inode(const void *a, const void *b)
{
	const struct nameless *x = a, *y = b;

	return (x->inode > y->inode) - (x->inode < y->inode);
}

static void add_nameless(struct nameless_list *l, const struct stat *st)
{
	if (l->n == l->cap) {
		size_t cap = l->cap ? l->cap * 2 : 64;
		void *grown = realloc(l->list, cap * sizeof(*l->list));

		if (!grown)
			return;
		l->list = grown;
		l->cap = cap;
	}
	l->list[l->n++] = (struct nameless){ .inode = st->st_ino, .bytes = (uint64_t)st->st_blocks * 512u };
}

static DIR *open_dir(int at, const char *path)
{
	int fd = sys_open(at, path, O_RDONLY | O_DIRECTORY, 0);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (!dir && fd >= 0)
		close(fd);
	return dir;
}

static void search_process(const struct box_proc *b, pid_t pid, uint64_t until, struct nameless_list *l)
{
	const struct dirent *entry;
	char path[32];
	struct stat st;
	DIR *dir;

	snprintf(path, sizeof(path), "%d/fd", (int)pid);
	dir = open_dir(b->proc, path);
	while (dir && (entry = readdir(dir)) && time_us() < until) {
		char target[8];

		/* The name first: to look at any other file may mean to wait for the network. */
		if (readlinkat(dirfd(dir), entry->d_name, target, sizeof(target)) == sizeof(target) &&
		    memcmp(target, "/memfd:", 7) == 0 && sys_stat(dirfd(dir), entry->d_name, &st, 0) == 0 &&
		    st.st_dev == b->shmem_dev)
			add_nameless(l, &st);
	}
	if (dir)
		closedir(dir);
}

/* Bytes of all files without a name that processes hold by a descriptor, each file once. */
static uint64_t search(struct box_proc *b, struct nameless_list *l)
{
	uint64_t until = time_us() + SEARCH_US, sum = 0;
	size_t n = 0;

	for (size_t i = 0; i < b->n_seen && time_us() < until; i++)
		search_process(b, b->seen[(b->turn + i) % b->n_seen].pid, until, l);
	b->turn++; /* who cannot see all begins elsewhere the next time */
	if (l->n)
		qsort(l->list, l->n, sizeof(*l->list), by_inode);
	for (size_t i = 0; i < l->n; i++)
		if (n == 0 || l->list[n - 1].inode != l->list[i].inode) {
			l->list[n++] = l->list[i];
			sum += l->list[i].bytes;
		}
	l->n = n;
	return sum;
}

/* "KEY SHMID PERMS SIZE CPID LPID NATTCH UID GID CUID CGID ATIME DTIME CTIME RSS SWAP" */
static uint64_t sysv_bytes(const struct box_proc *b)
{
	unsigned long long rss, swap;
	char line[256];
	uint64_t sum = 0;

	if (!b->sysv)
		return 0;
	rewind(b->sysv);
	while (fgets(line, sizeof(line), b->sysv))
		if (sscanf(line, "%*d %*d %*o %*u %*d %*d %*u %*u %*u %*u %*u %*u %*u %*u %llu %llu", &rss,
			   &swap) == 2)
			sum += rss + swap;
	return sum;
}

static uint64_t field(const char *text, const char *key)
{
	const char *at = strstr(text, key);
	unsigned long long kib = 0;

	return at && sscanf(at + strlen(key), "%llu", &kib) == 1 ? kib * 1024u : 0;
}

/* What one process maps of files without a name that nobody has open. */
static uint64_t mapped_nameless(const struct box_proc *b, const char *pid, const struct nameless_list *open)
{
	unsigned int major_no, minor_no;
	unsigned long long inode, kib;
	bool counts = false;
	char path[32], line[512];
	int fd, name;
	uint64_t sum = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%.20s/smaps", pid);
	fd = sys_open(b->proc, path, O_RDONLY, 0);
	f = fd < 0 ? NULL : fdopen(fd, "r");
	if (!f) {
		if (fd >= 0)
			close(fd);
		return 0;
	}
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "%*x-%*x %*4s %*x %x:%x %llu %n", &major_no, &minor_no, &inode, &name) ==
		    3) {
			struct nameless key = { .inode = inode };

			counts = major_no == major(b->shmem_dev) && minor_no == minor(b->shmem_dev) &&
				 strncmp(line + name, "/SYSV", 5) != 0 &&
				 !(open->n && bsearch(&key, open->list, open->n, sizeof(key), by_inode));
		} else if (counts && sscanf(line, "Pss: %llu", &kib) == 1) {
			sum += kib * 1024u;
		}
	fclose(f);
	return sum;
}

static uint64_t resident(const struct box_proc *b, const char *pid)
{
	unsigned long long pages = 0;
	char text[256];

	if (box_proc_read(b->proc, pid, "statm", text, sizeof(text)) <= 0 ||
	    sscanf(text, "%*u %llu", &pages) != 1)
		return 0;
	return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Shared pages divided among those who share them; not to be had of a process that hides: then all of its. */
static uint64_t fair_bytes(const struct box_proc *b, const char *pid, const struct nameless_list *open)
{
	char text[2048];
	uint64_t in_files;

	if (box_proc_read(b->proc, pid, "smaps_rollup", text, sizeof(text)) > 0) {
		in_files = field(text, "\nPss_Shmem:"); /* those are counted where they lie */
		return field(text, "\nPss:") - in_files +
		       (in_files < SHARED_BYTES ? in_files : mapped_nameless(b, pid, open));
	}
	return resident(b, pid);
}

/* RET has a place for each; pid 1 is ours and has nothing. */
static void residents(const struct box_proc *b, uint64_t *ret)
{
	char pid[16];

	for (size_t i = 0; i < b->n_seen; i++) {
		snprintf(pid, sizeof(pid), "%d", (int)b->seen[i].pid);
		ret[i] = b->seen[i].pid == 1 ? 0 : resident(b, pid);
	}
}

static uint64_t fair_sum(const struct box_proc *b, const struct nameless_list *open)
{
	uint64_t sum = 0;
	char pid[16];

	for (size_t i = 0; i < b->n_seen; i++) {
		snprintf(pid, sizeof(pid), "%d", (int)b->seen[i].pid);
		sum += b->seen[i].pid == 1 ? 0 : fair_bytes(b, pid, open);
	}
	return sum;
}

/*
 * Shares are read process by process. A page that one more maps meanwhile has been counted whole already and
 * is counted again in part; one that is given up leaves greater shares to those who are read later. Either
 * changes what some process has resident, so all such changes are taken off: what is left was certainly used.
 * Where that is much, the box is looked at again.
 */
static int exact(const struct box_proc *b, const struct nameless_list *open, uint64_t *ret)
{
	uint64_t *before = calloc(2 * b->n_seen + 1, sizeof(*before)), *after;
	uint64_t sum = 0, changed = 0;

	*ret = 0;
	if (!before)
		return -1;
	after = before + b->n_seen;
	for (int tries = 0;
	     tries == 0 || (tries < 3 && changed > sum / 16 && time_ms() - b->asked_ms < ANSWER_MS);
	     tries++) {
		residents(b, before);
		sum = fair_sum(b, open);
		residents(b, after);
		changed = 0;
		for (size_t i = 0; i < b->n_seen; i++)
			changed += after[i] > before[i] ? after[i] - before[i] : before[i] - after[i];
		if (sum > changed && sum - changed > *ret)
			*ret = sum - changed;
	}
	free(before);
	return 0;
}

/*
 * Who reads the pages of a process waits while that one changes them, and one among thousands that run may
 * take seconds to be done. So a child waits, and the deadline is kept meanwhile. It has nothing of ours but
 * these two.
 */
static void count(struct box_proc *b, const struct nameless_list *open)
{
	const pid_t parent = getpid();
	int pair[2], high;
	uint64_t sum;

	if (sys_pipe(pair) < 0)
		return;
	b->asked_ms = time_ms();
	b->counter = sys_fork(SIGCHLD);
	if (b->counter == 0) {
		if (!end_with(parent, SIGKILL))
			_exit(1);
		high = fcntl(pair[1], F_DUPFD, 10);
		if (high < 0 || dup2(b->proc, 3) < 0 || dup2(high, 4) < 0 || sys_close_range(5, ~0u) < 0)
			_exit(1);
		b->proc = 3;
		_exit(exact(b, open, &sum) < 0 || sys_write_all(4, &sum, sizeof(sum)) < 0);
	}
	close(pair[1]);
	if (b->counter < 0) {
		b->counter = 0;
		close(pair[0]);
		return;
	}
	b->answer = pair[0];
}

void box_mem_stop(struct box_proc *b)
{
	if (!b->counter)
		return;
	kill(b->counter, SIGKILL);
	waitpid(b->counter, NULL, 0);
	b->counter = 0;
	close_fd(&b->answer);
}

/* False: not yet. A box that cannot be counted in time is taken for what it is at most. */
static bool counted(struct box_proc *b, const struct nameless_list *open, uint64_t at_most, uint64_t *ret)
{
	struct pollfd p = { .events = POLLIN };

	if (!b->counter)
		count(b, open);
	p.fd = b->answer;
	if (!b->counter || (poll(&p, 1, ANSWER_MS) == 0 && time_ms() - b->asked_ms < PATIENCE_MS))
		return false;
	if (!(p.revents & POLLIN) || sys_read(b->answer, ret, sizeof(*ret)) != sizeof(*ret))
		*ret = at_most;
	box_mem_stop(b);
	return true;
}

/* Without waiting for anybody: pages of their own, and the most that one of them shares with others. */
static uint64_t estimate(const struct box_proc *b, uint64_t files)
{
	unsigned long long all, shared;
	uint64_t sum = 0, most = 0;
	char pid[16], text[256];

	for (size_t i = 0; i < b->n_seen; i++) {
		snprintf(pid, sizeof(pid), "%d", (int)b->seen[i].pid);
		if (b->seen[i].pid == 1 || box_proc_read(b->proc, pid, "statm", text, sizeof(text)) <= 0 ||
		    sscanf(text, "%*u %llu %llu", &all, &shared) != 2)
			continue;
		sum += all - (shared < all ? shared : all);
		most = shared > most ? shared : most;
	}
	most *= (uint64_t)sysconf(_SC_PAGESIZE);
	return sum * (uint64_t)sysconf(_SC_PAGESIZE) + (most > files ? most : files);
}

static uint64_t grown_shmem(const struct box_proc *b)
{
	struct sysinfo machine;

	if (sysinfo(&machine) < 0 || machine.sharedram < b->shmem_before)
		return 0;
	return (machine.sharedram - b->shmem_before) * machine.mem_unit;
}

void box_mem_look(struct box_proc *b, uint64_t rss, uint64_t limit, struct run_usage *ret)
{
	scoped(nameless_finish) struct nameless_list open = { 0 };
	uint64_t files = b->staging_bytes + sysv_bytes(b), sum;

	if (limit && b->shmem_dev && grown_shmem(b) > files + limit / SEARCH_PART)
		files += search(b, &open);
	if (limit && rss + files > limit) {
		if (!counted(b, &open, rss, &sum))
			return;
		ret->mem = sum + files;
	} else if (rss + files > ret->mem_peak) {
		ret->mem = estimate(b, files);
	} else {
		ret->mem = rss + files;
		return;
	}
	if (ret->mem > ret->mem_peak)
		ret->mem_peak = ret->mem;
}
