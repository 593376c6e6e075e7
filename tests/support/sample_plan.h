/* SPDX-License-Identifier: Apache-2.0 */
/* A plan with one of everything, for the unit tests, the fuzzer's corpus and whoever else needs one. */
#ifndef TESTS_SAMPLE_PLAN_H
#define TESTS_SAMPLE_PLAN_H

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/resource.h>

#include "jail/build.h"

/* As root's plans are when SHIFT, as an ordinary user's otherwise. Finish B whatever comes of it. */
static inline void sample_plan(struct plan_builder *b, bool shift)
{
	static const struct sock_filter allow[] = { BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW) };
	const int idmap = shift ? PLAN_IDMAP : 0;

	b->head.order.walls = WALL_ALL;
	b->head.order.flags = PLAN_LOOPBACK | (shift ? PLAN_SHIFT : 0);
	b->head.order.uid = b->head.order.gid = shift ? 0 : 1000;
	b->head.order.uid_host = b->head.order.gid_host = shift ? 1879048192u : 1000;
	b->head.order.id_count = shift ? 65536 : 1;
	b->head.keep_caps = shift ? 0xff : 0;
	b->head.disk_bytes = 64u << 20;
	b->head.disk_inodes = 1000;
	b->head.timeout_ms = 1000;
	b->head.hostname = plan_add_string(b, "host");
	b->head.cwd = plan_add_string(b, "/work");
	plan_set_rlimit(b, RLIMIT_CORE, 0, 0);
	plan_set_rlimit(b, RLIMIT_NOFILE, 1024, 4096);
	plan_add_op(b, PLAN_CLONE, PLAN_WRITABLE | idmap, 0, "/", "/");
	plan_add_op(b, PLAN_DIR, 0, 01777, NULL, "/dev/shm");
	b->head.layers = plan_add_string(b, "/state/layers");
	plan_add_clone(b, PLAN_WRITABLE | idmap, "/work", "/work", "/l-1/up\0/l-1/work\0/l-0/up", 26);
	plan_add_op(b, PLAN_LINK, 0, 0, "usr/bin", "/bin");
	plan_add_op(b, PLAN_BIND, PLAN_OPTIONAL | idmap, 0, "/dev/null", "/dev/null");
	plan_add_op(b, PLAN_SCRATCH, 0, 0700, NULL, "/home/u");
	plan_add_op(b, PLAN_PROC, 0, 0, NULL, "/proc");
	plan_add_op(b, PLAN_PTS, 0, 0, NULL, "/dev/pts");
	plan_add_op(b, PLAN_MASK, PLAN_WATCH, 0, NULL, "/etc/secret");
	plan_add_op(b, PLAN_LOCK, PLAN_OPTIONAL, 0, NULL, "/proc/sys");
	plan_add_file(b, PLAN_REPLACE, 0640, "/etc/note", "a\0b", 3);
	plan_add_rule(b, PLAN_RULE_READ, "/");
	plan_add_rule(b, PLAN_RULE_WRITE, "/work");
	plan_add_rule(b, PLAN_RULE_DEVICE, "/dev");
	plan_add_arg(b, "sh");
	plan_add_arg(b, "");
	plan_add_env(b, "PATH=/usr/bin");
	plan_add_env(b, "EMPTY=");
	plan_set_filter(b, allow, 1);
}

#endif
