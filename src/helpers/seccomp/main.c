/* SPDX-License-Identifier: Apache-2.0 */
/*
 * aisbx-seccomp: from a seccomp file as Docker has it (standard input) to the instructions for the kernel
 * (standard output). What is wrong is one line of standard error and status 1; what was left out is a line
 * that begins with "note: ". A program of its own, so that aisbx needs no libseccomp, and so that what reads
 * the file can do nothing else.
 */
#include <errno.h>
#include <linux/filter.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/asan.h"
#include "base/error.h"
#include "base/io.h"
#include "base/scope.h"
#include "base/std_fds.h"
#include "helpers/seccomp/translate.h"
#include "sys/confine.h"

#define MAX_BYTES   (1u << 20)
#define MAX_CODE    4096 /* BPF_MAXINSNS */
#define CPU_SECONDS 10

static void limit_all(void)
{
	const struct rlimit none = { 0, 0 }, cpu = { CPU_SECONDS, CPU_SECONDS };

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setrlimit(RLIMIT_CORE, &none);
	setrlimit(RLIMIT_CPU, &cpu);
#if !WITH_ASAN /* its shadow alone has terabytes */
	setrlimit(RLIMIT_AS, &(struct rlimit){ (rlim_t)512 << 20, (rlim_t)512 << 20 });
#endif
}

static int confine(struct aisbx_error *e)
{
	static const char *const nowhere[] = { NULL };
	const char *without = getenv("AISBX_WITHOUT");
	int r = confine_self(nowhere, e);

	return r < 0 && without && !strcmp(without, "landlock") ? 0 : r;
}

static int write_code(scmp_filter_ctx filter, struct aisbx_error *e)
{
	scoped(buf_finish) struct buf code = { 0 };
	scoped(drop_fd) int fd = memfd_create("aisbx-filter", MFD_CLOEXEC);
	int r = fd < 0 ? -errno : seccomp_export_bpf(filter, fd);

	if (r == 0 && lseek(fd, 0, SEEK_SET) < 0)
		r = -errno;
	if (r == 0)
		r = io_read_all(fd, MAX_CODE * sizeof(struct sock_filter), &code);
	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_POLICY, -r, "make a filter of it");
	if (code.len > MAX_CODE * sizeof(struct sock_filter))
		return aisbx_refuse(e, AISBX_KIND_LIMIT, AISBX_AREA_POLICY, E2BIG,
				    "it becomes a filter of more than %d instructions, which the kernel does "
				    "not take",
				    MAX_CODE);
	r = io_write_all(STDOUT_FILENO, code.data, code.len);
	return r < 0 ? aisbx_fail(e, AISBX_AREA_POLICY, -r, "write the filter") : 0;
}

static int run(struct aisbx_error *e)
{
	scoped(buf_finish) struct buf text = { 0 };
	struct translate_notes notes;
	scmp_filter_ctx filter = NULL;
	int r = confine(e);

	if (r < 0)
		return r;
	r = io_read_all(STDIN_FILENO, MAX_BYTES, &text);
	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_POLICY, -r, "read it");
	if (text.len > MAX_BYTES)
		return aisbx_refuse(e, AISBX_KIND_LIMIT, AISBX_AREA_POLICY, EFBIG,
				    "it has more than %u bytes", MAX_BYTES);
	r = translate(text.data, text.len, &filter, &notes, e);
	if (r < 0)
		return r;
	if (notes.unknown)
		fprintf(stderr, "note: %u unknown name%s of system calls left out, such as '%s'\n",
			notes.unknown, notes.unknown == 1 ? "" : "s", notes.first);
	r = write_code(filter, e);
	seccomp_release(filter);
	return r;
}

int main(void)
{
	struct aisbx_error e = AISBX_ERROR_INIT;

	std_fds_hold();
	limit_all();
	if (run(&e) == 0)
		return 0;
	fprintf(stderr, "%s\n", e.text);
	return 1;
}
