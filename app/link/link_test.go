package link_test

import (
	"reflect"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"spyglass/app/link"
	"spyglass/backend/fault"
)

func TestLinkHasExactlyOneTarget(t *testing.T) {
	call := func(method, path string, query ...link.Pair) link.Target {
		if query == nil {
			query = []link.Pair{}
		}
		return link.Target{Call: &link.Call{Method: method, Path: path, Query: query}}
	}
	for _, tt := range []struct {
		text string
		want link.Target
		err  string // after "cannot be opened: "; empty means none
	}{
		{text: "spyglass://monitor", want: link.Target{Screen: "overview"}},
		{text: "spyglass://monitor/", want: link.Target{Screen: "overview"}}, // some desktops add the slash
		{text: "SPYGLASS://Monitor/alerts", want: link.Target{Screen: "alerts"}},
		{text: "spyglass://monitor/alerts/12", want: link.Target{Screen: "alerts", ID: "12"}},
		{text: "spyglass://monitor/settings/users", want: link.Target{Screen: "settings", ID: "users"}},
		{text: "spyglass://device/7", want: link.Target{Screen: "fleet", ID: "7"}},
		{text: "spyglass://api/GET/device/devices", want: call("GET", "/device/devices")},
		{text: "spyglass://api/DELETE/device/devices/7/", want: call("DELETE", "/device/devices/7")},
		{
			text: "spyglass://api/GET/device/devices?filter=displayName~%22w+b%22&size=5&size=6",
			want: call("GET", "/device/devices", link.Pair{Key: "filter", Value: `displayName~"w b"`},
				link.Pair{Key: "size", Value: "5"}, link.Pair{Key: "size", Value: "6"}),
		},

		{
			text: `spyglass://api/GET/device/devices?filter=displayName~"a&b"&size=5`,
			want: call("GET", "/device/devices", link.Pair{Key: "filter", Value: `displayName~"a&b"`},
				link.Pair{Key: "size", Value: "5"}),
		},

		{
			text: "spyglass://monitor/alerts/12?severity=4&text=%7Bcore%7D+sw&sort=-startEpoch",
			want: link.Target{Screen: "alerts", ID: "12", Filters: []link.Pair{{Key: "severity", Value: "4"},
				{Key: "text", Value: "{core} sw"}, {Key: "sort", Value: "-startEpoch"}}},
		},
		{
			text: "spyglass://response/ab12/9/GET/alert/alerts?size=5&~view=table&~filter=.items%5B%5D%7C%7Bid%7D",
			want: link.Target{Call: call("GET", "/alert/alerts", link.Pair{Key: "size", Value: "5"}).Call,
				Past: &link.LinkedResponse{Folder: "ab12", HistoryID: 9,
					View: []link.Pair{{Key: "view", Value: "table"},
						{Key: "filter", Value: ".items[]|{id}"}}}},
		},
		{
			text: "spyglass://diff/ab12/8/9?ignore=updatedOn%2Ctotal",
			want: link.Target{Diff: &link.LinkedDiff{Folder: "ab12", Left: 8, Right: 9, Ignore: "updatedOn,total"}},
		},
		{
			text: "spyglass://diff/ab12/e4/9",
			want: link.Target{Diff: &link.LinkedDiff{Folder: "ab12", LeftExample: 4, Right: 9}},
		},

		{text: "", err: "links begin with spyglass://"},
		{text: "notes.txt", err: "links begin with spyglass://"},
		{text: "--data", err: "links begin with spyglass://"},
		{text: "https://spyglass.example/monitor", err: "links begin with spyglass://"},
		{text: "javascript:alert(1)", err: "links begin with spyglass://"},
		{text: "spyglass:monitor", err: "it must not contain a user, a port or #"},
		{text: "spyglass://admin:secret@monitor", err: "it must not contain a user, a port or #"},
		{text: "spyglass://monitor:8443/alerts", err: "it must not contain a user, a port or #"},
		{text: "spyglass://monitor:/alerts", err: "it must not contain a user, a port or #"},
		{text: "spyglass://monitor/alerts#12", err: "it must not contain a user, a port or #"},
		{text: "spyglass://", err: "begin it with spyglass://monitor, spyglass://device or spyglass://api"},
		{text: "spyglass:///monitor", err: "begin it with spyglass://monitor, spyglass://device or spyglass://api"},
		{text: "spyglass://evil.example/GET/device/devices", err: "begin it with spyglass://monitor, " +
			"spyglass://device or spyglass://api"},
		{text: "spyglass://monitor/secrets", err: "the Monitor has no such screen; use one of overview, fleet, " +
			"alerts, story, map, " +
			"datasources, reports, settings, demo"},
		{text: "spyglass://monitor/alerts/12/13", err: "add one id only, as in spyglass://monitor/alerts/12"},
		{text: "spyglass://monitor/alerts/<script>", err: "its path must not contain escapes"},
		{text: "spyglass://monitor/alerts/%2e%2e", err: "its path must not contain escapes"},
		{text: "spyglass://monitor/alerts?a.b=1", err: "one of its parameters cannot be read"},
		{text: "spyglass://monitor/alerts?text=%0a", err: "one of its parameters cannot be read"},
		{text: "spyglass://device/7?range=24h", err: "only a screen or a request can have parameters"},
		{text: "spyglass://response/ab12/9", err: "add a method and a path, as in spyglass://api/GET/device/devices"},
		{text: "spyglass://response/ab12/x/GET/alert/alerts", err: "copy the link to the response again"},
		{text: "spyglass://response/ab12/9/GET/alert/alerts?size={{n}}", err: "a link must not contain variables"},
		{text: "spyglass://response/ab12/9/GET/alert/alerts?~a.b=1", err: "one of its parameters cannot be read"},
		{text: "spyglass://diff/ab12/8/x9", err: "copy the link to the comparison again"},
		{text: "spyglass://diff/ab12/8", err: "copy the link to the comparison again"},
		{text: "spyglass://diff/ab12/8/9?run=1", err: "copy the link to the comparison again"},
		{text: "spyglass://api/GET/device/devices?~view=table", err: "one of its parameters cannot be read"},
		{text: "spyglass://device/0", err: "add the id of the device, as in spyglass://device/7"},
		{text: "spyglass://device/7;rm", err: "add the id of the device, as in spyglass://device/7"},
		{text: "spyglass://device", err: "add the id of the device, as in spyglass://device/7"},
		{text: "spyglass://api", err: "add a method and a path, as in spyglass://api/GET/device/devices"},
		{text: "spyglass://api/get/device/devices", err: "add a method and a path, as in " +
			"spyglass://api/GET/device/devices"},
		{text: "spyglass://api/TRACE/device/devices", err: "add a method and a path, as in " +
			"spyglass://api/GET/device/devices"},
		{text: "spyglass://api/GET//evil.example/x", err: "the portal has no such path"},
		{text: "spyglass://api/GET/../explorer/start", err: "the portal has no such path"},
		{text: "spyglass://api/GET/device/{{secret}}", err: "its path must not contain escapes"},
		{text: "spyglass://api/GET/device/devices?filter={{secret}}", err: "a link must not contain variables"},
		{text: "spyglass://api/GET/device/devices?filter=%7B%7Bsecret%7D%7D", err: "a link must not contain variables"},
		{text: "spyglass://api/GET/device/devices?{{x}}=1", err: "one of its parameters cannot be read"},
		{text: "spyglass://api/GET/device/devices?filter=%zz", err: "one of its parameters cannot be read"},
		{text: "spyglass://api/GET/device/devices?filter=%0d%0aHost:+x", err: "one of its parameters cannot be read"},
		{text: "spyglass://api/GET/device/devices?filter=%ff", err: "one of its parameters cannot be read"},
		{text: "spyglass://api/GET/device/devices?" + strings.Repeat("a=1&", 21),
			err: "it has more than 20 parameters"},
		{text: "spyglass://api/GET/device/devices?filter=" + strings.Repeat("x", 1025),
			err: "one of its parameters cannot be read"},
		{text: "spyglass://monitor/" + strings.Repeat("x", 3000), err: "it is longer than 2048 characters"},
		{text: "spyglass://monitor\n/alerts", err: "it contains control characters"},
		{text: "spyglass://monitor/\x00", err: "it contains control characters"},
		{text: "spyglass://monitor/\xff", err: "it contains control characters"},
	} {
		t.Run(tt.text[:min(len(tt.text), 60)], func(t *testing.T) {
			got, err := link.Read(tt.text)
			if tt.err != "" {
				if f := fault.Of(err); err == nil || f.Kind != fault.Invalid ||
					!strings.HasSuffix(f.Message, "” cannot be opened: "+tt.err) {
					t.Errorf("error is %v, want: %s", err, tt.err)
				}
				return
			}
			if err != nil || !reflect.DeepEqual(got, tt.want) {
				t.Errorf("it leads to %+v (%v), want %+v", got, err, tt.want)
			}
		})
	}
}

