package snippet

// Written is a program, for the page and as a file.
type Written struct {
	Lines [][]Token `json:"lines"`
	Name  string    `json:"name" doc:"name of the file to save it in"`
	Text  string    `json:"text"`
}

// Write returns a text as a program in the language of a lexer.
func Write(lexer, name, text string) *Written { return &Written{Highlight(lexer, text), name, text} }
