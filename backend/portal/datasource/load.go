package datasource

import (
	"context"

	"spyglass/backend/appliesto"
	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// sourceLoad returns the total work of the expressions of all data sources.
func sourceLoad(ctx context.Context, r resource.Reader) (appliesto.Load, error) {
	names := []string{string(DataSourceRows), string(FunctionRows)}
	value, err := r.Memo("load of data sources", names, func() (any, error) {
		functions, err := resource.Find(ctx, r, FunctionRows)
		if err != nil {
			return nil, err
		}
		texts, err := Expressions(ctx, r)
		return LoadOf(texts, CodeOf(functions)), err
	})
	if err != nil {
		return appliesto.Load{}, err
	}
	return value.(appliesto.Load), nil
}

// Expressions returns the expressions of all data sources.
func Expressions(ctx context.Context, r resource.Reader) ([]string, error) {
	sources, err := resource.Find(ctx, r, DataSourceRows, resource.Where{Field: "appliesTo", Op: "!=", Value: ""})
	texts := make([]string, len(sources))
	for i := range sources {
		texts[i] = sources[i].AppliesTo
	}
	return texts, err
}

// LoadOf returns the total work of expressions. Invalid expressions count as 0.
func LoadOf(texts []string, code map[string]string) appliesto.Load {
	var sum appliesto.Load
	for _, text := range texts {
		expr, err := appliesto.Parse(text, code)
		if err == nil {
			sum = sum.Plus(expr.Load())
		}
	}
	return sum
}

// CheckAppliesTo parses the expression of a group or data source, and refuses one
// that takes too much work together with the others of that resource.
func CheckAppliesTo(
	ctx context.Context, r resource.Reader, whose string, all appliesto.Load, before, now string,
) error {
	functions, err := resource.Find(ctx, r, FunctionRows)
	if err != nil {
		return err
	}
	code := CodeOf(functions)
	expr, err := appliesto.Parse(now, code)
	if err != nil {
		return FieldError("appliesTo", err)
	}
	with, had := all.Plus(expr.Load()), LoadOf([]string{before}, code)
	with.Terms, with.Steps = with.Terms-had.Terms, with.Steps-had.Steps
	if !with.Within(all) {
		return TooMuchWork("appliesTo", whose)
	}
	return nil
}

// TooMuchWork returns the error for exceeding the work limit of a resource's
// expressions.
func TooMuchWork(field, whose string) error {
	return fault.At(field, "%s: with it, the expressions of all %s together would have more than %d terms, "+
		"or more than %d steps of regular expressions, and every change of a device evaluates them all. "+
		"Use simpler expressions, or fewer", field, whose, appliesto.MaxAllTerms, appliesto.MaxAllSteps)
}
