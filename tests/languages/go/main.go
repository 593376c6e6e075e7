// SPDX-License-Identifier: Apache-2.0

// Sums up the sales it is given on standard input.
package main

import (
	"bufio"
	"fmt"
	"os"

	"example.org/tally/tally"
)

func main() {
	book := tally.New()
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		if err := book.Add(lines.Text()); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	for _, line := range book.Lines() {
		fmt.Println(line)
	}
}
