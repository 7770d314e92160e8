package server_test

import (
	"testing"

	"spyglass/backend/server"
)

func TestEveryDeclarationOfThePortalIsValid(t *testing.T) {
	if n, err := server.VerifyDeclarations(); err != nil || n < 40 {
		t.Errorf("of %d declarations: %v", n, err)
	}
}
