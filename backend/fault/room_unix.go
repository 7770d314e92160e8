//go:build unix

package fault

import "syscall"

// noRoom is what a disk, or a person's share of it, says when it takes no more.
var noRoom = []error{syscall.ENOSPC, syscall.EDQUOT}
