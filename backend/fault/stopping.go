package fault

import "time"

// ErrStopping is the cause of the contexts of work that ends because the program stops.
var ErrStopping = &Error{Kind: Busy, Message: "Spyglass is stopping", RetryAfter: time.Second}
