package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync/atomic"

	"spyglass/build/serving"
)

// The figures of PocketBase and the program: 16 connections request the same
// devices from both, with a token. The program counts each request against its
// limit and keeps each change in the access log.
var (
	besidePage = figure{
		name: "beside-page", does: "page of 50 of 100,000 devices, exact total, req/s (other: PocketBase)",
		goal:   "≥ 100",
		beside: loadBoth(get("/api/device/devices?size=50"), get("/api/collections/devices/records?perPage=50")),
	}
	besideRandom = figure{
		name: "beside-random", does: "any page of 50 of 100,000 devices, exact total, req/s (other: PocketBase)",
		goal: "≥ 500", beside: loadBoth(ourPage, theirPage),
	}
	besideContains = figure{
		name: "beside-contains", does: "contains + sort + fields, req/s (other: PocketBase)", goal: "≥ 40",
		beside: loadBoth(ourContains, theirContains),
	}
	besideGet = figure{
		name: "beside-get", does: "one device by id, req/s (other: PocketBase)", goal: "≥ 8",
		beside: loadBoth(ourDevice, theirDevice),
	}
	besideCreate = figure{
		name: "beside-create", does: "creates, req/s (ours durable and audited; other: PocketBase, synchronous=NORMAL)",
		goal:   "≥ 4",
		beside: loadBoth(addDevice("/api/device/devices"), addDevice("/api/collections/devices/records")),
	}
	besideMemory = figure{
		name: "beside-memory", does: "anonymous memory after that load, MB (other: PocketBase)", goal: "≤ 0.4",
		beside: measureMemory,
	}
)

func loadBoth(ours, theirs request) func(context.Context, *rivals) (score, error) {
	return func(ctx context.Context, r *rivals) (score, error) {
		if err := r.start(ctx); err != nil {
			return score{}, err
		}
		return inTurn(ctx, sideOf(r.ours, &r.ourSent, ours), sideOf(r.theirs, &r.theirSent, theirs))
	}
}

// sideOf returns a side that continues the requests that sent counts, so that no
// name comes twice.
func sideOf(s *serving.Server, sent *atomic.Int64, next request) *side {
	return &side{
		origin: s.Origin, bearer: s.Bearer,
		next: func(int64) (string, string, []byte) { return next(sent.Add(1)) },
	}
}

// words are searched for in the names of devices: some occur in a few, some in
// many.
var words = []string{"web", "prod-1", "fra", "sw-42", "-77", "db-", "esx-3", "9.osl", "acc", "ap-100", "stg", "123",
	"core", "aus", "book-prod-5", "2.f"}

func word(n int64) string { return words[n%int64(len(words))] }

// pageAt visits all pages of 50, counted from 0, and jumps far from one to the next.
func pageAt(n int64) int64 { return n * 7919 % (rivalDevices / 50) }

func ourPage(n int64) (string, string, []byte) {
	return http.MethodGet, fmt.Sprintf("/api/device/devices?size=50&offset=%d", 50*pageAt(n)), nil
}

func theirPage(n int64) (string, string, []byte) {
	return http.MethodGet, fmt.Sprintf("/api/collections/devices/records?perPage=50&page=%d", 1+pageAt(n)), nil
}

func ourContains(n int64) (string, string, []byte) {
	query := url.Values{"filter": {`displayName~"` + word(n) + `"`}, "sort": {"+displayName"},
		"fields": {"id,displayName,name"}, "size": {"50"}}
	return http.MethodGet, "/api/device/devices?" + query.Encode(), nil
}

func theirContains(n int64) (string, string, []byte) {
	query := url.Values{"filter": {`displayName~'` + word(n) + `'`}, "sort": {"+displayName"},
		"fields": {"id,displayName,name"}, "perPage": {"50"}}
	return http.MethodGet, "/api/collections/devices/records?" + query.Encode(), nil
}

// deviceID visits all devices, and jumps far from one to the next.
func deviceID(n int64) int64 { return n*7919%rivalDevices + 1 }

func ourDevice(n int64) (string, string, []byte) {
	return http.MethodGet, fmt.Sprint("/api/device/devices/", deviceID(n)), nil
}

func theirDevice(n int64) (string, string, []byte) {
	return http.MethodGet, fmt.Sprintf("/api/collections/devices/records/%015d", deviceID(n)), nil
}

// measureMemory reads the memory of both after each kind of load.
func measureMemory(ctx context.Context, r *rivals) (score, error) {
	for _, f := range []figure{besidePage, besideRandom, besideContains, besideGet, besideCreate} {
		if _, err := f.beside(ctx, r); err != nil {
			return score{}, err
		}
	}
	ours, err := anonymous(r.ours.Cmd.Process.Pid)
	if err != nil {
		return score{}, err
	}
	theirs, err := anonymous(r.theirs.Cmd.Process.Pid)
	return score{ours: ours, other: theirs}, err
}

// anonymous returns the resident memory of a process, in MB, without mapped
// files.
func anonymous(pid int) (float64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(text), "RssAnon:")
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		return 0, fmt.Errorf("/proc/%d/status has no RssAnon", pid)
	}
	kB, err := strconv.ParseFloat(fields[0], 64)
	return kB / 1024, err
}
