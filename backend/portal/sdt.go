package portal

import "spyglass/backend/resource"

const (
	sdtRows        resource.Name[SDT]        = "sdt"
	sdtHistoryRows resource.Name[SDTHistory] = "sdtHistory"
)

// SDT is a scheduled down time: a maintenance window in which nobody is told of alerts.
type SDT struct {
	ID                 resource.TextID // sent as "R_12"
	Type               string          // ResourceSDT, ResourceGroupSDT, DeviceDataSourceSDT, DeviceDataSourceInstanceSDT, CollectorSDT …
	Recurrence         string          // sdtType: oneTime, daily, weekly, monthly, monthlyByWeek
	Comment            string
	Admin              string
	Timezone           string // IANA; the portal's when empty
	Start, End         resource.Millis
	Hour, Minute       int64 // begin of each recurrence, in Timezone
	EndHour, EndMinute int64 // its end, on the next day when not after the begin
	Duration           int64 // minutes
	WeekDay            string
	WeekOfMonth        string
	MonthDay           int64
	DeviceID           int64
	DeviceName         string
	GroupID            int64
	GroupPath          string
	DataSourceID       int64 // of a group SDT: 0 for all data sources
	DataSourceName     string
	DeviceDataSourceID int64
	InstanceID         int64
	InstanceName       string
	InstanceGroupID    int64
	CollectorID        int64
	CollectorName      string
}

// SDTHistory is a window of a maintenance that has ended.
type SDTHistory struct {
	ID      resource.TextID
	SDTID   int64
	ItemID  int64 // of the device, group … it was for
	Type    string
	Admin   string
	Comment string
	Start   resource.Seconds
	End     resource.Seconds
}
