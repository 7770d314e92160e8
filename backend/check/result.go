package check

// Result is what came of one look at an instance.
type Result struct {
	InstanceID int64   `json:"instanceId" doc:"what was looked at"`
	At         int64   `json:"at" doc:"when, in epoch seconds"`
	Took       float64 `json:"took" doc:"milliseconds"`
	Values     Values  `json:"values" doc:"raw fields by name; what is not there has no data"`
	Error      string  `json:"error,omitempty" doc:"why there are none"`
}
