package exchange

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"spyglass/backend/fault"
)

const (
	bruBlocks = `meta|get|post|put|patch|delete|head|options|trace|connect|http|grpc|ws|headers|auth|query|` +
		`params:\w+|vars(?::[\w-]+)?|script:[\w-]+|docs|tests|assert|settings`
	bruText = `body(?::(?:json|text|xml|sparql|graphql(?::vars)?))?|script:[\w-]+|tests|docs`
)

var (
	bruBegin = regexp.MustCompile(`\A(?:` + bruBlocks + `)\s*[{\[]`)
	bruBlock = regexp.MustCompile(`^([a-z][\w:-]*)\s*([{\[])\s*(.*)$`)
	bruIsRaw = regexp.MustCompile(`^(?:` + bruText + `)$`)
	bruPair  = regexp.MustCompile(`^(~?)\s*(?:"((?:[^"\\]|\\.)*)"|([^:]*?))\s*:\s*(.*)$`)
)

// readBru reads .bru files, which consist of blocks with pairs, names or text. A
// request begins with its meta block; the settings of a folder, and environments,
// have no method.
func (f *File) readBru(c *brunoCollection) error {
	var item *brunoItem
	lines := strings.Split(string(bytes.ReplaceAll(f.Text, []byte("\r\n"), []byte("\n"))), "\n")
	for at := 0; at < len(lines); at++ {
		m := bruBlock.FindStringSubmatch(lines[at])
		if m == nil {
			if strings.TrimSpace(lines[at]) != "" {
				return fault.New(fault.Invalid,
					"%s is not a valid Bruno file: line %d does not begin a block", f.name(), at+1)
			}
			continue
		}
		name, begin := m[1], at
		end := map[string]string{"{": "}", "[": "]"}[m[2]]
		var inside []string
		if rest := strings.TrimSpace(m[3]); rest != "" {
			inside = []string{strings.TrimSuffix(rest, end)}
		}
		if !strings.HasSuffix(strings.TrimSpace(m[3]), end) {
			for at++; at < len(lines) && strings.TrimRight(lines[at], " \t") != end; at++ {
				inside = append(inside, lines[at])
			}
		}
		if at == len(lines) {
			return fault.New(fault.Invalid, "%s is not a valid Bruno file: the block %s of line %d has no end",
				f.name(), name, begin+1)
		}
		if item == nil || name == "meta" {
			c.Items = append(c.Items, brunoItem{})
			item = &c.Items[len(c.Items)-1]
		}
		item.bru(name, inside)
	}
	f.sortBru(c)
	return nil
}

// sortBru converts items of a folder that are not requests to environments and
// settings.
func (f *File) sortBru(c *brunoCollection) {
	c.Items = slices.DeleteFunc(c.Items, func(i brunoItem) bool {
		if i.Request.Method != "" || i.Type == "grpc" || i.Type == "ws" {
			return false
		}
		c.Environments = append(c.Environments, brunoEnvironment{Name: looseText{f.stem("Bruno")},
			Variables: i.Request.Vars.Req})
		i.Request.Vars.Req = nil
		c.Root.Request.Headers = append(c.Root.Request.Headers, i.Request.Headers...)
		c.Root.Request.Auth = i.Request.Auth
		c.Root.Request.Script = i.Request.Script
		return true
	})
}

// bru reads one block.
func (i *brunoItem) bru(name string, lines []string) {
	r := &i.Request
	if bruIsRaw.MatchString(name) {
		i.bruText(name, undented(lines))
		return
	}
	pairs := pairsOfBru(lines)
	value := func(key string) string {
		at := slices.IndexFunc(pairs, func(p brunoPair) bool { return p.Name.text == key })
		if at < 0 {
			return ""
		}
		return pairs[at].Value.text
	}
	switch name {
	case "meta":
		i.Name, i.Type = looseText{value("name")}, value("type")
		i.Seq, _ = strconv.ParseFloat(value("seq"), 64)
	case "get", "post", "put", "patch", "delete", "head", "options", "trace", "connect", "http":
		r.Method, r.URL, r.Body.Mode, r.Auth.Mode = name, value("url"), value("body"), value("auth")
		if name == "http" {
			r.Method = value("method")
		}
	case "grpc", "ws":
		i.Type = name
	case "auth":
		r.Auth.Mode = value("mode")
	case "query", "params:query":
		r.Params = append(r.Params, pairs...)
	case "params:path":
		for _, p := range pairs {
			p.Type = "path"
			r.Params = append(r.Params, p)
		}
	case "headers":
		r.Headers = pairs
	case "vars", "vars:pre-request":
		r.Vars.Req = append(r.Vars.Req, pairs...)
	case "vars:secret":
		for _, name := range strings.FieldsFunc(strings.Join(lines, ","),
			func(c rune) bool { return strings.ContainsRune(", \t", c) }) {
			on := !strings.HasPrefix(name, "~")
			r.Vars.Req = append(r.Vars.Req, brunoPair{Name: looseText{strings.TrimPrefix(name, "~")}, Secret: true,
				Enabled: &on})
		}
	case "vars:post-response":
		r.Vars.Res = pairs
	case "assert":
		r.Assertions = pairs
	}
}

func (i *brunoItem) bruText(name, text string) {
	r := &i.Request
	switch name {
	case "body", "body:json":
		r.Body.JSON = text
	case "body:text":
		r.Body.Text = text
	case "body:xml":
		r.Body.XML = text
	case "body:sparql":
		r.Body.Sparql = text
	case "body:graphql":
		r.Body.GraphQL.Query = text
	case "body:graphql:vars":
		r.Body.GraphQL.Variables = text
	case "script:pre-request", "script:post-response":
		if text != "" { // only its presence matters
			r.Script.Req = text
		}
	case "tests":
		r.Tests = text
	case "docs":
		r.Docs = text
	}
}

// undented returns the text of a block without its indentation of two spaces.
func undented(lines []string) string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = strings.TrimPrefix(strings.TrimPrefix(line, " "), " ")
	}
	return strings.Join(out, "\n")
}

// pairsOfBru parses "key: value"; ~ before the key turns the pair off, and ”'
// encloses several lines.
func pairsOfBru(lines []string) (pairs []brunoPair) {
	for at := 0; at < len(lines); at++ {
		m := bruPair.FindStringSubmatch(strings.TrimSpace(lines[at]))
		if m == nil || strings.HasPrefix(m[3], "@") {
			continue
		}
		value := m[4]
		if value == "'''" {
			var inside []string
			for at++; at < len(lines) && strings.TrimSpace(lines[at]) != "'''"; at++ {
				inside = append(inside, strings.TrimPrefix(lines[at], "    "))
			}
			value = strings.Join(inside, "\n")
		}
		on := m[1] == ""
		pairs = append(pairs, brunoPair{Name: looseText{strings.ReplaceAll(m[2], `\"`, `"`) + m[3]},
			Value: looseText{value}, Enabled: &on})
	}
	return pairs
}
