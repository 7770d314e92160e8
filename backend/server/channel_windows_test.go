package server_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/Microsoft/go-winio"
	"golang.org/x/sys/windows"

	"spyglass/backend/fault"
	"spyglass/backend/server"
)

func TestOnlyTheUserCanOpenTheControlPipe(t *testing.T) {
	o := options(t)
	start(t, o)
	name, err := os.ReadFile(filepath.Join(o.Data, "control"))
	if err != nil {
		t.Fatal(err)
	}
	conn, err := winio.DialPipe(string(name), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	sd, err := windows.GetSecurityInfo(windows.Handle(conn.(interface{ Fd() uintptr }).Fd()), windows.SE_FILE_OBJECT,
		windows.OWNER_SECURITY_INFORMATION|windows.DACL_SECURITY_INFORMATION)
	if err != nil {
		t.Fatal(err)
	}
	user, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		t.Fatal(err)
	}
	me := user.User.Sid.String()
	text := sd.String()
	if !strings.HasPrefix(text, "O:"+me+"D:P(A;;") || !strings.HasSuffix(text, ";;;"+me+")") ||
		strings.Count(text, "(") != 1 {
		t.Errorf("the pipe has %s, want one entry, for %s", text, me)
	}
}

func TestCommandWithoutAPipeIsRefused(t *testing.T) {
	o := options(t)
	start(t, o)
	if err := os.WriteFile(filepath.Join(o.Data, "control"), []byte(`\\.\pipe\spyglass-gone`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := server.Running(o.Data); !fault.Is(err, fault.Offline) {
		t.Errorf("a pipe that is gone: %v", err)
	}
}
