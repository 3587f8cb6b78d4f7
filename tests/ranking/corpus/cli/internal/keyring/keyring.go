// Package keyring keeps secrets where the operating system keeps them.
package keyring

import (
	"errors"
	"os/exec"
	"runtime"
	"strings"
)

// ErrNoKeyring says that this system has no place for secrets.
var ErrNoKeyring = errors.New("no key ring on this system")

// Store puts a secret in, in place of an older one.
func Store(service, secret string) error {
	switch runtime.GOOS {
	case "darwin":
		return exec.Command("security", "add-generic-password", "-U", "-s", service, "-a", "key", "-w", secret).Run()
	case "linux":
		command := exec.Command("secret-tool", "store", "--label", service, "service", service)
		command.Stdin = strings.NewReader(secret)
		return command.Run()
	}
	return ErrNoKeyring
}

// Load gets it back.
func Load(service string) (string, error) {
	if runtime.GOOS != "linux" {
		return "", ErrNoKeyring
	}
	out, err := exec.Command("secret-tool", "lookup", "service", service).Output()
	return strings.TrimSpace(string(out)), err
}
