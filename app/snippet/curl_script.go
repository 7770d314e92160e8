package snippet

import (
	"encoding/json"
	"fmt"
	"strings"
)

// bashRequest reads a body that is too long for an argument from the variable
// body, so that curl can send it again.
const bashRequest = `
headers=$(mktemp)

# request ARGUMENTS…: one request; after a 429 again, when that says.
request() {
  local response failed seconds try
  for try in 1 2 3 4 5; do
    failed=0
    : >"$headers" # curl leaves the file unchanged if there is no response
    response=$(curl --silent --show-error --globoff --max-time 60 --dump-header "$headers" -H "Authorization: Bearer $SPYGLASS_TOKEN" "$@" < <(printf %s "${body-}")) || failed=$?
    if [ "$try" = 5 ] || [ "${expected-}" = 429 ] || ! grep -q '^HTTP/[0-9.]* 429' "$headers"; then break; fi
    seconds=$(grep -iE '^(retry-after|x-rate-limit-window): *[0-9]+' "$headers" | sort -f | head -n 1 | tr -dc 0-9) || true
    [ "${seconds:=5}" -le 3600 ] || break
    printf '%s429, waiting %s s\n' "${title:+$title: }" "$seconds" >&2
    sleep "$seconds"
  done
  printf '%s\n' "$response"
  return "$failed"
}
`

const bashSend = `
# send TITLE STATUS ARGUMENTS…: one request; any other status ends the script.
send() {
  local title=$1 expected=$2 response status
  shift 2
  response=$(request --write-out '\n%{http_code}' "$@")
  status=${response##*$'\n'}
  printf '%s: %s\n' "$title" "$status" >&2
  text=${response%$'\n'*}
  printf '%s\n' "$text"
  case $status in
    $expected) ;;
    *) printf 'Stopped: %s returned %s, expected %s\n' "$title" "$status" "$expected" >&2; exit 1 ;;
  esac
}
`

// bashMore checks whether a page was the last one without a JSON parser, which
// not every machine has: it uses a total only if it precedes the items.
const bashMore = `
# more PAGE OFFSET: whether the list goes on at the offset.
more() {
  local total='^[^[]*"total"[[:space:]]*:[[:space:]]*([0-9]+)' nothing='"items"[[:space:]]*:[[:space:]]*\[[[:space:]]*\]'
  if [[ $1 =~ $total ]]; then
    ((BASH_REMATCH[1] > $2))
  else
    [[ ! $1 =~ $nothing ]]
  fi
}
`

const bashPages = `
# send_pages TITLE STATUS OFFSET SIZE -X GET URL ARGUMENTS…: a list, page by page.
send_pages() {
  local title=$1 expected=$2 offset=$3 size=$4 url=$7 page first=
  shift 7
  while
    page=$(send "$title from $offset" "$expected" "$url$offset" "$@") || { printf '%s\n' "$page"; exit 1; }
    printf '%s\n' "$page"
    first=${first:-$page}
    offset=$((offset + size))
    more "$page" "$offset"
  do :; done
  text=$first
}
`

const bashField = `
command -v jq >/dev/null || { printf 'Install jq: this script reads values of responses with it.\n' >&2; exit 1; }

# field TITLE PATH FILTER: what a jq filter finds in the last response.
field() {
  jq -cr "$3"' | if . == null then error("none") else . end' <<<"$text" 2>/dev/null || {
    printf 'Stopped: the response to %s has no %s\n' "$1" "$2" >&2
    exit 1
  }
}
`

const bashURL = `
in_url() {
  local LC_ALL=C s=$1 i c
  for ((i = 0; i < ${#s}; i++)); do
    c=${s:i:1}
    case $c in
      [a-zA-Z0-9._~-]) printf %s "$c" ;;
      *) printf '%%%02X' "$(($(printf %d "'$c") & 255))" ;;
    esac
  done
}
`

const bashJSON = `
in_json() {
  local s=${1//\\/\\\\}
  s=${s//\"/\\\"}
  s=${s//$'\n'/\\n}
  s=${s//$'\r'/\\r}
  printf %s "${s//$'\t'/\\t}"
}
`

const bashToken = `: "${SPYGLASS_TOKEN:?set it to an API token of the portal}"` + "\n"

// bashVariables sets the variables, and defines the functions that escape them.
func bashVariables(s *script, names map[string]string) string {
	var b strings.Builder
	b.WriteString(bashToken)
	for _, v := range s.variables {
		b.WriteString(bashAssignment(&v, names[v.Name]) + "\n")
	}
	b.WriteString(bashEscapes(s))
	return b.String()
}