func TestScreenLinksRoundTrip(t *testing.T) {
	for _, screen := range link.Screens {
		for _, want := range []link.Target{
			{Screen: screen},
			{Screen: screen, ID: "12"},
			{Screen: screen, Filters: []link.Pair{{Key: "sort", Value: "-startEpoch"}}},
			{Screen: screen, ID: "users", Filters: []link.Pair{{Key: "from", Value: "1795187052000"},
				{Key: "text", Value: `a&b=c #%+"é{{x}}`}, {Key: "with", Value: "7.3,8"}}},
		} {
			text, err := link.Write(want)
			if err != nil {
				t.Fatalf("%+v: %v", want, err)
			}
			if got, err := link.Read(text); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%s leads to %+v (%v), want %+v", text, got, err, want)
			}
		}
	}
}

func TestRequestResponseAndComparisonLinksRoundTrip(t *testing.T) {
	call := &link.Call{Method: "GET", Path: "/device/devices", Query: []link.Pair{
		{Key: "filter", Value: `displayName~"a&b"`}, {Key: "size", Value: ""}}}
	bare := &link.Call{Method: "DELETE", Path: "/device/devices/7", Query: []link.Pair{}}
	view := []link.Pair{{Key: "filter", Value: "$.items[?(@.id > 3)]"}, {Key: "sort", Value: "-name"}}
	for want, target := range map[string]link.Target{
		"spyglass://api/GET/device/devices?filter=displayName~%22a%26b%22&size=": {Call: call},
		"spyglass://api/DELETE/device/devices/7":                                 {Call: bare},
		"spyglass://response/ab12/9/GET/device/devices?filter=displayName~%22a%26b%22&size=&" +
			"~filter=%24.items%5B%3F%28%40.id+%3E+3%29%5D&~sort=-name": {
			Call: call, Past: &link.LinkedResponse{Folder: "ab12", HistoryID: 9, View: view}},
		"spyglass://response/ab12/9/DELETE/device/devices/7": {
			Call: bare, Past: &link.LinkedResponse{Folder: "ab12", HistoryID: 9, View: []link.Pair{}}},
		"spyglass://diff/ab12/8/9":  {Diff: &link.LinkedDiff{Folder: "ab12", Left: 8, Right: 9}},
		"spyglass://diff/ab12/8/e4": {Diff: &link.LinkedDiff{Folder: "ab12", Left: 8, RightExample: 4}},
		"spyglass://diff/ab12/8/9?ignore=a%2Cb": {
			Diff: &link.LinkedDiff{Folder: "ab12", Left: 8, Right: 9, Ignore: "a,b"},
		},
	} {
		text, err := link.Write(target)
		if err != nil || text != want {
			t.Errorf("got  %s (%v)\nwant %s", text, err, want)
			continue
		}
		if got, err := link.Read(text); err != nil || !reflect.DeepEqual(got, target) {
			t.Errorf("%s leads to %+v (%v), want %+v", text, got, err, target)
		}
	}
}

