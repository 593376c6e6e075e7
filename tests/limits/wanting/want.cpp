// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <string>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <vector>

static void must(bool good)
{
	if (!good)
		throw std::system_error(errno, std::generic_category());
}

static void fill(const char *path, size_t n)
{
	std::string bytes(n, 'x');
	int fd = open(path, O_WRONLY | O_CREAT, 0644);

	must(fd >= 0);
	for (size_t done = 0; done < n;) {
		ssize_t got = write(fd, bytes.data() + done, n - done);

		must(got > 0);
		done += (size_t)got;
	}
}

int main(int, char **argv)
{
	std::string what = argv[1];

	while (what == "files")
		must(open("/dev/null", O_RDONLY) >= 0);
	while (what == "threads")
		std::thread([] { std::this_thread::sleep_for(std::chrono::seconds(30)); }).detach();
	if (what == "file_size") {
		std::signal(SIGXFSZ, SIG_IGN);
		fill("large", 3 << 20);
	}
	if (what == "disk")
		try {
			fill("/tmp/large", 20 << 20);
		} catch (...) {
			std::filesystem::remove("/tmp/large");
			throw;
		}
	if (what == "memory")
		return std::vector<char>(size_t(2) << 30, 'x')[1] != 'x';
}
