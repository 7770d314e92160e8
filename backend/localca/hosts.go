package localca

import (
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// Hosts says how the hosts file of this computer leads names to an address.
type Hosts struct {
	File    string   // path of the hosts file
	Line    string   // to add for those that are missing; empty if none is
	Missing []string // names that it does not have
	Other   []string // names that it leads to another address; their lines have to be changed
}

// HostsFile returns the path of the hosts file of this computer.
func HostsFile() string {
	if runtime.GOOS == "windows" {
		root := os.Getenv("SystemRoot")
		if root == "" {
			root = `C:\Windows`
		}
		return filepath.Join(root, "System32", "drivers", "etc", "hosts")
	}
	return "/etc/hosts"
}

// LookUp reads a hosts file for names that should lead to ip. A file that cannot be read
// has none.
func LookUp(file string, ip net.IP, names []string) Hosts {
	h := Hosts{File: file}
	text, _ := os.ReadFile(file)
	leads := addresses(string(text), ip.To4() != nil)
	for _, name := range names {
		switch at := leads[name]; {
		case at == nil:
			h.Missing = append(h.Missing, name)
		case !at.Equal(ip):
			h.Other = append(h.Other, name)
		}
	}
	if len(h.Missing) > 0 {
		h.Line = ip.String() + " " + strings.Join(h.Missing, " ")
	}
	return h
}

// addresses returns the first address of each name, of the requested family.
func addresses(text string, v4 bool) map[string]net.IP {
	found := map[string]net.IP{}
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		words := strings.Fields(line)
		if len(words) < 2 {
			continue
		}
		ip := net.ParseIP(words[0])
		if ip == nil || (ip.To4() != nil) != v4 {
			continue
		}
		for _, name := range words[1:] {
			name = strings.TrimSuffix(strings.ToLower(name), ".")
			if found[name] == nil {
				found[name] = ip
			}
		}
	}
	return found
}
