//go:build !unix

package backup

// syncFolders does nothing on systems that write names to the disk themselves.
func syncFolders(...string) error { return nil }
