// Package cmd holds a file for each subcommand.
package cmd

import (
	"errors"
	"fmt"
	"sort"
)

// A Command is a word after the program's name and what it does.
type Command struct {
	Name  string
	Short string
	Run   func(args []string) error
}

var commands = map[string]*Command{}

// register is called by the init function of each file.
func register(command *Command) {
	commands[command.Name] = command
}

// ErrUsage says that the program was called in a wrong way.
var ErrUsage = errors.New("see parcelbird help")

// Execute finds the subcommand and runs it.
func Execute(args []string) error {
	if len(args) == 0 || args[0] == "help" {
		return help()
	}
	command, known := commands[args[0]]
	if !known {
		return fmt.Errorf("no command %q: %w", args[0], ErrUsage)
	}
	return command.Run(args[1:])
}

// ExitCode is 2 for wrong usage, 3 for a refusal of the server, 1 for the rest.
func ExitCode(err error) int {
	var refused *Refusal
	switch {
	case errors.Is(err, ErrUsage):
		return 2
	case errors.As(err, &refused):
		return 3
	}
	return 1
}

func help() error {
	names := make([]string, 0, len(commands))
	for name := range commands {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		fmt.Printf("  %-10s %s\n", name, commands[name].Short)
	}
	return nil
}
