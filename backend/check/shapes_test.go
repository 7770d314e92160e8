package check_test

import (
	"math"
	"testing"

	"spyglass/backend/check"
)

func TestSimulatedDataPointsOfAnInstanceCorrelate(t *testing.T) {
	for at := monday.Unix(); at < monday.Unix()+14*86400; at += 1800 {
		for device := range int64(20) {
			of := func(source, point string) float64 { return check.NewSensor(source, point, device, "NULL").At(at) }
			if low, mid, high := of("Ping", "min"), of("Ping", "average"),
				of("Ping", "max"); !(low <= mid && mid <= high) {
				t.Fatalf("the round trip of device %d is %v, %v, %v at %d", device, low, mid, high, at)
			}
			if got, want := of("Ping", "recvpkts"), math.Round(5*(100-of("Ping", "PingLossPercent"))/100); got != want {
				t.Fatalf("%v of 5 packets came back to device %d at %d, want %v", got, device, at, want)
			}
			if used, size := of("Linux_Disks", "used"), of("Linux_Disks", "capacity"); !(used > 0 && used <= size) {
				t.Fatalf("%v of %v blocks of device %d are used at %d", used, size, device, at)
			}
			if status := of("HTTP_Page", "status"); status != 200 && status != 503 {
				t.Fatalf("the page of device %d returns %v at %d", device, status, at)
			}
		}
	}
}

func TestShapeIsSelectedByName(t *testing.T) {
	for _, tt := range []struct {
		source, point string
		want          check.Shape
	}{
		{"Ping", "average", check.ShapeLatency},
		{"Linux_Host", "cpuPercent", check.ShapeCPU},
		{"SNMP_Interfaces", "inOctets", check.ShapeTraffic},
		{"SNMP_Interfaces", "speed", check.ShapeUp},
		{"TLS_Certificate", "daysLeft", check.ShapeDaysLeft},
		{"Somebodys_Own", "diskUsage", check.ShapeDisk},
		{"Somebodys_Own", "widgets", check.ShapeCount},
	} {
		if got := check.ShapeOf(tt.source, tt.point); got != tt.want {
			t.Errorf("%s of %s is %s, want %s", tt.point, tt.source, got, tt.want)
		}
	}
}

func TestInstancesDiffer(t *testing.T) {
	one, two := check.NewSensor("SNMP_Interfaces", "inOctets", 1, "1"),
		check.NewSensor("SNMP_Interfaces", "inOctets", 1, "2")
	if at := monday.Unix(); one.At(at) == two.At(at) || one.At(at) != check.NewSensor("SNMP_Interfaces", "inOctets", 1,
		"1").At(at) {
		t.Errorf("Ethernet1 has %v and Ethernet2 %v", one.At(at), two.At(at))
	}
}
