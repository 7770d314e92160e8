//go:build !unix

package server_test

import "errors"

func obey(string) error { return errors.New("files cannot be limited here") }