func TestForbiddenTargetsAreRefused(t *testing.T) {
	for want, target := range map[string]link.Target{
		"No link can lead here: a link must not contain variables": {Call: &link.Call{Method: "GET", Path: "/a",
			Query: []link.Pair{{Key: "b", Value: "{{secret}}"}}}},
		"No link can lead here: the portal has no such path": {Call: &link.Call{Method: "GET", Path: "/a/../b",
			Query: []link.Pair{}}},
		"No link can lead here: its address would lead elsewhere": {Call: &link.Call{Method: "GET", Path: "/a?b=c",
			Query: []link.Pair{}}},
		"No link can lead here: it is longer than 2048 characters": {Screen: "alerts", Filters: []link.Pair{
			{Key: "a", Value: strings.Repeat("x", 1024)}, {Key: "b", Value: strings.Repeat("x", 1024)}}},
	} {
		if text, err := link.Write(target); err == nil || fault.Of(err).Message != want {
			t.Errorf("%+v: got %s (%v), want %s", target, text, err, want)
		}
	}
}

func TestErrorQuotesNoControlCharacters(t *testing.T) {
	_, err := link.Read("spyglass://x/100%d\u202e\x1b[31m" + strings.Repeat("y", 100))
	want := "“spyglass://x/100%d[31m" + strings.Repeat("y", 80-len("spyglass://x/100%d[31m")) +
		"…” cannot be opened: it contains control characters"
	if got := fault.Of(err).Message; got != want {
		t.Errorf("it says %s, want %s", got, want)
	}
}

