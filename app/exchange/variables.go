package exchange

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"spyglass/app/workspace"
)

// Limits of the bytes of a value and of a name.
const (
	longestValue = 65_536
	longestName  = 100
)

// taken holds the variables of a file, in its order.
type taken struct {
	list  []Variable
	at    map[string]int // by name
	other []skipped      // variables that already have another value

	environments []Environment
	named        map[string]int    // index in environments, by name
	inside       map[[2]string]int // index of a variable, by the names of its environment and its own
	within       map[string]string // values of the environment that is being written out
}

// skipped lists variables of an environment that were not imported.
type skipped struct {
	from  string
	names []string
}

// variable imports a variable. If a file has several with the same name, the
// first one counts.
func (f *File) variable(from string, v Variable) {
	v.Name = variableName(v.Name)
	if v.Name == "" {
		return
	}
	i, have := f.taken.at[v.Name]
	switch {
	case have && f.taken.list[i].only:
		f.taken.list[i] = v
	case !have:
		if f.taken.at == nil {
			f.taken.at = map[string]int{}
		}
		f.taken.at[v.Name] = len(f.taken.list)
		f.taken.list = append(f.taken.list, v)
	case f.taken.list[i].Value == "":
		f.taken.list[i].Value = v.Value
		f.taken.list[i].Secret = f.taken.list[i].Secret || v.Secret
	case f.taken.list[i].Value != v.Value && v.Value != "":
		last := len(f.taken.other) - 1
		if last < 0 || f.taken.other[last].from != from {
			f.taken.other = append(f.taken.other, skipped{from: from})
			last++
		}
		f.taken.other[last].names = append(f.taken.other[last].names, v.Name)
	}
}

// inEnvironment imports a variable of an environment. Where requests are read, a variable
// that only environments have has the value of the first of them.
func (f *File) inEnvironment(name string, v Variable) {
	if v.Name = variableName(v.Name); v.Name == "" {
		return
	}
	if _, have := f.taken.at[v.Name]; !have {
		first := v
		first.only = true
		f.variable("", first)
	}
	t := &f.taken
	if t.named == nil {
		t.named, t.inside = map[string]int{}, map[[2]string]int{}
	}
	name = cmp.Or(shortName(name), "Environment")
	i, have := t.named[name]
	if !have {
		i = len(t.environments)
		t.named[name] = i
		t.environments = append(t.environments, Environment{Name: name})
	}
	e, at := &t.environments[i], [2]string{name, v.Name}
	if _, have := t.inside[at]; !have {
		t.inside[at] = len(e.Variables)
		e.Variables = append(e.Variables, v)
	}
}

// shortName returns the name of an environment as the workspace accepts it.
func shortName(name string) string {
	if runes := []rune(plain(name)); len(runes) > longestName {
		return string(runes[:longestName-1]) + "…"
	}
	return plain(name)
}

// valueOf returns the value of a variable of the file.
func (f *File) valueOf(name string) (string, bool) {
	if value, ok := f.taken.within[name]; ok {
		return value, true
	}
	i, ok := f.taken.at[name]
	if !ok {
		return "", false
	}
	return f.taken.list[i].Value, true
}

// variables adds the file's variables to the result, with variables inside values
// replaced, and without those that were only used as a host.
func (f *File) variables(found *Found) {
	found.Variables = append(found.Variables, f.taken.list...)
	f.rename(found)
	used := map[string]bool{}
	eachText(found.Folders, func(text string) string {
		for _, m := range reference.FindAllStringSubmatch(text, -1) {
			used[m[1]] = true
		}
		return text
	})
	empty := []string{}
	found.Variables = slices.DeleteFunc(found.Variables, func(v Variable) bool { return v.only })
	found.Variables = f.settled(found.Variables, used, &empty)
	found.Environments = append(found.Environments, f.taken.environments...)
	for i := range found.Environments {
		e := &found.Environments[i]
		f.taken.within = map[string]string{}
		for j := range e.Variables {
			e.Variables[j].Name = variableName(e.Variables[j].Name)
			f.taken.within[e.Variables[j].Name] = e.Variables[j].Value
		}
		e.Variables = f.settled(e.Variables, used, &empty)
	}
	f.taken.within = nil
	found.Environments = slices.DeleteFunc(found.Environments, func(e Environment) bool {
		return len(e.Variables) == 0
	})
	for _, o := range f.taken.other {
		o.names = slices.DeleteFunc(o.names, func(name string) bool { return f.hosts[name] && !used[name] })
		if len(o.names) == 0 {
			continue
		}
		f.notes.say("A variable has one value here, so those of %s were not imported: %s.", o.from, someOf(o.names))
	}
	if len(empty) > 0 {
		f.notes.say("The values of secrets are not in the file; enter them under Tools, Variables: %s.", someOf(empty))
	}
}

