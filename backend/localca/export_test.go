package localca

// ParseKey is for tests that steal the key.
var ParseKey = parseKey
