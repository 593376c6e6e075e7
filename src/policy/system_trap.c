/* SPDX-License-Identifier: Apache-2.0 */
/* Which paths of a system are what, by tables. Makes no system calls. */
#include "policy/system_trap.h"

#include <fnmatch.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "base/casefold.h"
#include "policy/secret.h"

/* "*" crosses '/' here: what is below such a directory is meant, however deep. */
static const struct {
	const char *pattern;
	struct trap trap;
	bool guards; /* its removal opens something, too */
} rows[] = {
#define ROW(pattern, why)                         \
	{                                         \
		pattern, { "system", why }, false \
	}
#define GUARD(pattern, why)                      \
	{                                        \
		pattern, { "system", why }, true \
	}
	GUARD("etc/sudoers", "it says who becomes root by sudo"),
	GUARD("etc/sudoers.d/*", "it says who becomes root by sudo"),
	GUARD("etc/doas*.conf", "it says who becomes root by doas"),
	GUARD("etc/pam.d/*", "every login obeys it"),
	GUARD("etc/pam.conf", "every login obeys it"),
	GUARD("etc/security/*", "every login obeys it"),
	GUARD("usr/share/pam-configs/*", "every login obeys what is made from it"),
	GUARD("*/security/pam_*.so", "every login runs it"),
	GUARD("etc/passwd", "it says who may log in, and as whom"),
	GUARD("etc/group", "it says who belongs to which group"),
	GUARD("etc/subuid", "it says which ids a user may take on"),
	GUARD("etc/subgid", "it says which ids a user may take on"),
	GUARD("etc/login.defs", "every login obeys it"),
	GUARD("etc/nsswitch.conf", "it says who is asked about users and hosts"),
	GUARD("etc/ssh/*", "ssh obeys it at the next login"),
	GUARD("etc/polkit-1/*", "it says who may do what only root may"),
	GUARD("usr/share/polkit-1/*", "it says who may do what only root may"),
	GUARD("etc/apparmor*", "it says what programs may do"),
	GUARD("etc/selinux/*", "it says what programs may do"),
	GUARD("etc/audit/*", "it says what is recorded"),
	GUARD("etc/nftables*", "it says who may reach this machine"),
	GUARD("etc/iptables*", "it says who may reach this machine"),
	GUARD("etc/hosts.deny", "it says who may reach this machine"),
	GUARD("etc/securetty", "it says where root may log in"),
	ROW("etc/shells", "it says what counts as a login shell"),
	ROW("etc/cron*", "cron runs it as root at its time"),
	ROW("etc/anacrontab", "cron runs it as root at its time"),
	ROW("var/spool/cron/*", "cron runs it at its time"),
	ROW("var/spool/at/*", "at runs it at its time"),
	ROW("etc/systemd/*", "systemd obeys it at the next start"),
	ROW("usr/lib/systemd/*", "systemd obeys it at the next start"),
	ROW("usr/local/lib/systemd/*", "systemd obeys it at the next start"),
	ROW("lib/systemd/*", "systemd obeys it at the next start"),
	ROW("usr/share/dbus-1/*", "the bus starts it when somebody asks"),
	ROW("etc/dbus-1/*", "the bus starts it when somebody asks"),
	ROW("etc/init.d/*", "it runs at the next start of the machine"),
	ROW("etc/rc*", "it runs at the next start of the machine"),
	ROW("etc/inittab", "it runs at the next start of the machine"),
	ROW("etc/init/*", "it runs at the next start of the machine"),
	ROW("etc/ld.so.*", "every program loads what it names"),
	ROW("etc/profile*", "every login shell runs it"),
	ROW("etc/bash*", "every shell runs it"),
	ROW("etc/zsh*", "every shell runs it"),
	ROW("etc/fish/*", "every shell runs it"),
	ROW("etc/csh*", "every shell runs it"),
	ROW("etc/environment*", "every login takes its variables from it"),
	ROW("etc/X11/*", "it runs when a desktop starts"),
	ROW("etc/xdg/*", "it runs when a desktop starts"),
	ROW("etc/update-motd.d/*", "it runs as root at every login"),
	ROW("etc/apt/*", "apt obeys it: hooks, where packages come from, whose signatures count"),
	ROW("usr/share/keyrings/*", "apt trusts its signatures"),
	ROW("etc/dpkg/*", "dpkg obeys it at the next package"),
	ROW("etc/apk/*", "apk obeys it at the next package"),
	ROW("etc/kernel/*", "it runs at the next kernel"),
	ROW("etc/initramfs-tools/*", "it runs at the start of the machine"),
	ROW("usr/share/initramfs-tools/*", "it runs at the start of the machine"),
	ROW("boot/*", "the machine starts from it"),
	ROW("etc/default/*", "services take their settings from it"),
	ROW("etc/grub.d/*", "the machine starts by it"),
	ROW("etc/modprobe.d/*", "the kernel loads what it says"),
	ROW("etc/modules*", "the kernel loads what it says"),
	ROW("usr/lib/modprobe.d/*", "the kernel loads what it says"),
	ROW("usr/lib/modules/*", "the kernel loads it"),
	ROW("lib/modules/*", "the kernel loads it"),
	ROW("lib/firmware/*", "devices run it"),
	ROW("usr/lib/firmware/*", "devices run it"),
	ROW("etc/sysctl*", "the kernel obeys it at the next start"),
	ROW("usr/lib/sysctl.d/*", "the kernel obeys it at the next start"),
	ROW("etc/udev/*", "it runs as root when a device appears"),
	ROW("*lib/udev/*", "it runs as root when a device appears"),
	ROW("etc/tmpfiles.d/*", "systemd obeys it at the next start"),
	ROW("*lib/tmpfiles.d/*", "systemd obeys it at the next start"),
	ROW("*lib/sysusers.d/*", "systemd makes users from it"),
	ROW("etc/binfmt.d/*", "the kernel runs files by it"),
	ROW("*lib/binfmt.d/*", "the kernel runs files by it"),
	ROW("etc/logrotate*", "it runs as root every day"),
	ROW("etc/network/*", "it runs as root when the network changes"),
	ROW("etc/NetworkManager/*", "it runs as root when the network changes"),
	ROW("etc/dhcp/*", "it runs as root when the network changes"),
	ROW("etc/ppp/*", "it runs as root when the network changes"),
	ROW("etc/resolv.conf", "it says who is asked for addresses"),
	ROW("etc/hosts", "it says which address a name has"),
	ROW("etc/ssl/*", "programs trust what it contains"),
	ROW("etc/ca-certificates*", "programs trust what it contains"),
	ROW("usr/share/ca-certificates/*", "programs trust what it contains"),
	ROW("usr/local/share/ca-certificates/*", "programs trust what it contains"),
	ROW("etc/gitconfig", "git obeys it everywhere"),
	ROW("etc/alternatives/*", "a command leads where it says"),
	ROW("etc/inetd*", "it runs when somebody connects"),
	ROW("etc/xinetd*", "it runs when somebody connects"),
	ROW("etc/skel/*", "every new user gets it"),
	ROW("etc/fstab", "it says what is mounted"),
	ROW("etc/crypttab", "it says what is mounted"),
	ROW("etc/exports*", "it says which directories others may mount"),
	ROW("*/sitecustomize.py", "every Python runs it"),
	ROW("*/usercustomize.py", "every Python runs it"),
	ROW("*-packages/*.pth", "every Python runs it"),
	ROW("var/lib/dpkg/info/*inst", "dpkg runs it as root with the package"),
	ROW("var/lib/dpkg/info/*rm", "dpkg runs it as root with the package"),
	ROW("var/lib/dpkg/info/*.config", "dpkg runs it as root with the package"),
	ROW("var/lib/dpkg/info/*.triggers", "dpkg runs it as root with the package"),
	ROW("var/lib/dpkg/triggers/*", "dpkg runs what it names with other packages"),
	ROW("lib/apk/db/scripts*", "apk runs it as root with the package"),
#undef ROW
#undef GUARD
};

