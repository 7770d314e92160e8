package export

// TSV is what spreadsheets paste: as CSV, with tabs between the cells.
var TSV = Format{ID: "tsv", Label: "TSV", Extension: "tsv", Type: "text/tab-separated-values; charset=utf-8", Plain: true, Open: separated('\t')}
