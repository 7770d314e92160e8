package sheet

// TSV is the clipboard format of spreadsheets: CSV with tabs between the cells.
var TSV = Format{ID: "tsv", Label: "TSV", Extension: "tsv", Type: "text/tab-separated-values; charset=utf-8",
	Plain: true, Open: separated('\t')}
