package resource

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"

	"spyglass/backend/fault"
)

// Action is a named change to one row: POST {path}/{id}/{name} returns the row.
// The store implements loading, saving, the transaction, the route and the docs.
type Action[T any] struct {
	Name    string    // the last part of the path, "ackdown"
	Summary string    // a few words, "Acknowledge that a collector is down"
	Doc     string    // one sentence
	Op      Operation // the required permission; Modify when None
	Takes   any       // a struct whose json and doc tags describe the body; nil for no body
	Example any       // a body

	// Many is the name of a list of ids, "alertIds". If it is set, the action is
	// also POST {path}/{name}, for up to 1,000 rows at once. The body is that of
	// one row plus the list.
	Many string

	// Do changes the row or returns an error. Read the body with Call.Read.
	Do func(w *Write, row T) error
}

// Read decodes the body into a struct. It checks the keys unless the call is
// lenient. A missing body counts as an empty object, so that a body of optional
// keys can be omitted.
func (c *Call) Read(into any) error {
	if len(c.Body) == 0 {
		return nil
	}
	node, err := ParseObject(c.Body, "the body")
	if err != nil {
		return err
	}
	schema, text := SchemaOf(reflect.ValueOf(into).Elem().Interface()), node.Raw
	if c.Lenient {
		text = loosen(nil, node, schema)
	} else if err := checkKeys("", node, schema); err != nil {
		return err
	}
	err = json.Unmarshal(text, into)
	if wrong := new(json.UnmarshalTypeError); errors.As(err, &wrong) {
		return fault.At(wrong.Field, "%s must be of the type %s, not %s", wrong.Field, wrong.Type, wrong.Value)
	}
	if err != nil {
		return fault.New(fault.Invalid, "the body does not have the documented shape: %s",
			strings.TrimPrefix(err.Error(), "json: "))
	}
	return nil
}
