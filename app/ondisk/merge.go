package ondisk

import (
	"maps"
	"slices"

	yaml "github.com/oasdiff/yaml3"
)

// merged returns a node with the content of now. Parts that was also has keep their form
// there: comments, style and order.
func merged(was, now *yaml.Node) *yaml.Node {
	if was.Kind != now.Kind {
		return commented(now, was)
	}
	switch now.Kind {
	case yaml.DocumentNode:
		return commented(&yaml.Node{Kind: now.Kind, Content: []*yaml.Node{merged(was.Content[0], now.Content[0])}}, was)
	case yaml.MappingNode:
		return mergedMapping(was, now)
	case yaml.SequenceNode:
		return mergedList(was, now)
	default:
	}
	if was.Value == now.Value && now.Style&yaml.DoubleQuotedStyle == 0 {
		return was
	}
	return commented(now, was)
}

// commented returns a node with the comments of another node.
func commented(n, from *yaml.Node) *yaml.Node {
	out := *n
	out.HeadComment, out.LineComment, out.FootComment = from.HeadComment, from.LineComment, from.FootComment
	return &out
}

// joined returns two comments below each other.
func joined(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n\n" + b
}

// block returns a mapping or list without its content. It has lines of its own, for diffs.
func block(was *yaml.Node) *yaml.Node {
	out := *was
	out.Content = nil
	if out.Style&yaml.FlowStyle != 0 {
		out.Style &^= yaml.FlowStyle
		out.HeadComment, out.LineComment = joined(out.HeadComment, out.LineComment), ""
	}
	return &out
}

// entry is a key of a mapping with its value.
type entry struct{ key, value *yaml.Node }

// mergedMapping keeps the order of the keys that both have. A new key follows the key that
// precedes it in now.
func mergedMapping(was, now *yaml.Node) *yaml.Node {
	var all []entry
	at := func(key string) int {
		for i, e := range all {
			if e.key.Value == key {
				return i
			}
		}
		return -1
	}
	loose := "" // a comment below a deleted key
	for i := 0; i+1 < len(was.Content); i += 2 {
		key, value := was.Content[i], was.Content[i+1]
		if n := find(now, key.Value); n != nil {
			kept := *key
			kept.HeadComment, loose = joined(loose, key.HeadComment), ""
			all = append(all, entry{&kept, merged(value, n)})
		} else if len(all) == 0 {
			loose = joined(loose, key.FootComment)
		} else {
			last := all[len(all)-1].key
			last.FootComment = joined(last.FootComment, key.FootComment)
		}
	}
	for i := 0; i+1 < len(now.Content); i += 2 {
		key := now.Content[i]
		if at(key.Value) >= 0 {
			continue
		}
		place := 0
		if i > 0 {
			place = at(now.Content[i-2].Value) + 1
		}
		added := *key
		if place > 0 && place == len(all) {
			before := all[place-1].key
			added.FootComment, before.FootComment = before.FootComment, ""
		}
		all = slices.Insert(all, place, entry{&added, now.Content[i+1]})
	}
	out := block(was)
	for _, e := range all {
		out.Content = append(out.Content, e.key, e.value)
	}
	return out
}

// find returns the value of a key in a mapping; nil if there is none.
func find(m *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(m.Content); i += 2 {
		if m.Content[i].Value == key {
			return m.Content[i+1]
		}
	}
	return nil
}

// mergedList has the items of now, each merged with its counterpart in was: the equal
// item, else the item with the same key, else the item at the same index.
func mergedList(was, now *yaml.Node) *yaml.Node {
	out := block(was)
	out.Content = make([]*yaml.Node, len(now.Content))
	used := map[*yaml.Node]bool{}
	pair := func(same func(a, b *yaml.Node, sameIndex bool) bool) {
		for i, item := range now.Content {
			for j, old := range was.Content {
				if out.Content[i] == nil && !used[old] && same(old, item, i == j) {
					out.Content[i], used[old] = merged(old, item), true
				}
			}
		}
	}
	pair(func(a, b *yaml.Node, _ bool) bool { return maps.Equal(texts(a), texts(b)) })
	pair(func(a, b *yaml.Node, _ bool) bool { return identity(a) == identity(b) })
	pair(func(_, _ *yaml.Node, sameIndex bool) bool { return sameIndex })
	for i, item := range now.Content {
		if out.Content[i] == nil {
			out.Content[i] = item
		}
	}
	return out
}

// texts returns the values of an item of a list.
func texts(item *yaml.Node) map[string]string {
	all := map[string]string{}
	for i := 0; i+1 < len(item.Content); i += 2 {
		all[item.Content[i].Value] = item.Content[i+1].Value
	}
	return all
}

// identity returns what an item of a list is about: the key of a row, or the kind and the
// target of a check.
func identity(item *yaml.Node) [3]string {
	all := texts(item)
	return [3]string{all["key"], all["kind"], all["target"]}
}
