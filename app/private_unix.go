//go:build unix

package app

import "syscall"

// private restricts new files of this process and its children to this user,
// because the window's WebKit stores its own files beside ours.
func private() { syscall.Umask(0o077) }
