package workspace_test

import (
	"database/sql"
	"errors"
	"path/filepath"
	"testing"
)

func TestUnreadableSettingsAreDefaultsUntilTheNextChange(t *testing.T) {
	inFiles(t)
	for _, text := range []string{`{"theme":"da`, `[1]`, `null`} {
		d := open(t)
		d.send(1, "PATCH /settings", `{"theme":"dark","timeout":9}`)
		d.send(2, "PATCH /settings", `{"theme":"light"}`)
		_ = d.Close()
		file, err := sql.Open("sqlite", "file:"+filepath.Join(d.dir, "workspace.db"))
		if err != nil {
			t.Fatal(err)
		}
		_, err = file.Exec(`UPDATE "settings" SET "values" = ? WHERE "userId" = 1`, text)
		if err := errors.Join(err, file.Close()); err != nil {
			t.Fatal(err)
		}
		d.open(0)
		d.expect(1, "GET /settings", "", `{}`)
		if got, err := d.Preferences(t.Context(), 1); err != nil || got.Timeout != 0 {
			t.Errorf("%s: the timeout is %v, %v", text, got, err)
		}
		want := "Your settings could not be read and were reset to their defaults; the next change writes them again"
		if text == `null` { // as in a row without settings
			want = ""
		}
		if got := d.Notice(1); got != want {
			t.Errorf("%s: the notice is %q, want %q", text, got, want)
		}
		d.expect(1, "PATCH /settings", `{"density":"compact"}`, `{"density":"compact"}`)
		d.expect(1, "GET /settings", "", `{"density":"compact"}`)
		d.expect(2, "GET /settings", "", `{"theme":"light"}`)
		if got := d.Notice(1); got != "" {
			t.Errorf("%s: the notice is still %q", text, got)
		}
	}
}
