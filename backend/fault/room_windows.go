package fault

import "syscall"

// noRoom is what a disk, or a person's share of it, says when it takes no more:
// ERROR_HANDLE_DISK_FULL, ERROR_DISK_FULL and ERROR_DISK_QUOTA_EXCEEDED.
var noRoom = []error{syscall.Errno(39), syscall.Errno(112), syscall.Errno(1295)}
