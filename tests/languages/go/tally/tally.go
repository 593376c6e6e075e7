// SPDX-License-Identifier: Apache-2.0

// Package tally sums up sales by month and item.
package tally

import (
	"fmt"
	"sort"
	"strconv"
	"strings"
	"sync"
)

// Book holds sums. Several goroutines may add to it.
type Book struct {
	lock sync.Mutex
	sums map[string]float64
}

// New makes an empty book.
func New() *Book {
	return &Book{sums: map[string]float64{}}
}

// Add takes a line of day,item,amount.
func (b *Book) Add(line string) error {
	parts := strings.Split(line, ",")
	if len(parts) != 3 || len(parts[0]) < 7 {
		return fmt.Errorf("%q is not day,item,amount", line)
	}
	amount, err := strconv.ParseFloat(parts[2], 64)
	if err != nil {
		return err
	}
	b.lock.Lock()
	defer b.lock.Unlock()
	b.sums[parts[0][:7]+" "+parts[1]] += amount
	return nil
}

// Lines gives the sums, sorted.
func (b *Book) Lines() []string {
	var lines []string
	for key, sum := range b.sums {
		lines = append(lines, fmt.Sprintf("%s %.2f", key, sum))
	}
	sort.Strings(lines)
	return lines
}
