package portal

import "spyglass/backend/resource"

const alertRows resource.Name[Alert] = "alert"

// Severities of an alert.
const (
	SeverityWarn     int64 = 2
	SeverityError    int64 = 3
	SeverityCritical int64 = 4
)

// Alert is a data point that is, or was, beyond its threshold on one instance.
type Alert struct {
	ID                 resource.TextID
	Type               string // dataSourceAlert, or agentDownAlert of a collector
	Severity           int64
	StartOn            resource.Seconds
	EndOn              resource.Seconds // 0 while active
	Cleared            bool
	Acked              bool
	AckedBy            string
	AckedOn            resource.Seconds
	AckComment         string
	DeviceID           int64 // 0 for a collector's alert, which only who sees all devices sees
	DeviceName         string
	DataSourceID       int64
	DataSourceName     string
	DeviceDataSourceID int64
	InstanceID         int64
	InstanceName       string
	InstanceNote       string
	DataPointID        int64
	DataPointName      string
	CollectorID        int64
	Value              string
	Threshold          string // "> 60 80 90"
	ClearValue         string
	SDTed              bool
	SDTIDs             string // joined by commas, "R_12"
	RuleID             int64
	Rule               string
	ChainID            int64
	Chain              string
	NextRecipient      int64
	Received           string // who has been told
	Suppressor         string
	SuppressNote       string
	UpdatedOn          resource.Seconds
	Notes              []AlertNote
}

// AlertNote is what somebody wrote to an alert.
type AlertNote struct {
	By   string           `json:"by"`
	On   resource.Seconds `json:"on"`
	Text string           `json:"text"`
}
