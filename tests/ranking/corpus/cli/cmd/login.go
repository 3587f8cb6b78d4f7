package cmd

import (
	"bufio"
	"fmt"
	"os"
	"strings"

	"example.com/parcelbird/cli/internal/keyring"
)

func init() {
	register(&Command{Name: "login", Short: "remember a key on this machine", Run: login})
}

// login asks for an API key, tries it, and keeps it in the system's key ring.
func login(args []string) error {
	fmt.Fprint(os.Stderr, "API key: ")
	line, err := bufio.NewReader(os.Stdin).ReadString('\n')
	if err != nil {
		return err
	}
	key := strings.TrimSpace(line)
	shop, err := clientWith(key).Whoami()
	if err != nil {
		return fmt.Errorf("this key does not work: %w", err)
	}
	if err := keyring.Store("parcelbird", key); err != nil {
		return err
	}
	fmt.Printf("hello, %s\n", shop.Name)
	return nil
}
