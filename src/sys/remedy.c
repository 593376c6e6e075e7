/* SPDX-License-Identifier: Apache-2.0 */
/* Remedies as a table: what is missing, on which kind of machine and by which errno, and what helps. */
#include "sys/remedy.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAMESPACES                                                                                 \
	(PROBE_BIT(USERNS) | PROBE_BIT(MOUNT) | PROBE_BIT(PID) | PROBE_BIT(NET) | PROBE_BIT(IPC) | \
	 PROBE_BIT(UTS) | PROBE_BIT(CGROUP))
#define MOUNTS \
	(PROBE_BIT(ROOT) | PROBE_BIT(TMPFS) | PROBE_BIT(OVERLAY) | PROBE_BIT(PROCFS) | PROBE_BIT(IDMAP))
#define ANYTHING ((1u << PROBE_COUNT) - 1)

static bool used_up(const struct probe_facts *f, int err)
{
	(void)f;
	return err == ENOSPC || err == EUSERS;
}

static bool unknown_call(const struct probe_facts *f, int err)
{
	(void)f;
	return err == ENOSYS || err == EINVAL;
}

static bool refused(int err)
{
	return err == EPERM || err == EACCES || err == ENOSYS;
}

static bool by_docker(const struct probe_facts *f, int err)
{
	return refused(err) && !strcmp(f->container, "docker");
}

static bool by_pod(const struct probe_facts *f, int err)
{
	return refused(err) && !strcmp(f->container, "kubernetes");
}

static bool used_up_outside(const struct probe_facts *f, int err)
{
	return (err == ENOSPC || err == EUSERS) && (f->container[0] || !f->first_userns);
}

static bool by_podman(const struct probe_facts *f, int err)
{
	return refused(err) && !strcmp(f->container, "podman");
}

static bool by_debian(const struct probe_facts *f, int err)
{
	return refused(err) && f->userns_clone == 0;
}

static bool by_apparmor(const struct probe_facts *f, int err)
{
	return refused(err) && f->apparmor_userns > 0 && f->uid != 0;
}

static bool by_filter(const struct probe_facts *f, int err)
{
	(void)f;
	return err == EPERM || err == EACCES;
}

static bool no_module(const struct probe_facts *f, int err)
{
	(void)f;
	return err == ENODEV;
}

static bool listener_above(const struct probe_facts *f, int err)
{
	(void)f;
	return err == EBUSY;
}

static bool not_booted(const struct probe_facts *f, int err)
{
	(void)f;
	return err == EOPNOTSUPP;
}

static bool not_marked(const struct probe_facts *f, int err)
{
	(void)f;
	return err == EOPNOTSUPP || err == EIO; /* what overlayfs makes of a mark that it cannot set */
}

static bool works(const struct probe_facts *f, int err)
{
	(void)f;
	return err == 0;
}

static bool always(const struct probe_facts *f, int err)
{
	(void)f;
	(void)err;
	return true;
}

struct row {
	uint32_t ids; /* PROBE_BIT()s it may help */
	bool (*when)(const struct probe_facts *f, int err);
	const char *text; /* NULL: the AppArmor profile, whose place is looked up */
};

