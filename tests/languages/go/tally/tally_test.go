// SPDX-License-Identifier: Apache-2.0

package tally

import (
	"strings"
	"sync"
	"testing"
)

func TestSums(t *testing.T) {
	book := New()
	for _, line := range []string{"2024-01-03,tea,3.5", "2024-01-20,tea,1.5", "2024-02-01,cake,4"} {
		if err := book.Add(line); err != nil {
			t.Fatal(err)
		}
	}
	if got := strings.Join(book.Lines(), ";"); got != "2024-01 tea 5.00;2024-02 cake 4.00" {
		t.Fatal(got)
	}
}

func TestMistakes(t *testing.T) {
	for _, line := range []string{"", "a,b", "2024-01-01,tea,much"} {
		if New().Add(line) == nil {
			t.Fatalf("%q was taken", line)
		}
	}
}

func TestTogether(t *testing.T) {
	book := New()
	var all sync.WaitGroup
	for i := 0; i < 100; i++ {
		all.Add(1)
		go func() {
			defer all.Done()
			_ = book.Add("2024-01-03,tea,1")
		}()
	}
	all.Wait()
	if got := book.Lines()[0]; got != "2024-01 tea 100.00" {
		t.Fatal(got)
	}
}
