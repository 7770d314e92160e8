package explorer_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"spyglass/backend/resource"
	"spyglass/backend/testkit"
)

// hostileCatalogs are API descriptions that need far more memory than their size suggests.
func hostileCatalogs() map[string]string {
	many := func(n int, item func(i int) string) string {
		items := make([]string, n)
		for i := range items {
			items[i] = item(i)
		}
		return strings.Join(items, ",")
	}
	long := func(n int) string { return strings.Repeat("x", n) }
	document := func(paths, rest string) string {
		return `{"openapi":"3.0.0","info":{"title":"x","version":"1"},"paths":{` + paths + `}` + rest + `}`
	}
	post := func(i int) string {
		return fmt.Sprintf(`"/p%d":{"post":{"requestBody":{"content":{"application/json":`+
			`{"schema":{"$ref":"#/components/schemas/A0"}}}},"responses":{"200":{"description":""}}}}`, i)
	}
	schemas := func(named string) string { return `,"components":{"schemas":{` + named + `}}` }
	ref := func(name string) string { return `{"$ref":"#/components/schemas/` + name + `"}` }
	tree := many(9, func(i int) string {
		return fmt.Sprintf(`"A%d":{"type":"object","properties":{%s}}`, i,
			many(20, func(k int) string { return fmt.Sprintf(`"k%d":%s`, k, ref(fmt.Sprint("A", i+1))) }))
	})
	variables := many(40, func(i int) string { return fmt.Sprintf(`"v%d":{"default":"{v%d}{v%d}"}`, i, i+1, i+1) })
	return map[string]string{
		"deep": document(post(0), `,"x-a":`+strings.Repeat("[", 100_000)+strings.Repeat("]", 100_000)),
		"deep schemas": document(post(0), schemas(`"A0":`+strings.Repeat(`{"items":`, 20_000)+`{}`+
			strings.Repeat(`}`, 20_000))),
		"100,000 refs": document(post(0),
			schemas(`"A0":{"allOf":[`+many(100_000, func(int) string { return ref("B") })+`]},"B":{"type":"string"}`)),
		"refs to all": document(many(2000, func(int) string { return post(0) }),
			schemas(`"A0":{"$ref":"#/components/x-a"}`)),
		"refs in circles": document(many(500, post), schemas(`"A0":{"properties":{"a":`+ref("A1")+`,"b":`+ref("A0")+
			`,"c":`+ref("A1")+`}},"A1":{"properties":{"a":`+ref("A0")+`,"b":`+ref("A1")+`}}`)),
		"a ref to itself": document(post(0), schemas(`"A0":`+ref("A0"))),
		"a tree": document(many(500, post), schemas(tree+`,"A9":{"type":"string","description":"`+
			long(20_000)+`"}`)),
		"a huge enum": document(many(500, post), schemas(`"A0":{"type":"object","properties":{"a":`+ref("E")+
			`,"b":`+ref("E")+`}},"E":{"enum":[`+
			many(20_000, func(i int) string { return fmt.Sprintf(`"value number %d"`, i) })+`]}`)),
		"many properties": document(many(500, post),
			schemas(`"A0":{"type":"object","required":[`+
				many(20_000, func(i int) string { return fmt.Sprintf(`"property%d"`, i) })+`],"properties":{`+
				many(20_000, func(i int) string { return fmt.Sprintf(`"property%d":{"type":"string"}`, i) })+`}}`)),
		"tags × operations": document(many(5000, func(i int) string {
			return fmt.Sprintf(`"/p%d":{"get":{"tags":["t%d"],"responses":{"200":{"description":""}}}}`, i, i)
		}), `,"tags":[`+many(5000, func(i int) string { return fmt.Sprintf(`{"name":"t%d"}`, 5000-i) })+`]`),
		"many parameters": document(`"/a":{"get":{"parameters":[`+many(10_000, func(i int) string {
			return fmt.Sprintf(`{"name":"parameter%d","in":"query","schema":{"type":"string"}}`, i)
		})+`],"responses":{"200":{"description":""}}}}`, ""),
		"a long example": document(`"/`+strings.Repeat("{p}", 20_000)+`":{"get":{"parameters":[{"name":"p",`+
			`"in":"path","required":true,"schema":{"type":"string"},"example":"`+long(50_000)+
			`"}],"responses":{"200":{"description":""}}}}`, ""),
		"a shared answer": document(many(2000, func(i int) string {
			return fmt.Sprintf(`"/p%d":{"get":{"responses":{"400":{"$ref":"#/components/responses/R"}}}}`, i)
		}), `,"components":{"responses":{"R":{"description":"`+long(30_000)+`"}}}`),
		"a shared path": document(
			many(2000, func(i int) string { return fmt.Sprintf(`"/p%d":{"$ref":"#/paths/~1a"}`, i) })+
				`,"/a":{"get":{"description":"`+long(30_000)+`","responses":{"200":{"description":""}}}}`, ""),
		"variables double": document(post(0), schemas(`"A0":{"type":"string"}`)+`,"servers":[{"url":"/{v0}",`+
			`"variables":{`+variables+`}}]`),
	}
}

func TestHostileCatalogStaysWithinTheBudget(t *testing.T) {
	const most = 512 << 20 // total allocations, including garbage; the race detector uses half of them
	h := build(t)
	document := ""
	far := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte(document))
	}))
	defer far.Close()
	for name, text := range hostileCatalogs() {
		t.Run(name, func(t *testing.T) {
			document = text
			id := h.addPortal(1, `{"name":"`+name+`","baseUrl":"`+far.URL+`/api","auth":"none"}`)
			spent := func(what string, do func()) {
				before := testkit.Allocated()
				do()
				if used := testkit.Allocated() - before; used > most {
					t.Errorf("%s of %d KB allocated %d MB", what, len(text)>>10, used>>20)
				}
			}
			spent("reading", func() { h.exchange(1, "POST /explorer/portals/"+id+"/catalog", "") })
			n, err := strconv.ParseInt(id, 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			p, err := h.workspace.PortalOf(t.Context(), 1, n)
			if err != nil {
				t.Fatal(err)
			}
			if err := h.workspace.KeepCatalog(t.Context(), p, resource.Millis(1), far.URL, []byte(text)); err != nil {
				t.Fatal(err)
			}
			spent("reading what was kept", func() {
				a := h.exchange(1, "GET /explorer/catalog?portal="+id, "")
				if a.status != 200 || len(a.body) > 100<<20 {
					t.Errorf("the catalog returned %d with %d MB", a.status, len(a.body)>>20)
				}
			})
		})
	}
}
