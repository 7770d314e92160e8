package api

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// checkQuery refuses a parameter that the endpoint does not have, that is sent
// twice or that has no value. Every endpoint accepts v, the version of the API.
func (x *exchange) checkQuery() error {
	if x.r.URL.RawQuery == "" || x.route.Any {
		return nil
	}
	query, err := parseQuery(x.r.URL.RawQuery, false)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(query)) {
		if err := x.checkParam(name, query[name]); err != nil {
			return err
		}
	}
	return nil
}

func (x *exchange) checkParam(name string, values []string) error {
	at := slices.IndexFunc(x.route.Params, func(p resource.Param) bool { return p.In == "query" && p.Name == name })
	if at < 0 && name != "v" {
		return x.noParam(name)
	}
	kind := ""
	if at >= 0 {
		kind = x.route.Params[at].Schema.Type
	}
	switch {
	case len(values) > 1 && kind != "array":
		return fault.At(name, "%s is in the query %d times; send it once", name, len(values))
	case slices.Contains(values, ""):
		return fault.At(name, "%s has no value in the query; send a value, or leave it out", name)
	case kind == "integer" && isWhole(values[0]) && !resource.Plain(values[0]):
		return fault.At(name, "%s is %q; write a whole number without a plus sign and leading zeros",
			name, values[0])
	}
	return nil
}

func isWhole(text string) bool {
	_, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	return err == nil
}

// noParam returns the error for an unknown parameter, with the known ones and a
// suggestion.
func (x *exchange) noParam(name string) error {
	var names []string
	var allowed []any
	for _, p := range x.route.Params {
		if p.In == "query" {
			names, allowed = append(names, p.Name), append(allowed, p.Name)
		}
	}
	f := fault.At(name, "%s has no query parameter %q%s", x.route.ID(), name, resource.DidYouMean(name, names))
	f.Allowed = allowed
	return f
}
