// SPDX-License-Identifier: Apache-2.0
//! What Rust programs do through the standard library: the calls that the preset `rust` must have.
use std::fs;
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{symlink, FileExt, PermissionsExt};
use std::os::unix::net::{UnixDatagram, UnixListener, UnixStream};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

fn place(name: &str) -> PathBuf {
    let place = std::env::temp_dir().join(format!("tally-{}-{name}", std::process::id()));
    fs::create_dir_all(place.join("a/b")).unwrap();
    place
}

#[test]
fn files() {
    let place = place("files");
    let f = place.join("f");
    fs::write(&f, "0123456789").unwrap();
    fs::copy(&f, place.join("a/copy")).unwrap();
    fs::hard_link(&f, place.join("hard")).unwrap();
    fs::rename(place.join("hard"), place.join("moved")).unwrap();
    symlink("f", place.join("link")).unwrap();
    assert_eq!(fs::read_link(place.join("link")).unwrap(), PathBuf::from("f"));
    assert_eq!(fs::canonicalize(place.join("link")).unwrap(), fs::canonicalize(&f).unwrap());
    fs::set_permissions(&f, fs::Permissions::from_mode(0o600)).unwrap();
    let mut h = fs::OpenOptions::new().read(true).write(true).open(&f).unwrap();
    h.write_at(b"ab", 2).unwrap();
    h.read_at(&mut [0; 4], 2).unwrap();
    h.seek(SeekFrom::Start(0)).unwrap();
    h.write_vectored(&[std::io::IoSlice::new(b"x"), std::io::IoSlice::new(b"y")]).unwrap();
    h.sync_all().unwrap();
    h.sync_data().unwrap();
    h.set_len(6).unwrap();
    h.set_permissions(fs::Permissions::from_mode(0o640)).unwrap();
    assert_eq!(fs::metadata(&f).unwrap().len(), 6);
    let mut names: Vec<_> = fs::read_dir(&place).unwrap().map(|e| e.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["a", "f", "link", "moved"]);
    let before = std::env::current_dir().unwrap();
    std::env::set_current_dir(&before).unwrap();
    fs::remove_file(place.join("moved")).unwrap();
    fs::remove_dir_all(&place).unwrap();
}

#[test]
fn commands() {
    let mut cat = Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    cat.stdin.take().unwrap().write_all(b"through").unwrap();
    assert_eq!(cat.wait_with_output().unwrap().stdout, b"through");
    assert_eq!(Command::new("sh").args(["-c", "exit 3"]).status().unwrap().code(), Some(3));
    let both = Command::new("sh").args(["-c", "echo out; echo err >&2"]).env("A", "b").current_dir("/").output().unwrap();
    assert_eq!((both.stdout, both.stderr), (b"out\n".to_vec(), b"err\n".to_vec()));
    let mut slow = Command::new("sleep").arg("10").spawn().unwrap();
    assert!(slow.try_wait().unwrap().is_none());
    slow.kill().unwrap();
    assert!(!slow.wait().unwrap().success());
}

#[test]
fn talk() {
    let place = place("talk");
    let listener = UnixListener::bind(place.join("s")).unwrap();
    let server = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        stream.write_all(text.to_uppercase().as_bytes()).unwrap();
    });
    let mut client = UnixStream::connect(place.join("s")).unwrap();
    client.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
    client.write_all(b"echo").unwrap();
    client.shutdown(std::net::Shutdown::Write).unwrap();
    let mut text = String::new();
    client.read_to_string(&mut text).unwrap();
    assert_eq!(text, "ECHO");
    server.join().unwrap();
    let (left, right) = UnixDatagram::pair().unwrap();
    left.send(b"x").unwrap();
    assert_eq!(right.recv(&mut [0; 4]).unwrap(), 1);
    assert!(left.local_addr().is_ok() && left.peer_addr().is_ok());
    let inet = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let mut out = std::net::TcpStream::connect(inet.local_addr().unwrap()).unwrap();
    out.set_nodelay(true).unwrap();
    let (mut back, _) = inet.accept().unwrap();
    std::io::copy(&mut fs::File::open("Cargo.toml").unwrap(), &mut out).unwrap();
    drop(out);
    assert!(std::io::copy(&mut back, &mut std::io::sink()).unwrap() > 0);
    let udp = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    udp.send_to(b"x", udp.local_addr().unwrap()).unwrap();
    assert_eq!(udp.recv_from(&mut [0; 4]).unwrap().0, 1);
    fs::remove_dir_all(&place).unwrap();
}

#[test]
fn threads() {
    let (send, receive) = mpsc::channel();
    for i in 0..8 {
        let send = send.clone();
        thread::spawn(move || send.send(i).unwrap());
    }
    drop(send);
    assert_eq!(receive.iter().sum::<i32>(), 28);
    thread::sleep(Duration::from_millis(1));
    thread::yield_now();
    assert!(thread::available_parallelism().unwrap().get() > 0);
    assert!(std::panic::catch_unwind(|| panic!("caught")).is_err());
}
