package folder

import (
	"os"
	"path/filepath"
	"strings"
)

// Homely abbreviates the user's home folder in a path to ~.
func Homely(path string) string {
	home, err := os.UserHomeDir()
	if err != nil || home == string(filepath.Separator) {
		return path
	}
	if rest, ok := strings.CutPrefix(path, home+string(filepath.Separator)); ok {
		return "~" + string(filepath.Separator) + rest
	}
	return path
}
