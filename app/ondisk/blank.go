package ondisk

import (
	"strings"

	yaml "github.com/oasdiff/yaml3"
)

// The YAML library keeps comments, but no blank lines. They are added again between the
// lines where they were.

// line is a line of a file.
type line struct {
	text  string // without white space around it
	value bool   // it belongs to a text of several lines, where a blank line means something
}

func linesOf(text []byte) []line {
	var out []line
	for _, one := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
		out = append(out, line{text: strings.TrimSpace(one)})
	}
	var top yaml.Node
	if yaml.Unmarshal(text, &top) == nil {
		markValues(&top, strings.Split(string(text), "\n"), out)
	}
	return out
}

// markValues marks the lines that go on with a text: those below it that are indented more
// than what it belongs to.
func markValues(n *yaml.Node, text []string, out []line) {
	for i, inside := range n.Content {
		markValues(inside, text, out)
		indent := n.Column - 1 // of the item of a list
		if n.Kind == yaml.MappingNode && i%2 == 1 {
			indent = n.Content[i-1].Column - 1
		}
		if inside.Kind != yaml.ScalarNode || n.Kind == yaml.MappingNode && i%2 == 0 || n.Style&yaml.FlowStyle != 0 {
			continue
		}
		last := inside.Line // counts from 1: the index of the line below
		for k := last; k < len(out); k++ {
			if out[k].text != "" {
				if len(text[k])-len(strings.TrimLeft(text[k], " ")) <= indent {
					break
				}
				last = k + 1
			}
		}
		for k := inside.Line; k < last; k++ {
			out[k].value = true
		}
	}
}

// spaced returns a new text of a file with the blank lines of the old one.
func spaced(was, text []byte) []byte {
	old, now := linesOf(was), linesOf(text)
	at := aligned(old, now) // of old lines in the new text; -1: deleted
	before := make([]int, len(now)+1)
	matched := make([]bool, len(now)+1)
	for _, k := range at {
		if k >= 0 {
			matched[k] = true
		}
	}
	blank, above := 0, -1 // blank lines before this one, and the last one that says something
	first := -1           // blank lines below the last one that is still there; -1: it is the one above
	for i, one := range old {
		if one.text == "" {
			if !one.value {
				blank++
			}
			continue
		}
		switch {
		case at[i] > 0 && first >= 0 && matched[at[i]-1]: // the lines between are deleted
			before[at[i]] = min(blank, first)
		case at[i] >= 0:
			before[at[i]] = blank
		case above >= 0 && at[above] >= 0 && !matched[at[above]+1]: // the line below was changed
			before[at[above]+1] = blank
		}
		if at[i] >= 0 {
			first = -1
		} else if first < 0 {
			first = blank
		}
		blank, above = 0, i
	}
	var out strings.Builder
	have := 0
	for k, one := range strings.SplitAfter(string(text), "\n") {
		if k < len(now) {
			for ; now[k].text != "" && have < before[k]; have++ {
				out.WriteString("\n")
			}
			if have++; now[k].text != "" {
				have = 0
			}
		}
		out.WriteString(one)
	}
	return []byte(out.String())
}

// mostAligned limits the pairs of lines that are compared.
const mostAligned = 4 << 20

// aligned returns for each old line the index of its new line; -1: the line was deleted.
// It finds the longest common sequence of lines.
func aligned(old, now []line) []int {
	at := make([]int, len(old))
	for i := range at {
		at[i] = -1
	}
	same := func(i, k int) bool {
		return old[i].text != "" && old[i].text == now[k].text && !old[i].value && !now[k].value
	}
	from, to := 0, 0 // the same at the beginning and at the end
	for from < len(old) && from < len(now) && old[from] == now[from] {
		if same(from, from) {
			at[from] = from
		}
		from++
	}
	for from+to < len(old) && from+to < len(now) && old[len(old)-1-to] == now[len(now)-1-to] {
		if to++; same(len(old)-to, len(now)-to) {
			at[len(old)-to] = len(now) - to
		}
	}
	n, m := len(old)-from-to, len(now)-from-to
	if n*m > mostAligned {
		return at
	}
	length := make([][]int, n+1) // of the longest sequence from here
	for i := range length {
		length[i] = make([]int, m+1)
	}
	for i := n - 1; i >= 0; i-- {
		for k := m - 1; k >= 0; k-- {
			length[i][k] = max(length[i+1][k], length[i][k+1])
			if same(from+i, from+k) {
				length[i][k] = max(length[i][k], 1+length[i+1][k+1])
			}
		}
	}
	for i, k := 0, 0; i < n && k < m; {
		switch {
		case same(from+i, from+k) && length[i][k] == 1+length[i+1][k+1]:
			at[from+i] = from + k
			i, k = i+1, k+1
		case length[i+1][k] >= length[i][k+1]:
			i++
		default:
			k++
		}
	}
	return at
}
