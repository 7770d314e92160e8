package private

import (
	"testing"

	"golang.org/x/sys/windows"
)

func TestPrivateFilesAreForTheUserAndAdministratorsOnly(t *testing.T) {
	me, err := User()
	if err != nil {
		t.Fatal(err)
	}
	const write, read = 0o022, 0o077
	for list, want := range map[string]struct{ write, read bool }{
		access(me, "OICI"):                    {false, false},
		access(me, "") + "(A;;FA;;;WD)":       {true, true},
		access(me, "") + "(A;;FR;;;BU)":       {false, true},
		access(me, "") + "(A;;0x6;;;AU)":      {true, true},
		access(me, "") + "(A;OICIIO;FA;;;WD)": {false, false}, // applies only to new files in the folder
		access(me, "") + "(D;;FA;;;WD)":       {false, false}, // denied
		"D:(A;;FA;;;CO)(A;;FA;;;OW)":          {false, false}, // only the owner has access
		"D:(A;;FA;;;S-1-5-21-1-2-3-1001)":     {true, true},
	} {
		sd, err := windows.SecurityDescriptorFromString(list)
		if err != nil {
			t.Fatalf("%s: %v", list, err)
		}
		if got := opens(sd, write); got != want.write {
			t.Errorf("%s lets others write: %t, want %t", list, got, want.write)
		}
		if got := opens(sd, read); got != want.read {
			t.Errorf("%s lets others read: %t, want %t", list, got, want.read)
		}
	}
	everybody, err := windows.NewSecurityDescriptor()
	if err != nil || everybody.SetDACL(nil, true, false) != nil {
		t.Fatal(err)
	}
	if !opens(everybody, write) {
		t.Error("without a list, others cannot write")
	}
}
