/* SPDX-License-Identifier: Apache-2.0 */
/* Collects what a command trips over, each kind once, with a count. */
#include "run/trip.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/scope.h"

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

static void add(struct run_outcome *out, enum run_trip_kind kind, int number, int32_t pid)
{
	struct run_trip *t;

	for (size_t i = 0; i < out->n_trips; i++)
		if (out->trips[i].kind == kind && out->trips[i].number == number) {
			out->trips[i].count++;
			return;
		}
	if (out->n_trips == RUN_MAX_TRIPS) {
		out->trips_not_kept++;
		return;
	}
	t = &out->trips[out->n_trips++];
	*t = (struct run_trip){ .kind = kind, .number = number, .pid = pid, .count = 1 };
	if (pid > 0)
		read_comm(pid, t->comm, sizeof(t->comm));
}

/* The answer is always EPERM, and nothing of the caller's memory is looked at. */
void trip_answer(int *notify_fd, struct run_outcome *out)
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
	add(out, RUN_TRIP_SYSCALL, in.notif.data.nr, (int32_t)in.notif.pid);
	memset(&answer, 0, sizeof(answer));
	answer.resp.id = in.notif.id;
	answer.resp.error = -EPERM;
	ioctl(*notify_fd, SECCOMP_IOCTL_NOTIF_SEND, &answer.resp); /* fails only if the caller is dead by now */
}

void trip_guard_decoy(int decoy)
{
	/* A tripwire, not a wall: where a lease cannot be had, the decoy is still only a decoy. */
	if (fcntl(decoy, F_SETSIG, TRIP_SIGNAL) == 0)
		fcntl(decoy, F_SETLEASE, F_WRLCK);
}

void trip_decoy_opened(const int *decoys, unsigned int n, int fd, struct run_outcome *out)
{
	for (unsigned int i = 0; i < n; i++)
		if (decoys[i] == fd) {
			add(out, RUN_TRIP_DECOY, (int)i + 1, 0);
			fcntl(fd, F_SETLEASE, F_UNLCK); /* once is enough to know; now let them read */
		}
}
