// SPDX-License-Identifier: Apache-2.0
import java.io.FileInputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;

class Want {
	public static void main(String[] args) throws Exception {
		var all = new ArrayList<Object>();
		switch (args[0]) {
		case "files":
			while (true)
				all.add(new FileInputStream("/dev/null"));
		case "forks":
			while (true)
				new ProcessBuilder("sleep", "30").start();
		case "threads":
			while (true) {
				var t = new Thread(() -> { try { Thread.sleep(30000); } catch (InterruptedException e) { } });
				t.setDaemon(true);
				t.start();
			}
		case "file_size":
			Files.write(Path.of("large"), new byte[3 << 20]);
			break;
		case "disk":
			try {
				Files.write(Path.of("/tmp/large"), new byte[20 << 20]);
			} finally {
				Files.delete(Path.of("/tmp/large"));
			}
			break;
		default:
			while (true)
				all.add(new byte[16 << 20]);
		}
	}
}
