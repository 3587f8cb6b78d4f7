// Package config reads ~/.config/parcelbird/config.toml.
package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Config is what a person may set.
type Config struct {
	Server string `toml:"server"`
	Output string `toml:"output"`
}

// Load reads the file; one that is missing is no error.
func Load() (Config, error) {
	config := Config{Server: "https://api.parcelbird.example", Output: "table"}
	folder, err := os.UserConfigDir()
	if err != nil {
		return config, err
	}
	text, err := os.ReadFile(filepath.Join(folder, "parcelbird", "config.toml"))
	if errors.Is(err, fs.ErrNotExist) {
		return config, nil
	}
	if err != nil {
		return config, err
	}
	return config, decode(text, &config)
}
