package autostart

import (
	"os"
	"path/filepath"
	"testing"
)

// here is a program whose path has characters that every format must escape.
var here = Program{Name: "Spyglass test", Command: []string{`/opt/Prüf & "Co"/50%/$HOME/spy\glass`, "--data", "/a b"}}

func TestTheSystemStartsTheProgramUntilItIsTurnedOff(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(t.TempDir(), "none yet"))
	is := func(p Program, want bool) {
		t.Helper()
		if on, err := p.On(); err != nil || on != want {
			t.Errorf("%q is on: %t (%v), want %t", p.Command, on, err, want)
		}
	}
	moved := Program{here.Name, []string{"/elsewhere/spyglass"}}
	is(here, false)
	for range 2 {
		if err := here.Set(true); err != nil {
			t.Fatal(err)
		}
		is(here, true)
		is(moved, false)
	}
	if err := moved.Set(true); err != nil {
		t.Fatal(err)
	}
	is(here, false)
	is(moved, true)
	for range 2 {
		if err := here.Set(false); err != nil {
			t.Fatal(err)
		}
		is(here, false)
		is(moved, false)
	}
}

func TestTheDesktopEntryEscapesItsCommand(t *testing.T) {
	const want = `[Desktop Entry]
Type=Application
Name=Spyglass test
Exec="/opt/Prüf & \\"Co\\"/50%%/\\$HOME/spy\\\\glass" "--data" "/a b"
Icon=spyglass
Terminal=false
`
	got := desktopEntry(here)
	if got != want {
		t.Errorf("the entry is\n%s\nwant\n%s", got, want)
	}
	for more, started := range map[string]bool{
		"": true, "Hidden=true\n": false, "Hidden=false\n": true, "X-GNOME-Autostart-enabled=false\n": false,
		"X-GNOME-Autostart-enabled=true\n": true,
	} {
		if isStarted(got+more, here) != started {
			t.Errorf("with %q it is started: %t, want %t", more, !started, started)
		}
	}
}

func TestTheLaunchAgentEscapesItsCommand(t *testing.T) {
	want, err := os.ReadFile("testdata/agent.plist")
	if err != nil {
		t.Fatal(err)
	}
	if got := launchAgent(here, "app.spyglass.Spyglass"); got != string(want) {
		t.Errorf("the agent is\n%s\nwant\n%s", got, want)
	}
}
