package fault_test

import (
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"strings"
	"testing"

	"spyglass/backend/fault"
)

func TestOfHidesForeignErrors(t *testing.T) {
	ours := fault.At("size", "size must be a whole number from 1 to %d", 1000)
	foreign := errors.New("open /secret/path: disk on fire")
	internal := &fault.Error{Kind: fault.Internal, Message: "row 7 is torn", Err: foreign}
	for _, tt := range []struct {
		name string
		err  error
		want *fault.Error
	}{
		{"ours", ours, ours},
		{"ours, wrapped", fmt.Errorf("while listing: %w", ours), ours},
		{"a foreign one", foreign, &fault.Error{Kind: fault.Internal, Message: "internal error", Err: foreign}},
		{"an internal one", internal, &fault.Error{Kind: fault.Internal, Message: "internal error", Err: internal}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := fault.Of(tt.err); !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestErrorKeepsItsCauseForTheLog(t *testing.T) {
	err := &fault.Error{Kind: fault.Full, Message: "the disk is full", Err: fs.ErrPermission}
	if err.Error() != "the disk is full: permission denied" || !errors.Is(err, fs.ErrPermission) {
		t.Errorf("got %q", err)
	}
	if plain := fault.New(fault.Unknown, "there is no device %d", 7); plain.Error() != "there is no device 7" {
		t.Errorf("got %q", plain)
	}
}

func TestIs(t *testing.T) {
	err := fmt.Errorf("while deleting: %w", fault.New(fault.Conflict, "the root group cannot be deleted"))
	if !fault.Is(err, fault.Conflict) || fault.Is(err, fault.Invalid) || fault.Is(nil, fault.Conflict) ||
		fault.Is(errors.New("x"), fault.Internal) {
		t.Errorf("%v is not distinguished by its kind", err)
	}
}

func TestFieldErrorIsInvalid(t *testing.T) {
	want := &fault.Error{Kind: fault.Invalid, Field: "name", Message: "name is empty"}
	if got := fault.At("name", "%s is empty", "name"); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestQuotedValuesAreTruncated(t *testing.T) {
	long := strings.Repeat("ä", 100)
	name := strings.Repeat("ä", 80) + "…"
	for _, tt := range []struct {
		what string
		got  *fault.Error
		want *fault.Error
	}{
		{"a short name", fault.At("web", "there is no field %q", "web"),
			&fault.Error{Kind: fault.Invalid, Field: "web", Message: `there is no field "web"`}},
		{"a name of 80 characters", fault.New(fault.Unknown, "%q", long[:160]),
			&fault.Error{Kind: fault.Unknown, Message: `"` + long[:160] + `"`}},
		{"a long name", fault.At(long, "there is no field %q%s", long, "; did you mean x?"),
			&fault.Error{Kind: fault.Invalid, Field: name, Message: `there is no field "` + name +
				`"; did you mean x?`}},
		{"a long sentence", fault.New(fault.Denied, "%s: %d", long, 7),
			&fault.Error{Kind: fault.Denied, Message: long + ": 7"}},
	} {
		t.Run(tt.what, func(t *testing.T) {
			if !reflect.DeepEqual(tt.got, tt.want) {
				t.Errorf("got %+v, want %+v", tt.got, tt.want)
			}
		})
	}
}