// settled returns variables with those in their values replaced, without those that were
// only used as a host. It adds the names of secrets without a value to empty.
func (f *File) settled(list []Variable, used map[string]bool, empty *[]string) []Variable {
	list = slices.DeleteFunc(list,
		func(v Variable) bool { return v.Name == "" || f.hosts[v.Name] && !used[v.Name] })
	for i := range list {
		v := &list[i]
		if v.Value = f.writtenOut(v.Value, longestValue); len(v.Value) > longestValue {
			f.notes.say("The value of the variable %s is longer than %d KiB: it was not imported.", v.Name,
				longestValue>>10)
			v.Value = ""
		}
		if v.Secret && v.Value == "" && !slices.Contains(*empty, v.Name) {
			*empty = append(*empty, v.Name)
		}
	}
	return list
}

// rename gives variables valid names, including where requests use them.
func (f *File) rename(found *Found) {
	now := map[string]string{}
	for i := range found.Variables {
		v := &found.Variables[i]
		if name := variableName(v.Name); name != v.Name {
			now[v.Name], v.Name = name, name
		}
	}
	found.Variables = slices.DeleteFunc(found.Variables, func(v Variable) bool { return v.Name == "" })
	eachText(found.Folders, func(text string) string {
		return reference.ReplaceAllStringFunc(text, func(in string) string {
			was := reference.FindStringSubmatch(in)[1]
			name, ok := now[was]
			if cleaned := variableName(was); !ok && cleaned != was {
				_, ok = f.valueOf(cleaned)
				name = cleaned
			}
			if !ok {
				return in
			}
			return "{{" + name + "}}"
		})
	})
}

var (
	reference  = regexp.MustCompile(`\{\{\s*([^{}\s][^{}]*?)\s*\}\}`)
	noNamePart = regexp.MustCompile(`[^A-Za-z0-9_.-]+`)
	startsName = regexp.MustCompile(`^[A-Za-z_]`)
)

// variableName returns a name without characters that are invalid in variable
// names.
func variableName(name string) string {
	name = strings.Trim(noNamePart.ReplaceAllString(strings.TrimSpace(name), "_"), ".-")
	if name == "" || name == "_" {
		return ""
	}
	if !startsName.MatchString(name) {
		name = "_" + name
	}
	return name[:min(len(name), longestName)]
}

// writtenOut returns a value with its variables replaced by their values if these
// are known and short enough, because our variables cannot refer to each other.
func (f *File) writtenOut(value string, most int) string {
	for range 5 {
		left := most - len(value)
		if f.budget.Steps(len(value)) != nil {
			break
		}
		next := reference.ReplaceAllStringFunc(value, func(in string) string {
			inside, ok := f.valueOf(variableName(reference.FindStringSubmatch(in)[1]))
			if !ok || len(inside) > left {
				return in
			}
			left -= len(inside)
			if f.budget.Bytes(len(inside)) != nil {
				return in
			}
			return inside
		})
		if next == value {
			break
		}
		value = next
	}
	return value
}

// someOf returns the first few names.
func someOf(names []string) string {
	if more := len(names) - 6; more > 0 {
		names = append(slices.Clone(names[:6]), "…")
	}
	return strings.Join(names, ", ")
}

// eachText applies change to every text of the requests that may contain
// variables.
func eachText(folders []workspace.Folder, change func(string) string) {
	for i := range folders {
		for j := range folders[i].Requests {
			d := &folders[i].Requests[j].Draft
			d.Path, d.Body = change(d.Path), change(d.Body)
			for _, rows := range []workspace.Rows{d.Query, d.Headers, d.PathParams} {
				for k := range rows {
					rows[k].Key, rows[k].Value = change(rows[k].Key), change(rows[k].Value)
				}
			}
		}
		eachText(folders[i].Folders, change)
	}
}

// plainValue converts a JSON value to the value of a variable.
func plainValue(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}
