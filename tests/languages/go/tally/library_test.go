// SPDX-License-Identifier: Apache-2.0

// What Go programs do through the standard library: the calls that the preset `go` must have.
package tally

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestFiles(t *testing.T) {
	place := t.TempDir()
	f := filepath.Join(place, "a", "f")
	must(t, os.MkdirAll(filepath.Dir(f), 0o755))
	must(t, os.WriteFile(f, []byte("0123456789"), 0o644))
	must(t, os.Symlink("f", f+"-link"))
	must(t, os.Link(f, f+"-hard"))
	must(t, os.Rename(f+"-hard", f+"-moved"))
	must(t, os.Chmod(f, 0o600))
	must(t, os.Chtimes(f, time.Unix(1, 0), time.Unix(2, 0)))
	must(t, os.Chown(f, os.Getuid(), os.Getgid()))
	must(t, os.Truncate(f+"-moved", 8))
	h, err := os.OpenFile(f, os.O_RDWR, 0)
	must(t, err)
	_, err = h.WriteAt([]byte("ab"), 2)
	must(t, err)
	_, err = h.ReadAt(make([]byte, 4), 2)
	must(t, err)
	_, err = h.Seek(0, io.SeekStart)
	must(t, err)
	must(t, h.Truncate(6))
	must(t, h.Sync())
	must(t, h.Chmod(0o640))
	must(t, syscall.Flock(int(h.Fd()), syscall.LOCK_EX))
	to, err := os.Create(f + "-copy")
	must(t, err)
	_, err = io.Copy(to, h)
	must(t, err)
	must(t, to.Close())
	must(t, h.Close())
	names, err := filepath.Glob(filepath.Join(place, "a", "*"))
	must(t, err)
	if len(names) != 4 {
		t.Fatal(names)
	}
	if to, err := os.Readlink(f + "-link"); err != nil || to != "f" {
		t.Fatal(to, err)
	}
	before, err := os.Getwd()
	must(t, err)
	must(t, os.Chdir(place))
	must(t, os.Chdir(before))
}

func TestCommands(t *testing.T) {
	out, err := exec.Command("cat", "/dev/null").CombinedOutput()
	must(t, err)
	if len(out) != 0 {
		t.Fatal(string(out))
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if err := exec.CommandContext(ctx, "sleep", "10").Run(); err == nil {
		t.Fatal("it was not stopped")
	}
	var exit *exec.ExitError
	if !errors.As(exec.Command("sh", "-c", "exit 3").Run(), &exit) || exit.ExitCode() != 3 {
		t.Fatal(exit)
	}
}

func TestServer(t *testing.T) {
	name := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", name)
	must(t, err)
	go func() {
		c, err := l.Accept()
		if err == nil {
			_, _ = io.Copy(c, c)
			c.Close()
		}
	}()
	c, err := net.Dial("unix", name)
	must(t, err)
	_, err = c.Write([]byte("echo"))
	must(t, err)
	must(t, c.(*net.UnixConn).CloseWrite())
	back, err := io.ReadAll(c)
	must(t, err)
	if string(back) != "echo" {
		t.Fatal(string(back))
	}
	c.Close()
	must(t, l.Close())
	_, err = net.Interfaces()
	must(t, err)
}

func TestNetwork(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	go func() { // gives back what it gets
		c, err := l.Accept()
		if err == nil {
			_, _ = io.Copy(c, c)
			c.Close()
		}
	}()
	c, err := net.Dial("tcp", l.Addr().String())
	must(t, err)
	f, err := os.Open("tally.go")
	must(t, err)
	n, err := io.Copy(c, f) // by sendfile
	must(t, err)
	must(t, c.(*net.TCPConn).CloseWrite())
	reader, writer, err := os.Pipe()
	must(t, err)
	go func() {
		_, _ = io.Copy(writer, c)
		writer.Close()
	}()
	back, err := io.ReadAll(reader)
	must(t, err)
	if int64(len(back)) != n {
		t.Fatal(len(back), n)
	}
	must(t, l.Close())
}

func TestDatagrams(t *testing.T) {
	place := t.TempDir()
	to, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: filepath.Join(place, "d"), Net: "unixgram"})
	must(t, err)
	from, err := net.Dial("unixgram", filepath.Join(place, "d"))
	must(t, err)
	_, err = from.Write([]byte("x"))
	must(t, err)
	n, _, err := to.ReadFromUnix(make([]byte, 4))
	must(t, err)
	if n != 1 {
		t.Fatal(n)
	}
	from.Close()
	to.Close()
}

func TestSignals(t *testing.T) {
	seen := make(chan os.Signal, 1)
	signal.Notify(seen, syscall.SIGUSR1)
	me, err := os.FindProcess(os.Getpid())
	must(t, err)
	must(t, me.Signal(syscall.SIGUSR1))
	<-seen
	signal.Reset()
}

func TestWork(t *testing.T) {
	done := make(chan int)
	for i := 0; i < 4; i++ {
		go func() {
			sum := 0
			var keep [][]byte
			for n := 0; n < 2000; n++ {
				keep = append(keep, make([]byte, 4096))
				sum += len(keep[n])
			}
			done <- sum
		}()
	}
	for i := 0; i < 4; i++ {
		<-done
	}
	runtime.GC()
	time.Sleep(time.Millisecond)
	if host, err := os.Hostname(); err != nil || host == "" {
		t.Fatal(err)
	}
}
