//go:build unix

package app

import "syscall"

// private restricts files that this process and its children create from here
// on to this user: the window's WebKit keeps files of its own beside ours.
func private() { syscall.Umask(0o077) }