const struct trap system_trap_program = {
	"system", "it takes the place of a program or library that others run already"
};
const struct trap system_trap_shadow = { "system", "a command of the same name is in another directory: from "
						   "now on this one may run instead" };

const char *const system_command_dirs[] = { "usr/local/sbin", "usr/local/bin", "usr/sbin", "usr/bin",
					    "sbin",           "bin",           NULL };

static int find(const char *path)
{
	char folded[2 * PATH_MAX];

	casefold_path(path, folded, sizeof(folded));
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (fnmatch(rows[i].pattern, folded, FNM_CASEFOLD) == 0)
			return (int)i;
	return -1;
}

const struct trap *system_trap_of_name(const char *path)
{
	int i = find(path);

	return i < 0 ? NULL : &rows[i].trap;
}

const struct trap *system_trap_of_removal(const char *path)
{
	int i = find(path);

	return i >= 0 && rows[i].guards ? &rows[i].trap : NULL;
}

static bool is_one_of(const char *path, const char *const *patterns)
{
	for (; *patterns; patterns++)
		if (fnmatch(*patterns, path, 0) == 0)
			return true;
	return false;
}

/* Everybody may write to it; a sticky directory such as /tmp is meant to be so. */
static bool is_open(mode_t mode)
{
	return !S_ISLNK(mode) && (mode & S_IWOTH) && !(S_ISDIR(mode) && (mode & S_ISVTX));
}

