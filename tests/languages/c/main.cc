// SPDX-License-Identifier: Apache-2.0
// Sums up the sales it is given on standard input, beside a thread that counts lines.
#include <atomic>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <mutex>
#include <regex>
#include <stdexcept>
#include <string>
#include <thread>

#include "tally.h"

int main()
{
	std::unique_ptr<tally, decltype(&tally_destroy)> book(tally_create(), tally_destroy);
	std::atomic<int> lines{0};
	std::mutex lock;
	std::string line;

	while (std::getline(std::cin, line)) {
		std::thread([&] {
			std::lock_guard<std::mutex> guard(lock);
			lines++;
		}).join();
		try {
			if (tally_add(book.get(), line.c_str()))
				throw std::invalid_argument(line);
		} catch (const std::exception &e) {
			std::cerr << e.what() << '\n';
			return 1;
		}
	}
	tally_each(book.get(), [](const char *key, double sum, void *) { std::printf("%s %.2f\n", key, sum); }, nullptr);
	const auto file = std::filesystem::temp_directory_path() / "tally-lines";
	std::ofstream(file) << lines << '\n';
	std::printf("%ju bytes in a file\n", static_cast<uintmax_t>(std::filesystem::file_size(file)));
	std::filesystem::remove(file);
	return 0;
}
