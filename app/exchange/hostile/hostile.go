// Package hostile makes files that cause importers far more work than their
// size suggests: long texts that are repeated by reference, lists that multiply
// lists, deeply nested values. Tests read them under a memory bound; so can a
// longer run.
package hostile

import (
	"fmt"
	"strings"
)

// File is one file with the attack it makes.
type File struct {
	Attack string // "insomnia: headers of a folder"
	Name   string // of the file
	Text   []byte
}

// Files returns one file for each attack, of about size bytes.
func Files(size int) []File {
	half := size / 2
	long := strings.Repeat("x", half)
	many := func(n int, item func(i int) string) string {
		items := make([]string, max(n, 1))
		for i := range items {
			items[i] = item(i)
		}
		return strings.Join(items, ",")
	}
	same := func(text string) func(int) string { return func(int) string { return text } }
	fill := func(item func(i int) string) string { return many(half/len(item(half)), item) }
	header := func(i int) string { return fmt.Sprintf(`{"name":"h%d","value":"v"}`, i) }
	lines := func(line func(i int) string) string {
		return strings.ReplaceAll(fill(line), ",", "\n")
	}
	openAPI := func(paths, rest string) string {
		return `{"openapi":"3.0.0","info":{"title":"x","version":"1"},"paths":{` + paths + `}` + rest + `}`
	}
	op := func(inside string) func(int) string {
		return func(i int) string {
			return fmt.Sprintf(`"/p%d":{"post":{%s"responses":{"200":{"description":""}}}}`, i, inside)
		}
	}
	body := `"requestBody":{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/A"}}}},`
	postman := func(items string) string { return `{"info":{"name":"x"},"item":[` + items + `]}` }
	insomnia := func(items string) string { return `{"__export_format":4,"resources":[` + items + `]}` }
	bruno := func(rest string) string { return `{"brunoConfig":{},"name":"x",` + rest + `}` }
	own := func(request string) string {
		return `{"spyglass":1,"collections":[{"name":"x","requests":[` + request + `]}]}`
	}
	nest := func(open, end string) string {
		n := size / (len(open) + len(end))
		return strings.Repeat(open, n) + strings.Repeat(end, n)
	}
	doubling := func() string {
		var out strings.Builder
		out.WriteString("a0: &a0 " + long + "\n")
		for i := 1; out.Len() < size; i++ {
			fmt.Fprintf(&out, "a%d: &a%d [*a%d, *a%d]\n", i, i, i-1, i-1)
		}
		return out.String()
	}

	texts := []struct{ attack, name, text string }{
		{"openapi: aliases of one long text", "a.yaml", "openapi: 3.0.0\ninfo: {title: x, version: '1'}\npaths: {}\n" +
			"x-l: &l " + long + "\nx-u: [" + fill(same("*l")) + "]\n"},
		{"openapi: aliases that double", "a.yaml", "openapi: 3.0.0\ninfo: {title: x, version: '1'}\npaths: {}\n" +
			doubling()},
		{"openapi: an alias of itself", "a.yaml",
			"openapi: 3.0.0\ninfo: {title: x, version: '1'}\npaths: &p {/a: *p}\n"},
		{"openapi: a tag for each operation", "a.json",
			openAPI(fill(func(i int) string { return op(fmt.Sprintf(`"tags":["t%d"],`, i))(i) }), "")},
		{"openapi: one long example for all bodies", "a.json",
			openAPI(fill(op(body)), `,"components":{"schemas":{"A":{"type":"string","example":"`+long+`"}}}`)},
		{"openapi: many properties with one long example", "a.json",
			openAPI(op(body)(1), `,"components":{"schemas":{"B":{"type":"string","example":"`+long+
				`"},"A":{"type":"object","properties":{`+
				fill(func(i int) string { return fmt.Sprintf(`"p%d":{"$ref":"#/components/schemas/B"}`, i) })+`}}}}`)},
		{"openapi: a deep example for all bodies", "a.json",
			openAPI(fill(op(body)), `,"components":{"schemas":{"A":{"example":`+strings.Repeat("[", 150)+
				many(half/2, same("1"))+strings.Repeat("]", 150)+`}}}`)},
		{"openapi: parameters of a path that many paths refer to", "a.json",
			openAPI(`"/a":{"parameters":[`+fill(func(i int) string {
				return fmt.Sprintf(`{"name":"q%d","in":"query","schema":{"type":"string"}}`, i)
			})+`],"get":{"responses":{}}},`+
				fill(func(i int) string { return fmt.Sprintf(`"/p%d":{"$ref":"#/paths/~1a"}`, i) }), "")},
		{"openapi: references into an extension", "a.json", openAPI(fill(func(i int) string {
			return fmt.Sprintf(`"/p%d":{"get":{"parameters":[{"$ref":"#/x-a/p"}],"responses":{}}}`, i)
		}), `,"x-a":{"p":{"name":"q","in":"query","description":"`+long+`"}}`)},
		{"openapi: one long description of a shared parameter", "a.json",
			openAPI(fill(op(`"parameters":[{"$ref":"#/components/parameters/P"}],`)),
				`,"components":{"parameters":{"P":{"name":"q","in":"query","schema":{"type":"string"},"description":"`+
					long+`"}}}`)},
		{"openapi: allOf of all", "a.json", openAPI(op(body)(1), `,"components":{"schemas":{"A":{"allOf":[`+
			fill(same(`{"$ref":"#/components/schemas/B"}`))+`]},"B":{"type":"object","properties":{`+
			fill(func(i int) string { return fmt.Sprintf(`"p%d":{"type":"string"}`, i) })+`}}}}`)},
		{"openapi: a path of parameters", "a.json",
			openAPI(`"/`+strings.ReplaceAll(many(size/10, func(i int) string { return fmt.Sprintf("{p%d}", i) }), ",",
				"/")+`":{"get":{"responses":{}}}`, "")},
		{"openapi: schemas within schemas", "a.json", openAPI(op(body)(1), `,"components":{"schemas":{"A":`+
			nest(`{"items":`, `}`)+`}}`)},
		{"openapi: empty schemas", "a.json", openAPI(op(body)(1), `,"components":{"schemas":{"A":{"properties":{`+
			many(size/8, func(i int) string { return fmt.Sprintf(`"%x":{}`, i) })+`}}}}`)},
		{"openapi: nested keys of YAML", "a.yaml", "openapi: 3.0.0\n" + strings.Repeat("? ", half) + "x\n"},
		{"swagger: aliases of one long text", "a.yaml", "swagger: '2.0'\ninfo: {title: x, version: '1'}\npaths: {}\n" +
			"x-l: &l " + long + "\nx-u: [" + fill(same("*l")) + "]\n"},
		{"swagger: references into an extension", "a.json", `{"swagger":"2.0","info":{"title":"x","version":"1"},` +
			`"x-a":{"p":{"name":"q","in":"query","type":"string","description":"` + long + `"}},"paths":{` +
			fill(func(i int) string {
				return fmt.Sprintf(`"/p%d":{"get":{"parameters":[{"$ref":"#/x-a/p"}],"responses":{}}}`, i)
			}) + `}}`},
		{"insomnia: headers of a folder", "a.json", insomnia(`{"_id":"w","_type":"workspace"},{"_id":"f",` +
			`"_type":"request_group","parentId":"w","headers":[` + fill(header) + `]},` +
			fill(same(`{"_type":"request","parentId":"f","url":"/a"}`)))},
		{"insomnia: children within children", "a.json", `{"type":"collection.insomnia.rest/5.0","collection":[` +
			nest(`{"children":[`, `]}`) + `]}`},
		{"insomnia: environments of one id", "a.json", insomnia(fill(same(`{"_id":"w","_type":"workspace"}`)) + "," +
			fill(same(`{"_id":"w","_type":"environment","parentId":"w","data":{"a":1}}`)))},
		{"insomnia: empty items", "a.json", insomnia(many(size/3, same(`{}`)))},
		{"insomnia: numbers for items", "a.json", insomnia(many(half, same(`0`)))},
		{"insomnia: a long name before many", "a.json", insomnia(`{"_id":"w","_type":"workspace"},{"_id":"e",` +
			`"_type":"environment","parentId":"w","data":{"` + long + `":{` +
			fill(func(i int) string { return fmt.Sprintf(`"k%d":1`, i) }) + `}}}`)},
		{"insomnia: objects within objects", "a.json", insomnia(`{"_id":"w","_type":"workspace"},{"_id":"e",` +
			`"_type":"environment","parentId":"w","data":` + nest(`{"a":`, `}`) + `}`)},
		{"insomnia: aliases of one long text", "a.yaml", "type: collection.insomnia.rest/5.0\nx: &l " + long +
			"\ncollection: [" + fill(same("{name: *l}")) + "]\n"},
		{"insomnia: variables of one long value", "a.json", insomnia(`{"_id":"w","_type":"workspace"},{"_id":"e",` +
			`"_type":"environment","parentId":"w","data":{"a":"` + long + `",` +
			fill(func(i int) string { return fmt.Sprintf(`"k%d":"{{a}}{{a}}"`, i) }) + `}}`)},
		{"insomnia: addresses of a variable", "a.json", insomnia(`{"_id":"w","_type":"workspace"},{"_id":"e",` +
			`"_type":"environment","parentId":"w","data":{"a":"http://h/` + strings.Repeat("x", 1900) + `"}},` +
			fill(func(i int) string {
				return fmt.Sprintf(`{"_type":"request","parentId":"w","url":"{{a}}:%d/a"}`, i)
			}))},
		{"insomnia: a tag for each request", "a.json",
			insomnia(`{"_id":"w","_type":"workspace"},` + fill(func(i int) string {
				return fmt.Sprintf(`{"_type":"request","parentId":"w","url":"/{%% response 'a%d' %%}"}`, i)
			}))},
		{"yaak: headers and items", "a.json", `{"yaakSchema":3,"resources":{"workspaces":[` + fill(same(`{"id":"w"}`)) +
			`],"environments":[` + fill(same(`{"id":"e","workspaceId":"w"}`)) + `]}}`},
		{"bruno: headers of a folder", "a.json", bruno(`"root":{"request":{"headers":[` + fill(header) +
			`]}},"items":[` + fill(same(`{"type":"http","request":{"url":"/a"}}`)) + `]`)},
		{"bruno: folders within folders with headers", "a.json",
			bruno(`"items":[` + strings.Repeat(`{"type":"folder","root":{"request":{"headers":[`+
				many(half/15/30, header)+`]}},"items":[`, 15) +
				fill(same(`{"type":"http","request":{"url":"/a"}}`)) + strings.Repeat(`]}`, 15) + `]`)},
		{"bruno: empty items", "a.json", bruno(`"items":[` + many(size/3, same(`{}`)) + `]`)},
		{"bruno: built-in variables", "a.json",
			bruno(`"x":"` + strings.ReplaceAll(many(size/12, func(i int) string { return fmt.Sprintf("{{$a%d}}", i) }),
				",", "") + `","items":[]`)},
		{"bru: scripts", "a.bru", lines(same("script:pre-request {\n  xxxxxxxx\n}"))},
		{"bru: variables", "a.bru", "vars {\n" +
			lines(func(i int) string { return fmt.Sprintf("  a%d: {{a%d}}{{a%d}}", i+1, i, i) }) + "\n}\n"},
		{"opencollection: bodies within bodies", "a.json", `{"opencollection":"1","items":[{"http":{"method":"GET",` +
			`"url":"/a","body":` + nest(`[{"body":`, `}]`) + `}}]}`},
		{"opencollection: headers of a folder", "a.json", `{"opencollection":"1","request":{"headers":[` +
			fill(header) + `]},"items":[` + fill(same(`{"http":{"method":"GET","url":"/a"}}`)) + `]}`},
		{"opencollection: merges of one mapping", "a.yml", "opencollection: '1'\nx: &m {a: " + long + "}\nitems: [" +
			fill(same("{<<: *m}")) + "]\n"},
		{"postman: folders within folders", "a.json", postman(nest(`{"item":[`, `]}`))},
		{"postman: empty items", "a.json", postman(many(size/3, same(`{}`)))},
		{"postman: requests with a body of brackets", "a.json", postman(`{"request":{"method":"POST","url":"/a",` +
			`"body":{"mode":"raw","raw":"` + strings.Repeat("[", half) + strings.Repeat("]", half) + `"}}}`)},
		{"postman: requests with a deep body of values", "a.json", postman(`{"request":{"method":"POST","url":"/a",` +
			`"body":{"mode":"raw","raw":"` + strings.Repeat("[", 5000) + many(half/2, same("1")) +
			strings.Repeat("]", 5000) + `"}}}`)},
		{"postman: one path of the same variable", "a.json",
			postman(`{"request":{"url":"/` + strings.ReplaceAll(many(size/6, same("{{a}}")), ",", "/") + `"}}`)},
		{"postman: many variables in a body", "a.json", postman(`{"request":{"method":"POST","url":"/a",` +
			`"body":{"mode":"raw","raw":"` +
			strings.ReplaceAll(many(size/10, func(i int) string { return fmt.Sprintf("{{v%d}}", i) }), ",",
				"") + `"}}}`)},
		{"postman: many hidden secrets", "a.json", postman(`{"request":{"method":"POST","url":"/a",` +
			`"body":{"mode":"raw","raw":"` + strings.Repeat("********", size/8) + `"}}}`)},
		{"postman: many query parameters of one request", "a.json",
			postman(`{"request":{"url":"/a?` +
				strings.ReplaceAll(many(size/6, func(i int) string { return fmt.Sprintf("q%d=", i) }), ",",
					"&") + `"}}`)},
		{"spyglass: many parameters of one path", "a.json",
			own(`{"draft":{"method":"GET","path":"/` +
				strings.ReplaceAll(many(half/12, func(i int) string { return fmt.Sprintf("{{v%d}}", i) }), ",", "/") +
				`","pathParams":[` +
				fill(func(i int) string { return fmt.Sprintf(`{"on":true,"key":"v%d","value":"x"}`, i) }) + `]}}`)},
		{"spyglass: requests of one path with headers", "a.json", own(fill(func(i int) string {
			return fmt.Sprintf(`{"draft":{"method":"GET","path":"/{a}/{a}","headers":[{"on":true,"key":"h%d"}]}}`, i)
		}))},
		{"spyglass: folders within folders", "a.json", `{"spyglass":1,"collections":[` +
			nest(`{"folders":[`, `]}`) + `]}`},
		{"har: entries without anything", "a.json", `{"log":{"entries":[` + many(size/3, same(`{}`)) + `]}}`},
		{"har: one query of many pairs", "a.json", `{"log":{"entries":[{"request":{"method":"GET","url":"http://h/a?` +
			strings.Repeat("a&", half) + `"}}]}}`},
		{"environment: values within values", "a.json",
			`{"name":"x","_postman_variable_scope":"environment","values":[` +
				fill(func(i int) string { return fmt.Sprintf(`{"key":"a%d","value":"{{a%d}}{{a%d}}"}`, i+1, i, i) }) +
				`]}`},
	}
	out := make([]File, len(texts))
	for i, t := range texts {
		out[i] = File{Attack: t.attack, Name: t.name, Text: []byte(t.text)}
	}
	return out
}
