//go:build desktop && !linux

package shell

import "context"

// followScheme does nothing: the web views of Windows and macOS follow the system.
func followScheme(context.Context, func(scheme string)) {}