/* The first row that fits is taken: from the particular to the general. */
static const struct row rows[] = {
	{ PROBE_BIT(USERNS), used_up_outside,
	  "on the host, not in the container: sudo sysctl user.max_user_namespaces=15000; until then 'aisbx "
	  "look' and 'aisbx look --scratch' work, which need no namespace" },
	{ PROBE_BIT(USERNS), used_up, "sudo sysctl user.max_user_namespaces=15000" },
	{ PROBE_BIT(MOUNT), used_up, "sudo sysctl user.max_mnt_namespaces=15000" },
	{ PROBE_BIT(PID), used_up, "sudo sysctl user.max_pid_namespaces=15000" },
	{ PROBE_BIT(NET), used_up, "sudo sysctl user.max_net_namespaces=15000" },
	{ PROBE_BIT(IPC), used_up, "sudo sysctl user.max_ipc_namespaces=15000" },
	{ PROBE_BIT(UTS), used_up, "sudo sysctl user.max_uts_namespaces=15000" },
	{ PROBE_BIT(CGROUP), used_up, "sudo sysctl user.max_cgroup_namespaces=15000" },
	{ PROBE_BIT(SECCOMP), listener_above,
	  "another supervisor (LXD, or a box of aisbx) is already listening, and the kernel allows only one: "
	  "run aisbx outside of it, or use --without seccomp" },
	{ PROBE_BIT(LANDLOCK), not_booted,
	  "add landlock to the kernel's list: in /etc/default/grub set "
	  "GRUB_CMDLINE_LINUX=\"lsm=landlock,LIST\" with LIST from 'cat /sys/kernel/security/lsm', then sudo "
	  "update-grub && sudo reboot; or use --without landlock" },
	{ PROBE_BIT(LANDLOCK), works, "Linux 6.12 or later, for full support" },
	{ PROBE_BIT(OVERLAY), no_module, "sudo modprobe overlay" },
	{ PROBE_BIT(PROCFS), by_docker, "docker run --security-opt systempaths=unconfined ..." },
	{ PROBE_BIT(PROCFS), by_podman, "podman run --security-opt unmask=ALL ..." },
	{ ANYTHING, by_pod,
	  "in the pod: spec.hostUsers: false, and in the container's securityContext: seccompProfile: {type: "
	  "Unconfined}, appArmorProfile: {type: Unconfined}, procMount: Unmasked" },
	{ ANYTHING, by_docker,
	  "docker run --security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt "
	  "systempaths=unconfined ..." },
	{ ANYTHING, by_podman,
	  "podman run --security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt "
	  "unmask=ALL ..." },
	{ NAMESPACES | MOUNTS, by_debian, "sudo sysctl kernel.unprivileged_userns_clone=1" },
	{ NAMESPACES | MOUNTS, by_apparmor, NULL },
	{ PROBE_BIT(PROCFS), by_filter,
	  "a part of /proc is masked here, as in most containers, or an outer filter forbids it: start the "
	  "container with an unmasked /proc" },
	{ NAMESPACES, unknown_call,
	  "a kernel with CONFIG_USER_NS, CONFIG_PID_NS, CONFIG_NET_NS, CONFIG_IPC_NS, CONFIG_UTS_NS and "
	  "CONFIG_CGROUPS ('grep _NS= /boot/config-$(uname -r)'), and no outer filter that blocks clone3 or "
	  "mount_setattr" },
	{ PROBE_BIT(TMPFS) | PROBE_BIT(OVERLAY), not_marked,
	  "Linux 6.6 or later with CONFIG_TMPFS_XATTR=y: sudo apt full-upgrade && sudo reboot" },
	{ PROBE_BIT(IDMAP), always,
	  "a root file system that supports id-mapped mounts (ext4, xfs or btrfs on Linux 5.19 or later), or "
	  "run aisbx as an ordinary user: runuser -u USER -- aisbx run ..." },
	{ PROBE_BIT(OVERLAY), unknown_call,
	  "Linux 6.6 or later with CONFIG_OVERLAY_FS: sudo apt full-upgrade && sudo reboot" },
	{ PROBE_BIT(LANDLOCK), always,
	  "Linux 6.12 or later with CONFIG_SECURITY_LANDLOCK=y (at least 5.13); or use --without landlock" },
	{ PROBE_BIT(SECCOMP), always,
	  "a kernel with CONFIG_SECCOMP_FILTER=y (Linux 5.0 or later) and no outer filter that blocks "
	  "seccomp(2); or use --without seccomp" },
	{ PROBE_BIT(FDS), unknown_call, "Linux 5.9 or later and no outer filter that blocks close_range(2)" },
	{ ANYTHING, by_filter,
	  "an outer container, filter or security module refuses this: run aisbx outside of it; sudo dmesg | "
	  "grep -iE 'apparmor|selinux|seccomp' may name it" },
	{ ANYTHING, always, "Linux 6.6 or later, and no outer container or filter that blocks the call" },
};

/* Installed: <prefix>/share/aisbx/apparmor/aisbx beside <prefix>/bin/aisbx; else as in the source tree. */
static char *apparmor_remedy(void)
{
	char exe[PATH_MAX], path[PATH_MAX + 64] = "packaging/apparmor/aisbx";
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	const char *first = "install aisbx in /usr or /usr/local (its profile covers no other place), then ";
	char *slash, *text = NULL;

	exe[n > 0 ? n : 0] = '\0';
	if (!strcmp(exe, "/usr/bin/aisbx") || !strcmp(exe, "/usr/local/bin/aisbx"))
		first = "";
	slash = strstr(exe, "/bin/aisbx");
	if (slash && !slash[strlen("/bin/aisbx")]) {
		snprintf(path, sizeof(path), "%.*s/share/aisbx/apparmor/aisbx", (int)(slash - exe), exe);
		if (access(path, R_OK) < 0)
			snprintf(path, sizeof(path), "packaging/apparmor/aisbx");
	}
	if (asprintf(&text,
		     "%ssudo cp %s /etc/apparmor.d/aisbx && sudo apparmor_parser -r /etc/apparmor.d/aisbx",
		     first, path) < 0)
		return NULL;
	return text;
}

char *remedy(const struct probe *p, enum probe_id id)
{
	const struct probe_item *item = &p->items[id];
	const struct row *row = rows;
	char *text = NULL;

	if (item->needs >= 0)
		return asprintf(&text, "get '%s' first", probe_name((enum probe_id)item->needs)) < 0 ? NULL
												     : text;
	while (!(row->ids & (1u << id)) || !row->when(&p->facts, item->err))
		row++; /* the last row fits everything */
	return row->text ? strdup(row->text) : apparmor_remedy();
}

const char *limits_remedy(const struct probe_facts *f)
{
	if (!strcmp(f->cgroup, "none"))
		return "sudo mount -t cgroup2 cgroup2 /sys/fs/cgroup";
	if (f->real_root)
		return "a control group in which this user may make groups: run aisbx outside of the "
		       "container";
	if (!strcmp(f->cgroup, "v2"))
		return "systemd-run --user --scope -p Delegate=yes $SHELL, and run aisbx from there";
	return "root; or a host with cgroup v2 (boot it with systemd.unified_cgroup_hierarchy=1), and there: "
	       "systemd-run --user "
	       "--scope -p Delegate=yes $SHELL";
}
