package people_test

import (
	"regexp"
	"slices"
	"testing"
	"time"

	"spyglass/backend/fault"
	"spyglass/backend/portal/people"
)

// The vectors of RFC 6238, appendix B, for SHA-1: the last six of their eight digits.
func TestFactorCodeMatchesTheRFC(t *testing.T) {
	for at, want := range map[int64]string{
		59: "287082", 1111111109: "081804", 1111111111: "050471", 1234567890: "005924", 2000000000: "279037",
		20000000000: "353130",
	} {
		if got := people.FactorCode([]byte("12345678901234567890"), at/30); got != want {
			t.Errorf("at %d: %s, want %s", at, got, want)
		}
	}
	if got := people.FactorText([]byte("12345678901234567890")); got != "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ" {
		t.Errorf("the secret is %s", got)
	}
}

func TestFactorIsSetUpWithACodeOfItsSecret(t *testing.T) {
	now := time.Unix(1_790_000_000, 0)
	code := func(secret []byte, at time.Time) string { return people.FactorCode(secret, at.Unix()/30) }
	var f people.SecondFactor
	if _, err := f.Confirm("000000", now); !fault.Is(err, fault.Conflict) {
		t.Errorf("without a set-up: %v", err)
	}
	first := f.Begin(now)
	if f.IsSetUp() || f.Accept(code(first, now), now) {
		t.Error("the secret counts before it is confirmed")
	}
	if _, err := f.Confirm(code(first, now.Add(time.Hour)), now); !fault.Is(err, fault.Invalid) {
		t.Errorf("a wrong code: %v", err)
	}
	if _, err := f.Confirm(code(first, now.Add(time.Hour)), now.Add(time.Hour)); !fault.Is(err, fault.Conflict) {
		t.Errorf("an hour later: %v", err)
	}
	recovery, err := f.Confirm(code(first, now), now)
	if err != nil || !f.IsSetUp() || len(recovery) != 10 {
		t.Fatalf("%v, %v", recovery, err)
	}
	form := regexp.MustCompile(`^([a-km-z2-9]{4}-){3}[a-km-z2-9]{4}$`)
	for _, r := range recovery {
		if !form.MatchString(r) || slices.Contains(f.Recovery, r) {
			t.Errorf("recovery code %s, kept as %v", r, f.Recovery)
		}
	}
	second := f.Begin(now)
	if !f.Accept(code(first, now.Add(time.Minute)), now.Add(time.Minute)) {
		t.Error("the former secret ended before the new one was confirmed")
	}
	if _, err := f.Confirm(code(second, now), now); err != nil {
		t.Fatal(err)
	}
	if later := now.Add(time.Hour); f.Accept(code(first, later), later) || f.Accept(recovery[0], later) ||
		!f.Accept(code(second, later), later) {
		t.Error("the new set-up does not replace the former one")
	}
}

func TestFactorAcceptsEachCodeOnceAndOneStepAround(t *testing.T) {
	secret, now := []byte("12345678901234567890"), time.Unix(1_790_000_010, 0)
	step := now.Unix() / 30
	for _, tt := range []struct {
		name  string
		steps []int64 // of the codes, relative to now
		want  []bool
	}{
		{"now", []int64{0, 0}, []bool{true, false}},
		{"one step behind", []int64{-1, -1, 0}, []bool{true, false, true}},
		{"one step ahead ends the earlier ones", []int64{1, 0, -1}, []bool{true, false, false}},
		{"too old", []int64{-2}, []bool{false}},
		{"too early", []int64{2}, []bool{false}},
	} {
		f := people.SecondFactor{Secret: secret}
		for i, s := range tt.steps {
			if got := f.Accept(people.FactorCode(secret, step+s), now); got != tt.want[i] {
				t.Errorf("%s: code %d is accepted: %v", tt.name, i, got)
			}
		}
	}
	f := people.SecondFactor{Secret: secret}
	spaced := people.FactorCode(secret, step)
	if spaced = spaced[:3] + " " + spaced[3:]; !f.Accept(spaced, now) {
		t.Error("a space in a code makes it wrong")
	}
	for _, code := range []string{"", "-", "0", "abcdef"} {
		if f.Accept(code, now) || (&people.SecondFactor{}).Accept(code, now) {
			t.Errorf("%q is accepted", code)
		}
	}
}
