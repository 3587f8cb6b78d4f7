// Package update tells people that there is a newer version, at most once a day.
package update

import (
	"encoding/json"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

// Check returns the newer version, or nothing. It never makes a command fail or wait for more than a second.
func Check(current, stamp string) string {
	if info, err := os.Stat(stamp); err == nil && time.Since(info.ModTime()) < 24*time.Hour {
		return ""
	}
	client := http.Client{Timeout: time.Second}
	response, err := client.Get("https://api.parcelbird.example/cli/latest")
	if err != nil {
		return ""
	}
	defer response.Body.Close()
	var latest struct{ Version string }
	if json.NewDecoder(response.Body).Decode(&latest) != nil || !newer(latest.Version, current) {
		return ""
	}
	os.WriteFile(stamp, nil, 0o644)
	return latest.Version
}

// newer compares versions number by number, so that 1.10 comes after 1.9.
func newer(a, b string) bool {
	left, right := strings.Split(a, "."), strings.Split(b, ".")
	for at := 0; at < len(left) && at < len(right); at++ {
		x, _ := strconv.Atoi(left[at])
		y, _ := strconv.Atoi(right[at])
		if x != y {
			return x > y
		}
	}
	return len(left) > len(right)
}
