/* SPDX-License-Identifier: Apache-2.0 */
/* The shipped profiles. */
#include "policy/profile.h"

#include <linux/capability.h>
#include <string.h>

#define CAP(x) (1ULL << (x))
#define MIB    (1ULL << 20)

const struct profile profiles[] = {
	{
		.name = "dev",
		.about = "a person's or agent's daily work: the whole machine, cloned",
		.system_writable = true,
		/* What installing a package takes: giving files to their owners and acting as them. */
		.root_caps = CAP(CAP_CHOWN) | CAP(CAP_DAC_OVERRIDE) | CAP(CAP_FOWNER) | CAP(CAP_FSETID) |
			     CAP(CAP_SETGID) | CAP(CAP_SETUID),
		.net = NET_LOOPBACK,
		.env = ENV_ALL_BUT_SECRETS,
		.timeout_ms = 3600 * 1000,
		.disk_bytes = 4096 * MIB,
		.disk_inodes = 1000000,
		.pids = 4096,
		.files = 65536,
		.output_bytes = 256 * MIB,
	},
	{
		.name = "strict",
		.about = "a snippet of unknown origin: read-only system, no capability, small limits",
		.net = NET_NONE,
		.env = ENV_MINIMAL,
		.timeout_ms = 30 * 1000,
		.disk_bytes = 100 * MIB,
		.disk_inodes = 10000,
		.pids = 64,
		.files = 1024,
		.output_bytes = 16 * MIB,
	},
};
const unsigned int n_profiles = sizeof(profiles) / sizeof(*profiles);

const struct profile *profile_by_name(const char *name)
{
	for (unsigned int i = 0; i < n_profiles; i++)
		if (!strcmp(profiles[i].name, name))
			return &profiles[i];
	return NULL;
}

static const char *const net_names[] = { [NET_NONE] = "none", [NET_LOOPBACK] = "loopback" };

const char *net_mode_name(enum net_mode mode)
{
	return net_names[mode];
}

bool net_mode_by_name(const char *name, enum net_mode *ret_mode)
{
	for (unsigned int i = 0; i < sizeof(net_names) / sizeof(*net_names); i++)
		if (!strcmp(net_names[i], name)) {
			*ret_mode = (enum net_mode)i;
			return true;
		}
	return false;
}

const char *cap_name(unsigned int cap)
{
	static const char *const names[] = {
		"chown",	  "dac_override",     "dac_read_search", "fowner",	"fsetid",
		"kill",		  "setgid",	      "setuid",		 "setpcap",	"linux_immutable",
		"net_bind_service", "net_broadcast",  "net_admin",	 "net_raw",	"ipc_lock",
		"ipc_owner",	  "sys_module",	      "sys_rawio",	 "sys_chroot",	"sys_ptrace",
		"sys_pacct",	  "sys_admin",	      "sys_boot",	 "sys_nice",	"sys_resource",
		"sys_time",	  "sys_tty_config",   "mknod",		 "lease",	"audit_write",
		"audit_control",  "setfcap",	      "mac_override",	 "mac_admin",	"syslog",
		"wake_alarm",	  "block_suspend",    "audit_read",	 "perfmon",	"bpf",
		"checkpoint_restore",
	};

	return cap < sizeof(names) / sizeof(*names) ? names[cap] : NULL;
}
