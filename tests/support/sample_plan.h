/* SPDX-License-Identifier: Apache-2.0 */
/* A plan with one of everything, for the unit tests, the fuzzer's corpus and whoever else needs one. */
#ifndef TESTS_SAMPLE_PLAN_H
#define TESTS_SAMPLE_PLAN_H

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/resource.h>

#include "jail/build.h"

/* As root's plans are when SHIFT, as an ordinary user's otherwise. Finish B whatever comes of it. */
static inline void sample_plan(struct jail_plan_builder *b, bool shift)
{
	static const struct sock_filter allow[] = { BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW) };
	const int idmap = shift ? JAIL_PLAN_IDMAP : 0;

	b->head.order.walls = WALL_ALL;
	b->head.order.flags = JAIL_PLAN_LOOPBACK | (shift ? JAIL_PLAN_SHIFT : 0);
	b->head.order.uid = b->head.order.gid = shift ? 0 : 1000;
	b->head.order.uid_host = b->head.order.gid_host = shift ? 1879048192u : 1000;
	b->head.order.id_count = shift ? 65536 : 1;
	b->head.keep_caps = shift ? 0xff : 0;
	b->head.disk_bytes = 64u << 20;
	b->head.disk_inodes = 1000;
	b->head.timeout_ms = 1000;
	b->head.hostname = jail_plan_add_string(b, "host");
	b->head.cwd = jail_plan_add_string(b, "/work");
	jail_plan_set_rlimit(b, RLIMIT_CORE, 0, 0);
	jail_plan_set_rlimit(b, RLIMIT_NOFILE, 1024, 4096);
	jail_plan_add_op(b, JAIL_PLAN_CLONE, JAIL_PLAN_WRITABLE | idmap, 0, "/", "/");
	jail_plan_add_op(b, JAIL_PLAN_DIR, 0, 01777, NULL, "/dev/shm");
	b->head.layers = jail_plan_add_string(b, "/state/layers");
	jail_plan_add_clone(b, JAIL_PLAN_WRITABLE | idmap, "/work", "/work", "/l-1/up\0/l-1/work\0/l-0/up",
			    26);
	jail_plan_add_op(b, JAIL_PLAN_LINK, 0, 0, "usr/bin", "/bin");
	jail_plan_add_op(b, JAIL_PLAN_BIND, JAIL_PLAN_OPTIONAL | idmap, 0, "/dev/null", "/dev/null");
	jail_plan_add_op(b, JAIL_PLAN_SCRATCH, 0, 0700, NULL, "/home/u");
	jail_plan_add_op(b, JAIL_PLAN_PROC, 0, 0, NULL, "/proc");
	jail_plan_add_op(b, JAIL_PLAN_PTS, 0, 0, NULL, "/dev/pts");
	jail_plan_add_op(b, JAIL_PLAN_MASK, JAIL_PLAN_WATCH, 0, NULL, "/etc/secret");
	jail_plan_add_op(b, JAIL_PLAN_LOCK, JAIL_PLAN_OPTIONAL, 0, NULL, "/proc/sys");
	jail_plan_add_file(b, JAIL_PLAN_REPLACE, 0640, "/etc/note", "a\0b", 3);
	jail_plan_add_device(b, "/dev/fuse", "/dev/fuse", &(struct jail_plan_device){ 10, 229 });
	jail_plan_add_rule(b, JAIL_PLAN_RULE_READ, "/");
	jail_plan_add_rule(b, JAIL_PLAN_RULE_WRITE, "/work");
	jail_plan_add_rule(b, JAIL_PLAN_RULE_DEVICE, "/dev");
	jail_plan_add_arg(b, "sh");
	jail_plan_add_arg(b, "");
	jail_plan_add_env(b, "PATH=/usr/bin");
	jail_plan_add_env(b, "EMPTY=");
	jail_plan_set_filter(b, allow, 1);
	jail_plan_add_filter(b, allow, 1);
}

#endif