// FuzzRead searches for a link that breaks the limits in the package comment.
func FuzzRead(f *testing.F) {
	for _, text := range []string{
		"spyglass://monitor/alerts/12", "spyglass://device/7",
		"spyglass://api/GET/device/devices?filter=a~%22b%22&size=5",
		"spyglass://u@monitor", "spyglass://api/GET/%2e%2e/x", "spyglass:////x", "spyglass://[::1]/x", "\x00",
		"spyglass://api/GET/a?b=%7b",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := link.Read(text)
		if err != nil {
			if message := fault.Of(err).Message; fault.Of(err).Kind != fault.Invalid ||
				utf8.RuneCountInString(message) > 300 || strings.ContainsFunc(message, unicode.IsControl) {
				t.Errorf("%q: the sentence is %q", text, message)
			}
			return
		}
		shown := got.Screen + got.ID
		if got.Call != nil {
			shown += got.Call.Method + got.Call.Path
			for _, pair := range got.Call.Query {
				shown += pair.Key + pair.Value
			}
			if strings.ContainsAny(shown, "{}") {
				t.Errorf("%q has variables: %+v", text, got)
			}
			if !strings.HasPrefix(got.Call.Path, "/") || strings.Contains(got.Call.Path, "//") ||
				strings.Contains(got.Call.Path+"/", "/../") {
				t.Errorf("%q leads to the path %q", text, got.Call.Path)
			}
		}
		kinds := 0
		for _, is := range []bool{got.Screen != "", got.Call != nil, got.Diff != nil} {
			if is {
				kinds++
			}
		}
		if kinds != 1 || got.Past != nil && got.Call == nil || strings.ContainsAny(shown, "{}\\") && got.Call == nil ||
			strings.ContainsFunc(shown, unicode.IsControl) || !utf8.ValidString(shown) {
			t.Errorf("%q leads to %+v", text, got)
		}
	})
}
