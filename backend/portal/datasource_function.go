package portal

import (
	"context"

	"spyglass/backend/appliesto"
	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

const functionRows resource.Name[*Function] = "appliesToFunction"

// functionPath is where the functions are.
const functionPath = "/setting/functions"

// Function is an expression under a name, for others to call. Those that every
// portal has (package appliesto) are no rows.
type Function struct {
	ID          int64
	Name        string
	Code        string
	Description string
	Kept        resource.Foreign
}

func codeOf(functions []Function) map[string]string {
	code := make(map[string]string, len(functions))
	for _, f := range functions {
		code[f.Name] = f.Code
	}
	return code
}

// checkAppliesTo reads the expression of a group.
func checkAppliesTo(ctx context.Context, r resource.Reader, text string) error {
	functions, err := resource.Find(ctx, r, functionRows)
	if err != nil {
		return err
	}
	_, err = appliesto.Parse(text, codeOf(functions))
	return about("appliesTo", err)
}

// about says which field an expression's error lies in.
func about(field string, err error) error {
	if err == nil {
		return nil
	}
	f := *fault.Of(err)
	f.Field, f.Message = field, field+": "+f.Message
	return &f
}
