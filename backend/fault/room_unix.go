//go:build unix

package fault

import "syscall"

// noRoom lists the errors of a full disk or an exceeded quota.
var noRoom = []error{syscall.ENOSPC, syscall.EDQUOT}
