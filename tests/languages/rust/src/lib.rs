// SPDX-License-Identifier: Apache-2.0
//! Sums up sales by month and item.
use std::collections::BTreeMap;

#[derive(Default)]
pub struct Book {
    sums: BTreeMap<String, f64>,
}

impl Book {
    /// Takes a line of day,item,amount.
    pub fn add(&mut self, line: &str) -> Result<(), String> {
        let parts: Vec<&str> = line.split(',').collect();
        match parts[..] {
            [day, item, amount] if day.len() >= 7 => {
                let amount: f64 = amount.parse().map_err(|e| format!("{line}: {e}"))?;
                *self.sums.entry(format!("{} {item}", &day[..7])).or_default() += amount;
                Ok(())
            }
            _ => Err(format!("'{line}' is not day,item,amount")),
        }
    }

    pub fn lines(&self) -> Vec<String> {
        self.sums.iter().map(|(key, sum)| format!("{key} {sum:.2}")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Book;

    #[test]
    fn sums() {
        let mut book = Book::default();
        for line in ["2024-01-03,tea,3.5", "2024-01-20,tea,1.5", "2024-02-01,cake,4"] {
            book.add(line).unwrap();
        }
        assert_eq!(book.lines(), ["2024-01 tea 5.00", "2024-02 cake 4.00"]);
    }

    #[test]
    fn mistakes() {
        assert!(Book::default().add("a,b").is_err());
        assert!(Book::default().add("2024-01-01,tea,much").is_err());
    }
}
