package datasource

import (
	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// FunctionRows names the rows of Function.
const FunctionRows resource.Name[*Function] = "appliesToFunction"

// FunctionPath is the path of the functions.
const FunctionPath = "/setting/functions"

// Function is a named expression that other expressions can call. Built-in functions
// (package appliesto) are not rows.
type Function struct {
	ID          int64
	Name        string
	Code        string
	Description string
	Kept        resource.Foreign
}

// CodeOf returns the code of functions by name.
func CodeOf(functions []Function) map[string]string {
	code := make(map[string]string, len(functions))
	for _, f := range functions {
		code[f.Name] = f.Code
	}
	return code
}

// FieldError adds the field to an expression's error.
func FieldError(field string, err error) error {
	if err == nil {
		return nil
	}
	f := *fault.Of(err)
	f.Field, f.Message = field, field+": "+f.Message
	return &f
}
