package localca

// ParseKey exports parseKey for tests that steal the key.
var ParseKey = parseKey
