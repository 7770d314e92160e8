package store

import (
	"fmt"
	"testing"
)

func TestCacheEvictsTheLeastRecentlyUsed(t *testing.T) {
	m := &memos{}
	m.put("tree", memo{value: "of groups"})
	m.put("once", memo{value: "and never again"})
	for i := range 10 * maxMemos {
		m.put(fmt.Sprint("device ", i), memo{value: i})
		if i%(maxMemos/2) == 0 {
			if have, ok := m.get("tree"); !ok || have.value != "of groups" {
				t.Fatalf("after %d other values the tree is %v", i, have.value)
			}
		}
	}
	if _, ok := m.get("once"); ok {
		t.Error("an unused memo is still cached")
	}
	if kept := len(m.young) + len(m.old); kept > 2*maxMemos {
		t.Errorf("%d values are kept, want at most %d", kept, 2*maxMemos)
	}
}

func TestDifferentTreesHaveDifferentDigests(t *testing.T) {
	trees := []map[int64][]int64{
		nil, {1: nil}, {1: {2}}, {1: {2, 3}}, {1: {3, 2}}, {1: {2}, 3: nil}, {1: nil, 2: {3}}, {12: nil},
		{1: {2}, 3: {4}},
	}
	seen := map[string]int{}
	for i, tree := range trees {
		if j, ok := seen[digestOf(tree)]; ok {
			t.Errorf("%v and %v are counted as one", trees[j], tree)
		}
		seen[digestOf(tree)] = i
	}
	if digestOf(trees[8]) != digestOf(map[int64][]int64{3: {4}, 1: {2}}) {
		t.Error("a tree is counted again each time")
	}
}
