// SPDX-License-Identifier: Apache-2.0
package main

import (
	"os"
	"os/exec"
)

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	switch os.Args[1] {
	case "files":
		for all := []*os.File{}; ; {
			f, err := os.Open("/dev/null")
			must(err)
			all = append(all, f)
		}
	case "forks":
		for {
			must(exec.Command("sleep", "30").Start())
		}
	case "file_size":
		must(os.WriteFile("large", make([]byte, 3<<20), 0o644))
	case "disk":
		err := os.WriteFile("/tmp/large", make([]byte, 20<<20), 0o644)
		os.Remove("/tmp/large")
		must(err)
	case "memory":
		all := make([]byte, 2<<30)
		for i := range all {
			all[i] = 1
		}
	}
}
