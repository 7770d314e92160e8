package fleet

import (
	"context"

	"spyglass/backend/appliesto"
	"spyglass/backend/portal/datasource"
	"spyglass/backend/resource"
)

// fit sets expressions to nil that exceed the limit together with those before
// them. It returns the total work and the indexes of these expressions.
func fit[T any](all []T, expr func(*T) **appliesto.Expr) (load appliesto.Load, over []int) {
	exprs := make([]*appliesto.Expr, len(all))
	for i := range all {
		exprs[i] = *expr(&all[i])
		load = load.Plus(exprs[i].Load())
	}
	over, _ = appliesto.Fit(exprs)
	for i := range all {
		*expr(&all[i]) = exprs[i]
	}
	return load, over
}

// Overloaded returns the groups and data sources whose expressions are not
// evaluated because they take too much work together with the others: "the group
// Servers/Shop". Saving checks the limit, but an earlier version may have stored
// more.
func Overloaded(ctx context.Context, r resource.Reader) ([]string, error) {
	a, err := ApplyingOf(ctx, r)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, id := range a.members.over {
		names = append(names, "the group "+a.members.tree.Groups[id].FullPath)
	}
	for _, i := range a.over {
		names = append(names, "the data source "+a.sources[i].Name)
	}
	return names, nil
}

// groupExpressions returns the expressions of all dynamic groups.
func groupExpressions(ctx context.Context, r resource.Reader) ([]string, error) {
	groups, err := resource.Find(ctx, r, GroupRows, resource.Where{Field: "appliesTo", Op: "!=", Value: ""})
	texts := make([]string, len(groups))
	for i := range groups {
		texts[i] = groups[i].AppliesTo
	}
	return texts, err
}

// checkLoads refuses code of functions that makes the expressions that call them
// exceed the limit.
func checkLoads(w *resource.Write, before, after map[string]string) error {
	for _, of := range []struct {
		whose string
		texts func(context.Context, resource.Reader) ([]string, error)
	}{{"dynamic groups", groupExpressions}, {"data sources", datasource.Expressions}} {
		texts, err := of.texts(w.Context, w.Tx)
		if err != nil {
			return err
		}
		was, now := datasource.LoadOf(texts, before), appliesto.Load{}
		for _, text := range texts {
			if now = now.Plus(datasource.LoadOf([]string{text}, after)); !now.Within(was) {
				return datasource.TooMuchWork("code", of.whose) // reading all other expressions may take long
			}
		}
	}
	return nil
}
