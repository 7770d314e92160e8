package check

import (
	"math"
	"strings"
)

// Sensor simulates one data point of one instance on a simulated device. Its
// values depend only on names and the time. It is immutable.
type Sensor struct {
	form form
	seed uint64
	of   *Sensor // its value is a percentage of this sensor's
}

// form describes the values of a data point: a shape, scaled and shifted.
type form struct {
	shape Shape   // empty: plus is the constant value
	times float64 // 1 when 0
	plus  float64
	whole bool   // rounded
	of    string // a percentage of this other data point
	as    string // follows this other data point
}

// NewSensor returns the sensor for a data point of the instance with that wild
// value.
func NewSensor(dataSource, dataPoint string, device int64, wildValue string) *Sensor {
	s := &Sensor{form: formOf(dataSource, dataPoint)}
	what := dataPoint
	if s.form.as != "" {
		what = s.form.as
	}
	s.seed = Seed(device, 0, dataSource+"\x00"+wildValue+"\x00"+what)
	if s.form.of != "" {
		s.of = NewSensor(dataSource, s.form.of, device, wildValue)
	}
	return s
}

// At returns the value at a time in epoch seconds.
func (s *Sensor) At(at int64) float64 {
	v := s.form.plus
	if s.form.shape != "" {
		times := s.form.times
		if times == 0 {
			times = 1
		}
		v += times * simulate(s.form.shape, moment{s.seed, at})
	}
	if s.of != nil {
		v *= s.of.At(at) / 100
	}
	if s.form.whole {
		v = math.Round(v)
	}
	return v
}

// ShapeOf returns the shape of a data point of a simulated device; ShapeUp for
// a constant one.
func ShapeOf(dataSource, dataPoint string) Shape {
	if shape := formOf(dataSource, dataPoint).shape; shape != "" {
		return shape
	}
	return ShapeUp
}

func formOf(dataSource, dataPoint string) form {
	if f, ok := forms[dataSource+"."+dataPoint]; ok {
		return f
	}
	if f, ok := forms[dataPoint]; ok {
		return f
	}
	name := strings.ToLower(dataPoint)
	for _, w := range wordForms {
		if strings.Contains(name, w.word) {
			return w.form
		}
	}
	return form{shape: ShapeCount}
}

