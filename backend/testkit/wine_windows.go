//go:build wine

package testkit

import _ "unsafe" // for go:linkname

// deleteFallback is the switch of Go's own tests that makes os.RemoveAll delete as
// on Windows 8. Wine 8 answers the newer request with an error that Go does not
// expect, and no t.TempDir could be removed.
//
//go:linkname deleteFallback internal/syscall/windows.TestDeleteatFallback
var deleteFallback bool

func init() { deleteFallback = true }
