package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// xzFilters are the filters of xz for a program of an architecture. That for x86 turns
// the targets of calls into addresses, which repeat; every dpkg can decode it. The
// one for arm64 needs an xz that Ubuntu 22.04 lacks.
func xzFilters(arch string) []string {
	smallest := "--lzma2=preset=9e,lc=4"
	if arch == "amd64" {
		return []string{"--x86", smallest}
	}
	return []string{smallest}
}

// compressDeb compresses the files of a .deb that has none compressed, with the program
// xz: the library of nfpm makes them much larger. A .deb is an archive of ar, with a
// header of 60 bytes before each member.
func compressDeb(path, arch string) error {
	const magic, header, plainName = "!<arch>\n", 60, "data.tar"
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	rest, found := bytes.CutPrefix(text, []byte(magic))
	if !found {
		return errors.New("nfpm wrote no archive of ar")
	}
	out := bytes.NewBufferString(magic)
	for compressed := false; len(rest) > 0; {
		if len(rest) < header {
			return errors.New("a header is cut off")
		}
		head := string(rest[:header])
		size, err := strconv.Atoi(strings.TrimSpace(head[48:58]))
		end := header + size + size%2 // members begin at even positions
		if err != nil || size < 0 || end > len(rest) {
			return errors.New("a member is cut off")
		}
		member := rest[header : header+size]
		if strings.TrimRight(head[:16], " /") == plainName {
			cmd := exec.Command("xz", append(xzFilters(arch), "--threads=1", "--stdout")...) // threads make it larger
			cmd.Stdin, cmd.Stderr = bytes.NewReader(member), os.Stderr
			if member, err = cmd.Output(); err != nil {
				return fmt.Errorf("xz: %w", err)
			}
			head = fmt.Sprintf("%-16s", plainName+".xz") + head[16:48] + fmt.Sprintf("%-10d", len(member)) + head[58:]
			compressed = true
		}
		out.WriteString(head)
		out.Write(member)
		if len(member)%2 == 1 {
			out.WriteByte('\n')
		}
		if rest = rest[end:]; len(rest) == 0 && !compressed {
			return errors.New("it has no " + plainName)
		}
	}
	return os.WriteFile(path, out.Bytes(), plain)
}
