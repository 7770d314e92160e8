package fleet

import (
	"fmt"
	"slices"
	"strings"

	"spyglass/backend/appliesto"
	"spyglass/backend/fault"
	"spyglass/backend/portal/datasource"
	"spyglass/backend/portal/ground"
	"spyglass/backend/resource"
)

// Functions declares /setting/functions.
var Functions = resource.Resource[*datasource.Function]{
	Name: datasource.FunctionRows, Label: "function", Sample: 1, Path: datasource.FunctionPath,
	Category: ground.CategoryDataSources, Object: resource.Setting, Area: ground.AreaDataSources,
	Doc: "A named expression that the appliesTo of groups and data sources, and other functions, can call as name().",
	Flags: []resource.Flag{
		{Name: "ignoreReference", Doc: "Delete it even if expressions use it; these then match nothing",
			Writes: true},
	},
	Absent: "checksum lineageId originRegistryId",
	Fields: []resource.Field[*datasource.Function]{
		{Name: "id", At: func(f *datasource.Function) any { return &f.ID }, Doc: "Set by the portal", ReadOnly: true,
			Example: 1},
		{Name: "name", At: func(f *datasource.Function) any { return &f.Name },
			Doc: "Its name in expressions: letters, digits and underscores", Required: true, MaxLen: 64, Index: true,
			Example: "isShopServer"},
		{Name: "code", At: func(f *datasource.Function) any { return &f.Code }, Doc: "The expression", Required: true,
			MaxLen: appliesto.MaxBytes, Example: `isLinux() && displayName =~ "web-*"`},
		{Name: "description", At: func(f *datasource.Function) any { return &f.Description }, Doc: "What it matches",
			MaxLen: 4000, Example: "Front ends of the shop"},
		resource.KeptField(func(row *datasource.Function) *resource.Foreign { return &row.Kept },
			resource.Keeping("[]integer", "accessGroupIds"),
			resource.Keeping("[]any", "accessGroups"),
			resource.Keeping("any", "installationMetadata")),
	},
	Unique: [][]string{{"name"}},
	Check:  checkFunction,
	After: func(w *resource.Write, was, now *datasource.Function) error {
		if was != nil && was.Name == now.Name && was.Code == now.Code {
			return nil
		}
		return placeAnew(w, 0)
	},
	Remove: func(w *resource.Write, f *datasource.Function) error {
		if err := checkUsers(w, f, "delete it"); err != nil {
			return err
		}
		return placeAnew(w, f.ID)
	},
}

func checkFunction(w *resource.Write, was, now *datasource.Function) error {
	now.Name, now.Code = strings.TrimSpace(now.Name), strings.TrimSpace(now.Code)
	if err := appliesto.CheckName(now.Name); err != nil {
		return datasource.FieldError("name", err)
	}
	all, err := resource.Find(w.Context, w.Tx, datasource.FunctionRows)
	if err != nil {
		return err
	}
	before := datasource.CodeOf(all)
	code := datasource.CodeOf(slices.DeleteFunc(all,
		func(f datasource.Function) bool { return was != nil && f.ID == was.ID }))
	code[now.Name] = now.Code
	if _, err := appliesto.Parse(now.Name+"()", code); err != nil { // call it by name, to detect that it calls itself
		_, plain := appliesto.Parse(now.Code, code)
		if plain == nil {
			plain = err
		}
		return datasource.FieldError("code", plain)
	}
	if was == nil || was.Name != now.Name || was.Code != now.Code {
		if err := checkLoads(w, before, code); err != nil {
			return err
		}
	}
	switch {
	case was == nil:
		return checkRevival(w, now, code)
	case was.Name == now.Name && was.Code == now.Code:
		return nil
	case strings.EqualFold(was.Name, now.Name):
		return stillReadable(w, was, code)
	}
	if err := checkRevival(w, now, code); err != nil {
		return err
	}
	return checkUsers(w, was, "give it another name")
}

// checkRevival requires the permission to choose devices if a new function makes
// an invalid expression valid again.
func checkRevival(w *resource.Write, f *datasource.Function, code map[string]string) error {
	if mayChoose(w.Call.Access) == nil {
		return nil
	}
	groups, err := resource.Find(w.Context, w.Tx, GroupRows, resource.Where{Field: "appliesTo", Op: "!=", Value: ""})
	if err != nil {
		return err
	}
	for _, g := range groups {
		expr, err := appliesto.Parse(g.AppliesTo, code)
		if err == nil && slices.Contains(expr.Functions(), strings.ToLower(f.Name)) {
			return mayChoose(w.Call.Access)
		}
	}
	return nil
}