const struct trap *system_trap_of_owner(const char *path, mode_t old_mode, uid_t old_owner, mode_t mode,
					uid_t owner)
{
	static const struct trap open_to_all = { "system", "everybody can write to it" };
	static const struct trap foreign = { "system",
					     "it belongs to a user that is not root, who can change it" };
	static const char *const places[] = { "etc/*", "usr/*", "bin/*", "sbin/*", "lib*", "boot/*", NULL };

	if (is_open(mode) && !(old_mode && is_open(old_mode)))
		return &open_to_all;
	if (owner != 0 && (!old_mode || old_owner != owner) && !S_ISLNK(mode) && is_one_of(path, places))
		return &foreign;
	return NULL;
}

bool system_trap_is_command(const char *path)
{
	for (const char *const *dir = system_command_dirs; *dir; dir++) {
		size_t n = strlen(*dir);

		if (!strncmp(path, *dir, n) && path[n] == '/' && !strchr(path + n + 1, '/'))
			return true;
	}
	return false;
}

const char *system_stays(const char *path)
{
	if (!strncmp(path, "etc/", 4))
		for (const char *const *name = secret_login_names; *name; name++)
			if (!strcmp(path + 4, *name))
				return "passwords of the box are its own";
	if (!strncmp(path, "etc/.pwd.lock", 13) || !strncmp(path, ".aisbx/", 7))
		return "it is of no use outside";
	return NULL;
}

bool system_is_package_db(const char *path)
{
	static const char *const patterns[] = { "var/lib/dpkg/status",
						"var/lib/dpkg/available",
						"var/lib/dpkg/diversions",
						"var/lib/dpkg/statoverride",
						"var/lib/dpkg/alternatives/*",
						"var/lib/dpkg/triggers/*",
						"var/lib/apt/extended_states",
						"lib/apk/db/*",
						"usr/lib/apk/db/*",
						"etc/apk/world",
						"var/lib/rpm/*",
						"usr/lib/sysimage/rpm/*",
						"var/lib/pacman/*",
						NULL };

	return is_one_of(path, patterns);
}

bool system_is_left_behind(const char *path)
{
	static const char *const patterns[] = { "var/log",
						"var/log/*",
						"var/cache",
						"var/cache/*",
						"var/lib/apt/lists/*",
						"var/lib/apt/periodic/*",
						"var/lib/dpkg/lock*",
						"var/lib/dpkg/triggers/Lock",
						"var/lib/dpkg/*-old",
						"var/lib/man-db/*",
						"lib/apk/db/lock",
						NULL };

	return is_one_of(path, patterns);
}

bool system_is_noise(const char *path)
{
	static const char *const patterns[] = { "etc/ld.so.cache",
						"etc/.pwd.lock",
						"etc/*-",
						"var/log/*",
						"var/cache/*",
						"var/lib/apt/*",
						"var/lib/dpkg/*",
						"var/lib/man-db/*",
						"var/lib/pam/seen",
						"var/lib/systemd/deb-systemd-helper-*",
						"lib/apk/*",
						"usr/lib/apk/*",
						"etc/apk/world",
						"*.pyc",
						"*/__pycache__",
						"*/__pycache__/*",
						"usr/share/mime/*.cache",
						"usr/share/icons/*/icon-theme.cache",
						NULL };

	return is_one_of(path, patterns) || system_stays(path);
}
