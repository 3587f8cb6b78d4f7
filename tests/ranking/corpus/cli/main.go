package main

import (
	"fmt"
	"os"

	"example.com/parcelbird/cli/cmd"
)

func main() {
	if err := cmd.Execute(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "parcelbird:", err)
		os.Exit(cmd.ExitCode(err))
	}
}
