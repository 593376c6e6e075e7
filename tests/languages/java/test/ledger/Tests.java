// SPDX-License-Identifier: Apache-2.0
package ledger;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.Selector;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPOutputStream;

/** The ledger, and what Java programs do through the standard library: the calls that the preset `java` must have. */
public final class Tests {
    private static Path place;

    private static void same(Object expected, Object actual) {
        if (!expected.equals(actual))
            throw new AssertionError("expected " + expected + ", got " + actual);
    }

    private static void sums() {
        Book book = new Book();
        for (String line : List.of("2024-01-03,tea,3.5", "2024-01-20,tea,1.5", "2024-02-01,cake,4"))
            book.add(line);
        same("2024-01 tea 5.00\n2024-02 cake 4.00", book.report());
    }

    private static void mistakes() {
        try {
            new Book().add("a,b");
        } catch (IllegalArgumentException e) {
            return;
        }
        throw new AssertionError("it was taken");
    }

    private static void files() throws IOException {
        Path f = place.resolve("a/f");
        Files.createDirectories(f.getParent());
        Files.writeString(f, "0123456789");
        Files.copy(f, place.resolve("copy"));
        Files.createSymbolicLink(place.resolve("link"), Path.of("a/f"));
        Files.createLink(place.resolve("hard"), f);
        Files.move(place.resolve("hard"), place.resolve("moved"), StandardCopyOption.ATOMIC_MOVE);
        Files.setPosixFilePermissions(f, PosixFilePermissions.fromString("rw-r-----"));
        Files.setLastModifiedTime(f, FileTime.fromMillis(1000));
        Files.setOwner(f, Files.getOwner(f));
        same(Path.of("a/f"), Files.readSymbolicLink(place.resolve("link")));
        same(f.toRealPath(), place.resolve("link").toRealPath());
        same(true, Files.getFileStore(f).getTotalSpace() > 0 && Files.isReadable(f));
        try (FileChannel c = FileChannel.open(f, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            c.lock().release();
            c.write(ByteBuffer.wrap(new byte[] {'a', 'b'}), 2);
            c.read(ByteBuffer.allocate(4), 2);
            c.write(new ByteBuffer[] {ByteBuffer.wrap(new byte[] {'x'}), ByteBuffer.wrap(new byte[] {'y'})});
            c.position(0).read(new ByteBuffer[] {ByteBuffer.allocate(1), ByteBuffer.allocate(1)});
            c.force(true);
            c.force(false);
            var map = c.map(FileChannel.MapMode.READ_WRITE, 0, 10);
            map.put(0, (byte) 'z');
            map.force();
            c.truncate(6);
            try (FileChannel to = FileChannel.open(place.resolve("to"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
                same(6L, c.transferTo(0, 6, to));
            }
        }
        try (RandomAccessFile r = new RandomAccessFile(f.toFile(), "rw")) {
            r.setLength(3);
        }
        same(3L, Files.size(f));
        try (var gz = new GZIPOutputStream(Files.newOutputStream(place.resolve("gz")))) {
            gz.write(new byte[1000]);
        }
        try (var list = Files.list(place)) {
            same(6L, list.count());
        }
        Path temporary = Files.createTempFile("ledger", ".tmp");
        Files.delete(temporary);
    }

    private static void watching() throws Exception {
        try (var watcher = FileSystems.getDefault().newWatchService()) {
            place.register(watcher, StandardWatchEventKinds.ENTRY_CREATE);
            Files.createFile(place.resolve("new"));
            same("new", watcher.poll(20, TimeUnit.SECONDS).pollEvents().get(0).context().toString());
        }
    }

    private static void commands() throws Exception {
        Process cat = new ProcessBuilder("cat").start();
        try (var in = cat.getOutputStream()) {
            in.write("through".getBytes());
        }
        same("through", new String(cat.getInputStream().readAllBytes()));
        same(3, new ProcessBuilder("sh", "-c", "exit 3").directory(place.toFile()).start().waitFor());
        Process slow = new ProcessBuilder("sleep", "10").inheritIO().start();
        same(true, slow.toHandle().isAlive() && ProcessHandle.current().pid() > 0);
        slow.destroyForcibly().waitFor();
    }

    private static void talk() throws Exception {
        var address = UnixDomainSocketAddress.of(place.resolve("socket"));
        try (var server = ServerSocketChannel.open(StandardProtocolFamily.UNIX); Selector selector = Selector.open()) {
            server.bind(address).configureBlocking(false);
            server.register(selector, SelectionKey.OP_ACCEPT);
            try (SocketChannel client = SocketChannel.open(address)) {
                client.write(ByteBuffer.wrap("echo".getBytes()));
                selector.select();
                ByteBuffer got = ByteBuffer.allocate(10);
                try (SocketChannel other = server.accept()) {
                    other.read(got);
                    client.shutdownOutput();
                }
                same(4, got.position());
            }
        }
        try (var inet = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
             Socket client = new Socket(inet.getInetAddress(), inet.getLocalPort()); Socket other = inet.accept()) {
            client.setTcpNoDelay(true);
            other.setSoTimeout(10000);
            client.getOutputStream().write('x');
            same((int) 'x', other.getInputStream().read());
        }
        try (var udp = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
            udp.send(new DatagramPacket(new byte[1], 1, udp.getLocalSocketAddress()));
            udp.receive(new DatagramPacket(new byte[1], 1));
        }
    }

    private static void threads() throws Exception {
        var pool = Executors.newFixedThreadPool(4);
        List<Callable<Integer>> work = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            int n = i;
            work.add(() -> n * n);
        }
        int sum = 0;
        for (var result : pool.invokeAll(work))
            sum += result.get();
        same(2470, sum);
        pool.shutdown();
        same(true, pool.awaitTermination(10, TimeUnit.SECONDS));
        Thread.sleep(1);
        Thread.yield();
        List<byte[]> keep = new ArrayList<>();
        for (int i = 0; i < 2000; i++)
            keep.add(new byte[10000]);
        keep.clear();
        System.gc();
        same(true, new java.security.SecureRandom().generateSeed(8).length == 8);
        same(true, Runtime.getRuntime().availableProcessors() > 0);
    }

    private interface Body {
        void run() throws Exception;
    }

    public static void main(String[] args) throws Exception {
        Map<String, Body> tests = new LinkedHashMap<>();
        tests.put("sums", Tests::sums);
        tests.put("mistakes", Tests::mistakes);
        tests.put("files", Tests::files);
        tests.put("watching", Tests::watching);
        tests.put("commands", Tests::commands);
        tests.put("talk", Tests::talk);
        tests.put("threads", Tests::threads);
        place = Files.createTempDirectory("ledger");
        for (var test : tests.entrySet()) {
            test.getValue().run();
            System.out.println("ok " + test.getKey());
        }
        try (var all = Files.walk(place)) {
            all.sorted(Comparator.reverseOrder()).forEach(p -> p.toFile().delete());
        }
        System.out.println(tests.size() + " tests, 0 failed");
    }
}
