/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Coverage that survives exec, _exit, SIGKILL and a change of the root: before any code of the program
 * runs, its counters are mapped over a shared file, so that every count is kept the moment it is made.
 * Compiled without --coverage, linked into every program of the build; see tools/coverage/run.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <gcov.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef COV_DIR
#error "say -DCOV_DIR=\"/where/counters/are/kept\""
#endif

/* The beginning of gcc 12's struct gcov_info. */
struct info {
	unsigned int version;
	void *next;
	unsigned int stamp, checksum;
	const char *filename;
};

extern char __cov_cnt_start[], __cov_cnt_end[];
extern struct info *__gcov_info_start[], *__gcov_info_end[];
extern void __gcov_init(void *info);

static void mix(uint64_t *hash, const void *data, size_t len)
{
	for (const unsigned char *c = data; len--; c++)
		*hash = (*hash ^ *c) * 0x100000001b3ull;
}

/* The same for every run of one program, different for programs with other counters. */
static uint64_t name_of_program(size_t len)
{
	uint64_t hash = 0xcbf29ce484222325ull;

	mix(&hash, &len, sizeof(len));
	for (struct info **i = __gcov_info_start; i < __gcov_info_end; i++) {
		mix(&hash, &(*i)->stamp, sizeof((*i)->stamp));
		mix(&hash, (*i)->filename, strlen((*i)->filename));
	}
	return hash;
}

static int open_counters(uint64_t name)
{
	char path[] = COV_DIR "/0123456789abcdef.cnt";
	int fd;

	for (int k = 0; k < 16; k++, name <<= 4)
		path[sizeof(COV_DIR) + (size_t)k] = "0123456789abcdef"[name >> 60];
	fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	if (fd >= 0 || errno != ENOENT)
		return fd;
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd >= 0)
		fchmod(fd, 0666); /* for the other users of the suite, whatever the umask */
	else if (errno == EEXIST)
		fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	return fd;
}

static void map_counters(void)
{
	size_t len = (size_t)(__cov_cnt_end - __cov_cnt_start);
	int fd = len ? open_counters(name_of_program(len)) : -1;
	struct stat st;

	if (fd < 0)
		return; /* inside a box: counts stay where nobody sees them */
	if (fstat(fd, &st) == 0 && ((size_t)st.st_size == len || ftruncate(fd, (off_t)len) == 0))
		mmap(__cov_cnt_start, len, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0);
	close(fd);
}

static void start(int argc, char **argv, char **envp)
{
	int saved = errno;

	(void)argc;
	(void)argv;
	map_counters();
	for (; *envp; envp++)
		if (!strcmp(*envp, "COV_DUMP=1")) {
			for (struct info **i = __gcov_info_start; i < __gcov_info_end; i++)
				__gcov_init(*i);
			__gcov_dump();
			_exit(0);
		}
	errno = saved;
}

__attribute__((section(".preinit_array"), used)) static void (*const start_pointer)(int, char **,
										    char **) = start;
