package server

import "io/fs"

func checkOwner(string, fs.FileInfo) error      { return nil }
func ownerOf(fs.FileInfo) (uid int, known bool) { return 0, false }
func othersWrite(fs.FileInfo) bool              { return false }
func othersMay(fs.FileInfo) bool                { return false }