// stillReadable refuses code that makes an expression exceed a limit, or makes
// the function call itself.
func stillReadable(w *resource.Write, f *datasource.Function, code map[string]string) error {
	users, err := usersOfFunction(w, f)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(users, func(u functionUser) bool { return u.group != 0 }) {
		if err := mayChoose(w.Call.Access); err != nil {
			return err
		}
	}
	for _, u := range users {
		if _, err := appliesto.Parse(u.code, code); err != nil && !u.hidden {
			return fault.At("code", "code: with it, %s can no longer be read: %s", u.what, fault.Of(err).Message)
		}
	}
	return nil
}

// functionUser is a group, a data source or a function that calls a function.
type functionUser struct {
	what   string // in a sentence, "the group Servers/Shop"
	code   string
	group  int64 // 0 for a function or a data source
	hidden bool  // the caller cannot view it
}

// usersOfFunction returns the groups, data sources and functions that call f,
// directly or through other functions.
func usersOfFunction(w *resource.Write, f *datasource.Function) ([]functionUser, error) {
	groups, err := resource.Find(w.Context, w.Tx, GroupRows, resource.Where{Field: "appliesTo", Op: "!=", Value: ""})
	if err != nil {
		return nil, err
	}
	functions, err := resource.Find(w.Context, w.Tx, datasource.FunctionRows)
	if err != nil {
		return nil, err
	}
	code := datasource.CodeOf(functions)
	calls := func(text string) bool {
		expr, err := appliesto.Parse(text, code)
		return err == nil && slices.Contains(expr.Functions(), strings.ToLower(f.Name))
	}
	var users []functionUser
	for _, g := range groups {
		if calls(g.AppliesTo) {
			users = append(users, functionUser{"the group " + g.FullPath, g.AppliesTo, g.ID,
				!MayRead(w.Call.Access, g.ID)})
		}
	}
	sources, err := resource.Find(w.Context, w.Tx, datasource.DataSourceRows,
		resource.Where{Field: "appliesTo", Op: "!=", Value: ""})
	if err != nil {
		return nil, err
	}
	for _, d := range sources {
		if calls(d.AppliesTo) {
			users = append(users, functionUser{what: "the data source " + d.Name, code: d.AppliesTo})
		}
	}
	for _, other := range functions {
		if other.ID != f.ID && calls(other.Code) {
			users = append(users, functionUser{what: "the function " + other.Name, code: other.Code})
		}
	}
	return users, nil
}

// checkUsers refuses to delete a function that is in use, unless ignoreReference
// is set. The error does not name groups that the caller cannot view.
func checkUsers(w *resource.Write, f *datasource.Function, act string) error {
	ignore, err := w.Call.Flag("ignoreReference")
	if err != nil {
		return err
	}
	users, err := usersOfFunction(w, f)
	if err != nil || len(users) == 0 {
		return err
	}
	if slices.ContainsFunc(users, func(u functionUser) bool { return u.group != 0 }) {
		if err := mayChoose(w.Call.Access); ignore && err != nil {
			return err
		}
	}
	if ignore {
		return nil
	}
	var names []string
	for _, u := range users {
		if !u.hidden {
			names = append(names, u.what)
		}
	}
	const shown = 5
	switch {
	case len(names) == 0:
		names = []string{"expressions your role does not see"}
	case len(names) > shown:
		names = append(names[:shown], fmt.Sprintf("%d more", len(names)-shown))
	}
	return fault.New(fault.Conflict, "%s is used by %s; change these first, or %s with ignoreReference=true", f.Name,
		strings.Join(names, ", "), act)
}

// placeAnew recomputes the dynamic groups of all devices if a group calls a
// function that has changed or was deleted. It ignores the deleted function.
func placeAnew(w *resource.Write, gone int64) error {
	groups, err := resource.Find(w.Context, w.Tx, GroupRows)
	if err != nil {
		return err
	}
	functions, err := resource.Find(w.Context, w.Tx, datasource.FunctionRows)
	if err != nil {
		return err
	}
	was := newMembership(groups, functions)
	m := newMembership(groups, slices.DeleteFunc(functions, func(f datasource.Function) bool { return f.ID == gone }))
	calls := func(g dynamicGroup) bool { return g.expr == nil || len(g.expr.Functions()) > 0 }
	if !slices.ContainsFunc(was.dynamic, calls) && !slices.ContainsFunc(m.dynamic, calls) {
		return nil
	}
	return m.placeAll(w.Context, w.Tx)
}
