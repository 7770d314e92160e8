package private

import (
	"io/fs"
	"slices"
	"unsafe"

	"golang.org/x/sys/windows" // BSD-3-Clause: the standard library has no access lists
)

// Close removes the access of other users to a file or folder. What is created in
// the folder inherits its list.
func Close(path string, mode fs.FileMode) error {
	me, err := User()
	if err != nil {
		return err
	}
	inherits := "" // by files and folders
	if mode&0o100 != 0 {
		inherits = "OICI"
	}
	sd, err := windows.SecurityDescriptorFromString(access(me, inherits))
	if err != nil {
		return err
	}
	list, _, err := sd.DACL()
	if err != nil {
		return err
	}
	return windows.SetNamedSecurityInfo(path, windows.SE_FILE_OBJECT,
		windows.DACL_SECURITY_INFORMATION|windows.PROTECTED_DACL_SECURITY_INFORMATION, nil, nil, list, nil)
}

// access returns an access list, in Microsoft's notation, that gives the user and
// administrators every right, and inherits nothing itself.
func access(user *windows.SID, inherits string) string {
	text := "D:P"
	for _, who := range []string{user.String(), "SY", "BA"} {
		text += "(A;" + inherits + ";FA;;;" + who + ")"
	}
	return text
}

// User returns the current user.
func User() (*windows.SID, error) {
	u, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return nil, err
	}
	return u.User.Sid, nil
}

// IsOurs reports whether an owner is the current user or an administrator.
func IsOurs(owner *windows.SID) bool {
	me, err := User()
	return err == nil && (owner.Equals(me) || owner.IsWellKnown(windows.WinLocalSystemSid) ||
		owner.IsWellKnown(windows.WinBuiltinAdministratorsSid))
}

// Owner returns the owner of a file or folder.
func Owner(path string) (*windows.SID, error) {
	sd, err := windows.GetNamedSecurityInfo(path, windows.SE_FILE_OBJECT, windows.OWNER_SECURITY_INFORMATION)
	if err != nil {
		return nil, err
	}
	owner, _, err := sd.Owner()
	return owner, err
}

// These rights correspond to the modes w and r. FILE_DELETE_CHILD, the
// right to delete entries of a folder, counts as writing.
const (
	writing = windows.FILE_WRITE_DATA | windows.FILE_APPEND_DATA | 0x40 | windows.DELETE | windows.WRITE_DAC |
		windows.WRITE_OWNER | windows.GENERIC_WRITE | windows.GENERIC_ALL
	reading = windows.FILE_READ_DATA | windows.GENERIC_READ
)

func othersMay(path string, _ fs.FileInfo, bits fs.FileMode) bool {
	sd, err := windows.GetNamedSecurityInfo(path, windows.SE_FILE_OBJECT, windows.DACL_SECURITY_INFORMATION)
	if err != nil {
		return true
	}
	return opens(sd, bits)
}

// opens reports whether a security descriptor gives another user the rights that
// bits represent. Without an access list, every user has every right.
func opens(sd *windows.SECURITY_DESCRIPTOR, bits fs.FileMode) bool {
	list, _, err := sd.DACL()
	if err != nil || list == nil {
		return true
	}
	rights := windows.ACCESS_MASK(writing)
	if bits&0o044 != 0 {
		rights |= reading
	}
	return slices.ContainsFunc(entries(list), func(e *windows.ACCESS_ALLOWED_ACE) bool {
		return e.Header.AceType == windows.ACCESS_ALLOWED_ACE_TYPE &&
			e.Header.AceFlags&windows.INHERIT_ONLY_ACE == 0 && e.Mask&rights != 0 && !holds(e)
	})
}

// holds reports whether an entry is for the user, an administrator or the owner.
func holds(e *windows.ACCESS_ALLOWED_ACE) bool {
	who := (*windows.SID)(unsafe.Pointer(&e.SidStart))
	return IsOurs(who) || who.IsWellKnown(windows.WinCreatorOwnerSid) ||
		who.IsWellKnown(windows.WinCreatorOwnerRightsSid)
}

func entries(list *windows.ACL) (all []*windows.ACCESS_ALLOWED_ACE) {
	for i := range uint32(list.AceCount) {
		var e *windows.ACCESS_ALLOWED_ACE
		if windows.GetAce(list, i, &e) == nil {
			all = append(all, e)
		}
	}
	return all
}
