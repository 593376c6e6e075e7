// SPDX-License-Identifier: Apache-2.0
use std::{env, fs, process::Command, thread, time::Duration};

fn main() {
    match env::args().nth(1).unwrap().as_str() {
        "files" => {
            let _all: Vec<_> = (0..100000).map(|_| fs::File::open("/dev/null").unwrap()).collect();
        }
        "forks" => {
            for _ in 0..1000 {
                Command::new("sleep").arg("30").spawn().unwrap();
            }
        }
        "threads" => {
            for _ in 0..1000 {
                thread::spawn(|| thread::sleep(Duration::from_secs(30)));
            }
        }
        "file_size" => fs::write("large", vec![1; 3 << 20]).unwrap(),
        "disk" => {
            let got = fs::write("/tmp/large", vec![1; 20 << 20]);
            fs::remove_file("/tmp/large").unwrap();
            got.unwrap();
        }
        _ => println!("{}", vec![1u8; 2 << 30].len()),
    }
}
