// Package output prints results: as a table, as JSON.
package output

import (
	"strings"
	"unicode/utf8"
)

// A Table lines its columns up.
type Table struct {
	rows [][]string
}

// NewTable begins with the names of the columns.
func NewTable(head ...string) *Table {
	return &Table{rows: [][]string{head}}
}

// Row adds one.
func (t *Table) Row(cells ...string) {
	t.rows = append(t.rows, cells)
}

// String pads each cell to the widest of its column, counted in runes.
func (t *Table) String() string {
	widths := make([]int, len(t.rows[0]))
	for _, row := range t.rows {
		for at, cell := range row {
			widths[at] = max(widths[at], utf8.RuneCountInString(cell))
		}
	}
	var out strings.Builder
	for _, row := range t.rows {
		for at, cell := range row {
			out.WriteString(cell + strings.Repeat(" ", widths[at]-utf8.RuneCountInString(cell)+2))
		}
		out.WriteString("\n")
	}
	return out.String()
}
