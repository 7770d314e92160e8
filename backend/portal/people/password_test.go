package people_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"golang.org/x/crypto/argon2"

	"spyglass/backend/fault"
	"spyglass/backend/portal/people"
)

func TestPasswordMatchesOnlyItsOwnHash(t *testing.T) {
	const password = "correct horse battery"
	hash, err := people.HashPassword(password)
	if err != nil || !strings.HasPrefix(hash, "$argon2id$v=19$m=47104,t=1,p=1$") || strings.Contains(hash, password) {
		t.Fatalf("got %q %v", hash, err)
	}
	other, err := people.HashPassword(password)
	if err != nil || other == hash {
		t.Errorf("two hashes of one password are the same: %q %v", other, err)
	}
	for _, tt := range []struct {
		name, hash, password string
		want                 bool
	}{
		{"the password", hash, password, true},
		{"the password under another salt", other, password, true},
		{"another one", hash, password + " ", false},
		{"another letter case", hash, "Correct horse battery", false},
		{"none", hash, "", false},
		{"the hash itself", hash, hash, false},
	} {
		if got := people.CheckPassword(tt.hash, tt.password); got != tt.want {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestInvalidHashMatchesNothing(t *testing.T) {
	hash, err := people.HashPassword("correct horse battery")
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(hash, "$")
	with := func(i int, part string) string {
		changed := append([]string(nil), parts...)
		changed[i] = part
		return strings.Join(changed, "$")
	}
	for _, hash := range []string{
		"", "$$$$$", "correct horse battery", with(2, "v=18"), with(3, "m=47104,t=0,p=1"), with(3, "m=47104,t=1,p=0"),
		with(3, "m=47104"),
		with(3, "m=4194304,t=1,p=1"), with(3, "m=-1,t=1,p=1"), with(3, "m=8,t=100000000,p=1"),
		with(3, "m=47104,t=1,p=255"),
		with(4, "!"), with(5, ""), with(5, "AAAA"), strings.TrimSuffix(hash, "$"+parts[5]),
	} {
		if people.CheckPassword(hash, "correct horse battery") {
			t.Errorf("%q matches", hash)
		}
	}
}

func TestPasswordHas8To512Characters(t *testing.T) {
	for _, password := range []string{"", "1234567", strings.Repeat("ß", 7), strings.Repeat("x", 513)} {
		_, err := people.HashPassword(password)
		if f := fault.Of(err); f.Kind != fault.Invalid || f.Field != "password" ||
			f.Message != "a password must have 8 to 512 characters" {
			t.Errorf("%.8q…: %v", password, err)
		}
	}
	for _, password := range []string{"x3m6k9q2", strings.Repeat("ß", 512)} {
		if _, err := people.HashPassword(password); err != nil {
			t.Errorf("%.8q…: %v", password, err)
		}
	}
}

func TestCommonPasswordIsRefused(t *testing.T) {
	for _, password := range []string{"password", "Password1", "12345678", "QWERTYUIOP", "iloveyou", "administrator"} {
		_, err := people.HashPassword(password)
		if f := fault.Of(err); f.Kind != fault.Invalid || f.Field != "password" || !strings.Contains(f.Message,
			"most common") {
			t.Errorf("%s: %v", password, err)
		}
	}
	for _, password := range []string{"viewer-demo", "\npassword\n", "# The 10,000 most"} {
		if _, err := people.HashPassword(password); err != nil {
			t.Errorf("%s: %v", password, err)
		}
	}
}

func TestRehashingKeepsTheOriginOfAPassword(t *testing.T) {
	const password = "correct horse battery"
	const older = "$argon2id$v=19$m=8,t=1,p=1$MDEyMzQ1Njc4OWFiY2RlZg$"
	sum := argon2.IDKey([]byte(password), []byte("0123456789abcdef"), 1, 8, 1, 32)
	was := older + base64.RawStdEncoding.EncodeToString(sum)
	now, outdated := people.RehashPassword(was, password)
	if !outdated || !people.CheckPassword(now, password) || people.CheckPassword(now, password+"x") {
		t.Fatalf("rehashed as %q, %v", now, outdated)
	}
	if people.PasswordOrigin(now) != people.PasswordOrigin(was) {
		t.Error("the origin changed")
	}
	if again, outdated := people.RehashPassword(now, password); outdated {
		t.Errorf("rehashed again as %q", again)
	}
	fresh, err := people.HashPassword(password)
	if err != nil || people.PasswordOrigin(fresh) == people.PasswordOrigin(now) {
		t.Errorf("a password that is set again has the same origin: %v", err)
	}
}