// forms maps data points to their forms: a point of one data source, or a point
// name of any data source. For rates, it has the counter's growth per second.
var forms = map[string]form{
	"Ping.average": {shape: ShapeLatency},
	"Ping.min":     {shape: ShapeLatency, times: 0.82, as: "average"},
	"Ping.max":     {shape: ShapeLatency, times: 1.45, as: "average"},
	"sentpkts":     {plus: 5},
	"recvpkts": {shape: ShapeLoss, times: -1, plus: 100, of: "sentpkts", as: "PingLossPercent",
		whole: true},
	"PingLossPercent":        {shape: ShapeLoss},
	"TCP_Port.status":        {shape: ShapeUp},
	"HTTP_Page.status":       {shape: ShapeUp, times: -303, plus: 503}, // 200, or 503 while it is down
	"responseTime":           {shape: ShapeLatency, times: 4},
	"size":                   {shape: ShapeCount, times: 40, plus: 18_000},
	"daysLeft":               {shape: ShapeDaysLeft},
	"valid":                  {plus: 1},
	"handshakeTime":          {shape: ShapeLatency, times: 3},
	"answers":                {plus: 2},
	"sysUpTime":              {shape: ShapeUptime, times: 100},
	"snmpInPkts":             {shape: ShapeCount, times: 0.05},
	"snmpOutPkts":            {shape: ShapeCount, times: 0.05, as: "snmpInPkts"},
	"inOctets":               {shape: ShapeTraffic, times: 4},
	"outOctets":              {shape: ShapeTraffic, times: 3},
	"speed":                  {plus: 1000},
	"inErrors":               {shape: ShapeLoss, times: 0.05},
	"outErrors":              {shape: ShapeLoss, times: 0.02},
	"inDiscards":             {shape: ShapeLoss, times: 0.1},
	"outDiscards":            {shape: ShapeLoss, times: 0.1},
	"operStatus":             {shape: ShapeUp, times: -1, plus: 2}, // 1, or 2 while it is down
	"adminStatus":            {plus: 1},
	"cpuPercent":             {shape: ShapeCPU},
	"cpuIdlePercent":         {shape: ShapeCPU, times: -1, plus: 100, as: "cpuPercent"},
	"cpuReady":               {shape: ShapeCPU, times: 0.04},
	"load1":                  {shape: ShapeCPU, times: 0.05, as: "cpuPercent"},
	"load5":                  {shape: ShapeCPU, times: 0.045, as: "cpuPercent"},
	"memoryTotal":            {shape: ShapeSize, times: 1.0 / 1024},
	"Host_Local.memoryTotal": {shape: ShapeSize},
	"memoryAvailable": {shape: ShapeMemory, times: -1, plus: 100, of: "memoryTotal", as: "memoryPercent",
		whole: true},
	"memoryUsed":         {shape: ShapeMemory, of: "memoryTotal", as: "memoryPercent", whole: true},
	"Redis.memoryUsed":   {shape: ShapeMemory, of: "memoryMax", as: "memoryPercent", whole: true},
	"memoryMax":          {shape: ShapeSize},
	"memoryPercent":      {shape: ShapeMemory},
	"diskTotal":          {shape: ShapeSize, times: 4},
	"diskUsed":           {shape: ShapeDisk, of: "diskTotal", whole: true},
	"upTime":             {shape: ShapeUptime},
	"processes":          {shape: ShapeCount, times: 0.3, plus: 180, whole: true},
	"users":              {shape: ShapeCount, times: 0.2, whole: true},
	"capacity":           {shape: ShapeSize, times: 1.0 / 4096},
	"used":               {shape: ShapeDisk, of: "capacity", whole: true},
	"latency":            {shape: ShapeLatency, times: 0.4},
	"operations":         {shape: ShapeCount, times: 8},
	"guests":             {shape: ShapeCount, times: 0.02, plus: 12, whole: true},
	"datastoreLatency":   {shape: ShapeLatency, times: 0.5},
	"batteryMinutes":     {shape: ShapeCPU, times: -0.15, plus: 45, as: "loadPercent"},
	"batteryPercent":     {plus: 100},
	"onBatterySeconds":   {plus: 0},
	"loadPercent":        {shape: ShapeCPU, times: 0.7, plus: 5},
	"inputVoltage":       {shape: ShapeTemperature, times: 0.15, plus: 226},
	"temperature":        {shape: ShapeTemperature, times: 0.5, plus: 8},
	"maxConnections":     {plus: 500},
	"connections":        {shape: ShapeCount, times: 0.5, plus: 12, whole: true},
	"commits":            {shape: ShapeCount, times: 3},
	"rollbacks":          {shape: ShapeCount, times: 0.01},
	"cacheHitPercent":    {shape: ShapeCPU, times: -0.03, plus: 100},
	"replicationLag":     {shape: ShapeLatency, times: 0.02},
	"batchRequests":      {shape: ShapeCount, times: 4},
	"pageLifeExpectancy": {shape: ShapeMemory, times: -40, plus: 4_800, whole: true},
	"blockedSessions":    {shape: ShapeLoss, times: 0.1, whole: true},
	"logPercent":         {shape: ShapeMemory, times: 0.6},
	"commands":           {shape: ShapeCount, times: 20},
	"evictedKeys":        {shape: ShapeLoss, times: 0.02},
	"clients":            {shape: ShapeCount, times: 0.08, whole: true},
	"Redis.clients":      {shape: ShapeCount, times: 0.4, plus: 6, whole: true},
	"sessions":           {shape: ShapeCount, times: 300, whole: true},
	"tunnels":            {plus: 6},
	"channelPercent":     {shape: ShapeCPU, times: 0.55},
	"noiseFloor":         {shape: ShapeTemperature, times: 0.2, plus: -98},
	"retries":            {shape: ShapeCount, times: 0.2},
	"failedJobs":         {shape: ShapeLoss, times: 0.03, whole: true},
	"runningJobs":        {shape: ShapeTraffic, times: 2e-7, whole: true},
	"hoursSinceSuccess":  {shape: ShapeMemory, times: 0.2, plus: 2},
	"repositoryPercent":  {shape: ShapeDisk, times: 0.8},
	"tonerPercent":       {shape: ShapeDisk, times: -1, plus: 100},
	"pages":              {shape: ShapeCount, times: 0.0005},
}

// wordForms holds the forms of unknown data points, by words in their names; the
// first match applies.
var wordForms = []struct {
	word string
	form form
}{
	{"loss", form{shape: ShapeLoss}}, {"error", form{shape: ShapeLoss, times: 0.05}},
	{"drop", form{shape: ShapeLoss, times: 0.05}}, {"discard", form{shape: ShapeLoss, times: 0.05}},
	{"fail", form{shape: ShapeLoss, times: 0.03, whole: true}},
	{"temp", form{shape: ShapeTemperature}}, {"uptime", form{shape: ShapeUptime}}, {"days", form{shape: ShapeDaysLeft}},
	{"status", form{shape: ShapeUp}}, {"state", form{shape: ShapeUp}}, {"avail", form{shape: ShapeUp}},
	{"health", form{shape: ShapeUp}}, {"valid", form{shape: ShapeUp}},
	{"time", form{shape: ShapeLatency}}, {"latency", form{shape: ShapeLatency}}, {"average", form{shape: ShapeLatency}},
	{"delay", form{shape: ShapeLatency}}, {"wait", form{shape: ShapeLatency}},
	{"disk", form{shape: ShapeDisk}}, {"volume", form{shape: ShapeDisk}}, {"space", form{shape: ShapeDisk}},
	{"mem", form{shape: ShapeMemory}},
	{"percent", form{shape: ShapeCPU}}, {"cpu", form{shape: ShapeCPU}}, {"load", form{shape: ShapeCPU}},
	{"usage", form{shape: ShapeCPU}},
	{"total", form{shape: ShapeSize}}, {"capacity", form{shape: ShapeSize}},
	{"octets", form{shape: ShapeTraffic}}, {"bytes", form{shape: ShapeTraffic}}, {"bits", form{shape: ShapeTraffic}},
	{"traffic", form{shape: ShapeTraffic}}, {"throughput", form{shape: ShapeTraffic}},
}
