package filter

import "slices"

// WithoutAbsent returns the filter without its conditions on absent columns,
// which compare like empty values. possible is false if no row can match.
func (f *Filter) WithoutAbsent() (rest *Filter, possible bool) {
	if f == nil {
		return nil, true
	}
	out := &Filter{}
	for _, conds := range f.Any {
		if slices.ContainsFunc(conds, func(c Cond) bool { return c.Column.Absent && !c.passesEmpty() }) {
			continue
		}
		left := slices.DeleteFunc(slices.Clone(conds), func(c Cond) bool { return c.Column.Absent })
		if len(left) == 0 {
			return nil, true
		}
		out.Any = append(out.Any, left)
	}
	if len(out.Any) == 0 {
		return nil, false
	}
	return out, true
}

// passesEmpty reports whether an empty text meets the condition.
func (c Cond) passesEmpty() bool {
	equal := slices.ContainsFunc(c.Values, func(v Value) bool {
		if v.Pattern {
			return !slices.ContainsFunc(v.Glob, func(part string) bool { return part != "" })
		}
		return v.Text == ""
	})
	switch c.Op {
	case Equal, Contains:
		return equal
	case NotEqual, NotContains:
		return !equal
	case Empty, Null:
		return true
	}
	return false
}
