package desktop

import (
	"os"
	"strconv"
	"strings"
)

// Family returns a process and all its descendants.
func Family(pid int) []int {
	all := []int{pid}
	for i := 0; i < len(all); i++ {
		folder := "/proc/" + strconv.Itoa(all[i]) + "/task/"
		threads, _ := os.ReadDir(folder) // an ended process has no children
		for _, thread := range threads {
			children, _ := os.ReadFile(folder + thread.Name() + "/children")
			for _, word := range strings.Fields(string(children)) {
				if child, err := strconv.Atoi(word); err == nil {
					all = append(all, child)
				}
			}
		}
	}
	return all
}