// bashAssignment assigns a variable its value.
func bashAssignment(v *Variable, name string) string {
	switch v.Source {
	case Environment:
		return name + "=${" + v.Value + ":?set it to the value of " + strings.Trim(identifier(v.Name), "_") + "}"
	case Clock:
		return name + "=$(($(date +%s)" + v.seconds() + "))"
	case Random:
		return name + "=$(uuidgen 2>/dev/null | tr A-Z a-z || cat /proc/sys/kernel/random/uuid)"
	}
	if v.Override != "" {
		return name + "=${" + v.Override + "-" + shellQuoted(v.Value) + "}"
	}
	return name + "=" + shellQuoted(v.Value)
}

// jqFilter returns the path as a filter of jq.
func jqFilter(x *Extract) string {
	out := "."
	for _, key := range x.Path {
		if name, ok := key.(string); ok {
			quoted, _ := json.Marshal(name) // a string has JSON
			out += "[" + string(quoted) + "]"
		} else {
			out += fmt.Sprintf("[%d]", key)
		}
	}
	return out
}

// bashEscapes defines the functions that escape variables for their places.
func bashEscapes(s *script) string {
	var b strings.Builder
	if s.has(inURL) {
		b.WriteString(bashURL)
	}
	if s.has(inJSON) {
		b.WriteString(bashJSON)
	}
	return b.String()
}

// bashNames returns the variables' names in the script.
func bashNames(s *script) map[string]string {
	names, taken, next := map[string]string{}, map[string]bool{}, map[string]int{}
	for _, v := range s.variables {
		base := "var_" + strings.Trim(identifier(v.Name), "_")
		name := base
		for n := max(next[base], 2); taken[name]; n++ {
			name = fmt.Sprintf("%s_%d", base, n)
			next[base] = n + 1
		}
		names[v.Name], taken[name] = name, true
	}
	return names
}

func bashText(t text, names map[string]string) string {
	return t.join("", "''", shellQuoted, func(p piece) string {
		switch p.as {
		case inURL:
			return `"$(in_url "$` + names[p.name] + `")"`
		case inJSON:
			return `"$(in_json "$` + names[p.name] + `")"`
		}
		return `"$` + names[p.name] + `"`
	})
}

// bashArguments returns the arguments after curl and its options. It returns a
// body that is too long for them as long, quoted, for curl's standard input.
func bashArguments(st *scriptStep, names map[string]string) (long string, words []string) {
	words = []string{"-X " + shellWord(st.method) + " " + bashText(st.url, names)}
	for _, h := range st.headers {
		words = append(words, "-H "+bashText(bashHeader(h), names))
	}
	switch body := bashText(st.body, names); {
	case len(st.body) == 0:
	case len(body) > longestWord:
		long = body
		words = append(words, "--data-binary @-")
	default:
		words = append(words, "--data-raw "+body)
	}
	return long, words
}

// bashBody assigns the body of the next request, if it is a long one.
func bashBody(long string) string {
	if long == "" {
		return ""
	}
	return "body=" + long + "\n"
}

// bashHeader returns a header for -H; "Name:" would mean not to send it.
func bashHeader(h scriptHeader) text {
	switch {
	case len(h.value) == 0:
		return text{{literal: h.name + ";"}}
	case h.value[0].name == "":
		return append(text{{literal: h.name + ": " + h.value[0].literal}}, h.value[1:]...)
	}
	return append(text{{literal: h.name + ": "}}, h.value...)
}

func bashScript(s *script) string {
	names := bashNames(s)
	var b strings.Builder
	b.WriteString("set -euo pipefail\n\n" + bashVariables(s, names) + bashRequest +
		"trap 'rm -f \"$headers\"' EXIT\n" + bashSend)
	if s.paged() {
		b.WriteString(bashMore + bashPages)
	}
	if s.extracting() {
		b.WriteString(bashField)
	}
	for i := range s.steps {
		st := &s.steps[i]
		expect := "'2??'"
		if st.expect != 0 {
			expect = fmt.Sprint(st.expect)
		}
		long, words := bashArguments(st, names)
		send := "send " + shellQuoted(st.title) + " " + expect
		if st.pages.Size > 0 {
			send = fmt.Sprintf("send_pages %s %s %d %d", shellQuoted(st.title), expect, st.pages.Offset, st.pages.Size)
		}
		b.WriteString("\n" + bashBody(long) + send + " \\\n  " + strings.Join(words, " \\\n  ") + "\n")
		for _, x := range st.extract {
			b.WriteString(names[x.Variable] + "=$(field " + shellQuoted(st.title) + " " + shellQuoted(x.label()) + " " +
				shellQuoted(jqFilter(&x)) + ")\n")
		}
	}
	return b.String()
}

func shellQuoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
