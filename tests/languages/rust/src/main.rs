// SPDX-License-Identifier: Apache-2.0
//! Sums up the sales it is given on standard input.
use std::io::BufRead;

fn main() -> Result<(), String> {
    let mut book = tally::Book::default();
    for line in std::io::stdin().lock().lines() {
        book.add(&line.map_err(|e| e.to_string())?)?;
    }
    for line in book.lines() {
        println!("{line}");
    }
    Ok(())
}
