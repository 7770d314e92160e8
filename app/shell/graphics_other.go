//go:build desktop && !linux

package shell

func leaveGraphicsAlone() {}
