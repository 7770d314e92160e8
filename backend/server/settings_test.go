package server_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// as signs in a new user with a new role that has these privileges.
func (c *caller) as(name, privileges string) *caller {
	c.t.Helper()
	for _, made := range [][2]string{
		{"/setting/roles", `{"name":"` + name + `","privileges":` + privileges + `}`},
		{"/setting/admins", `{"username":"` + name + `","password":"correct horse","email":"a@example.net",` +
			`"roles":[{"name":"` + name + `"}]}`},
	} {
		if response, text := c.send(http.MethodPost, made[0],
			[]byte(made[1])); response.StatusCode != http.StatusCreated {
			c.t.Fatalf("%s returns %s", made[0], text)
		}
	}
	other := &caller{t: c.t, origin: c.origin}
	response, text := other.send(http.MethodPost, "/session",
		[]byte(`{"username":"`+name+`","password":"correct horse"}`))
	var who struct{ CSRFToken string }
	if err := json.Unmarshal(text, &who); err != nil || response.StatusCode != http.StatusOK {
		c.t.Fatalf("sign-in returns %s", text)
	}
	other.cookie, other.csrf = response.Cookies()[0].Name+"="+response.Cookies()[0].Value, who.CSRFToken
	return other
}

func TestSettingsNeedPermissionForTheirArea(t *testing.T) {
	c, _ := newCaller(t)
	for _, tt := range []struct {
		name, privileges string
		do, body         string
		code             int
		want             string
	}{
		{"reader", `[{"objectType":"setting","objectId":"alerting","operation":"read"}]`,
			"GET /setting/alert/rules?size=1", "", 200, `"total":5`},
		{"changer", `[{"objectType":"setting","objectId":"alerting","operation":"read"}]`,
			"PATCH /setting/alert/rules/4", `{"levelStr":"All"}`, 403, ""},
		{"writer", `[{"objectType":"setting","objectId":"opsnotes","operation":"write"}]`, "GET /setting/alert/rules",
			"", 403, ""},
		{"noter", `[{"objectType":"setting","objectId":"opsnotes","operation":"write"},{"objectType":"deviceGroup",` +
			`"objectId":"14","operation":"read"}]`,
			"POST /setting/opsnotes", `{"note":"x","scopes":[{"type":"deviceGroup","groupId":2}]}`, 400,
			"there is no device group 2"},
		{"teller", `[{"objectType":"setting","objectId":"opsnotes","operation":"write"},{"objectType":"deviceGroup",` +
			`"objectId":"14","operation":"read"}]`,
			"POST /setting/opsnotes", `{"note":"x","scopes":[{"type":"deviceGroup","groupId":14}]}`, 201,
			`"createdBy":"teller"`},
		{"acker", `[{"objectType":"setting","objectId":"collectors","operation":"ack"}]`,
			"POST /setting/collectors/2/ackdown", `{"comment":"x"}`, 200, `"ackedBy":"acker"`},
		{"looker", `[{"objectType":"setting","objectId":"collectors","operation":"read"}]`,
			"POST /setting/collectors/2/ackdown", `{}`, 403, ""},
		{"counter", `[{"objectType":"setting","objectId":"collectors","operation":"read"}]`,
			"GET /setting/collectors/groups/1?fields=numOfHosts", "", 200, `{"numOfHosts":0}`},
		{"clerk", `[{"objectType":"report","objectId":"2","operation":"write"}]`, "GET /report/groups", "", 200,
			`{"total":1,"searchId":null,"items":[{"id":2,`},
		{"editor", `[{"objectType":"report","objectId":"2","operation":"write"}]`, "GET /report/groups/1", "", 404, ""},
		{"author", `[{"objectType":"report","objectId":"2","operation":"write"}]`, "POST /report/groups",
			`{"name":"x"}`, 403, "but cannot add one"},
		{"renamer", `[{"objectType":"report","objectId":"2","operation":"write"}]`, "PATCH /report/groups/2",
			`{"description":"x"}`, 200, ""},
		{"publisher", `[{"objectType":"report","objectId":"*","operation":"write"}]`, "POST /report/groups",
			`{"name":"x"}`, 201, ""},
		{"keeper", `[{"objectType":"setting","objectId":"useraccess","operation":"write"},{"objectType":"setting",` +
			`"objectId":"collectors","operation":"write"},` +
			`{"objectType":"setting","objectId":"opsnotes","operation":"write"},{"objectType":"deviceGroup",` +
			`"objectId":"*","operation":"write"},{"objectType":"report","objectId":"*","operation":"write"}]`,
			"DELETE /setting/admins/2", "", 403, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := *c
			c.t = t
			method, path, _ := strings.Cut(tt.do, " ")
			var body []byte
			if tt.body != "" {
				body = []byte(tt.body)
			}
			response, text := c.as(tt.name, tt.privileges).send(method, path, body)
			if response.StatusCode != tt.code || !strings.Contains(string(text), tt.want) {
				t.Errorf("returns %d %s, want %d … %s", response.StatusCode, text, tt.code, tt.want)
			}
		})
	}
}

// TestSettingsValidation sends requests to the demo portal in this order, as
// its administrator.
func TestSettingsValidation(t *testing.T) {
	c, _ := newCaller(t)
	const (
		stage = `[{"type":"ADMIN","method":"email","addr":"operator"}]`
		chain = `{"name":"n","destinations":[{"type":"single","stages":[%s]}]}`
		timed = `{"name":"n","destinations":[{"type":"timebased","period":{"weekDays":[%s],"timezone":"%s",` +
			`"startMinutes":%d,"endMinutes":%d},"stages":[` + stage + `]}]}`
	)
	for _, tt := range []struct {
		do, body string
		code     int
		want     string // text that the response contains
	}{
		{`POST /setting/alert/rules`, `{"name":"a","priority":7,"escalatingChainId":2}`, 201,
			`"levelStr":"All","devices":["*"],"deviceGroups":["*"],"datasource":"*","instance":"*","datapoint":"*",` +
				`"escalatingChainId":2,"escalationInterval":15,"resourceProperties":[],"suppressAlertClear":false,` +
				`"suppressAlertAckSdt":false,"sendAnomalySuppressedAlert":false,"escalatingChain":{"id":2,` +
				`"name":"Platform"}}`},
		{`POST /setting/alert/rules`, `{"name":"A","priority":8,"escalatingChainId":2}`, 409,
			`there is already an alert rule with the name \"A\"`},
		{`POST /setting/alert/rules`, `{"name":"b","priority":7,"escalatingChainId":2}`, 409,
			`there is already an alert rule with the priority \"7\"`},
		{`POST /setting/alert/rules`, `{"name":"b","priority":0,"escalatingChainId":2}`, 400, `"field":"priority"`},
		{`POST /setting/alert/rules`, `{"name":"b","priority":9}`, 400, `escalatingChainId is required`},
		{`POST /setting/alert/rules`, `{"name":"b","priority":9,"escalatingChainId":99}`, 400,
			`escalatingChainId: there is no escalation chain 99`},
		{`POST /setting/alert/rules`, `{"name":"b","priority":9,"escalatingChainId":2,"levelStr":"Fatal"}`, 400,
			`"allowed":["All","Warn","Error","Critical"]`},
		{`POST /setting/alert/rules`, `{"name":"b","priority":9,"escalatingChainId":2,"devices":[" "]}`, 400,
			`"field":"devices"`},
		{`POST /setting/alert/rules`, `{"name":"b","priority":9,"escalatingChainId":2,"deviceGroups":[]}`, 400,
			`"field":"deviceGroups"`},
		{`POST /setting/alert/rules`, `{"name":"b","priority":9,"escalatingChainId":2,"escalationInterval":-1}`, 400,
			`"field":"escalationInterval"`},
		{`GET /setting/alert/rules?filter=priority<:20&fields=name,escalatingChain&sort=-priority`, ``, 200,
			`[{"name":"Core network","escalatingChain":{"id":1,"name":"Network operations"}},` +
				`{"name":"Shop and booking down","escalatingChain":{"id":3,"name":"Shop and booking"}},{"name":"a",` +
				`"escalatingChain":{"id":2,"name":"Platform"}}]`},
		{`DELETE /setting/alert/chains/1`, ``, 409, `the alert rule Core network still uses the escalation chain ` +
			`Network operations`},

		{`POST /setting/alert/chains`, `{"name":"n","destinations":[]}`, 400, `"field":"destinations"`},
		{`POST /setting/alert/chains`, `{"name":"n","destinations":[{"type":"twice","stages":[]}]}`, 400,
			`"field":"destinations[0].type"`},
		{`POST /setting/alert/chains`, `{"name":"n","destinations":[{"type":"timebased","stages":[` + stage + `]}]}`,
			400, `"field":"destinations[0].period"`},
		{`POST /setting/alert/chains`, `{"name":"n","destinations":[{"type":"single","stage":[]}]}`, 400,
			`did you mean stages?`},
		{`POST /setting/alert/chains`, `{"name":"n","destinations":[{"type":"single","stages":{}}]}`, 400,
			`"field":"destinations"`},
		{`POST /setting/alert/chains`, fmt.Sprintf(chain, `[{"type":"ROBOT","addr":"x"}]`), 400,
			`"field":"destinations[0].stages[0][0].type"`},
		{`POST /setting/alert/chains`, fmt.Sprintf(chain, `[{"type":"ADMIN","method":"email","addr":"nobody"}]`), 400,
			`there is no user \"nobody\"`},
		{`POST /setting/alert/chains`, fmt.Sprintf(chain, `[{"type":"GROUP","addr":"nobody"}]`), 400,
			`there is no recipient group \"nobody\"`},
		{`POST /setting/alert/chains`, fmt.Sprintf(chain, `[{"type":"ARBITRARY","method":"email","addr":"nobody"}]`),
			400, `is not a valid email address`},
		{`POST /setting/alert/chains`, fmt.Sprintf(chain, `[{"type":"ADMIN","method":"sms","addr":"admin"}]`), 400,
			`cannot call or send text messages`},
		{`POST /setting/alert/chains`, fmt.Sprintf(chain, `[{"type":"ADMIN","method":"pager","addr":"admin"}]`), 400,
			`there is no integration \"pager\"`},
		{`POST /setting/alert/chains`, fmt.Sprintf(chain, `[{"type":"ADMIN","addr":"admin"}]`), 400,
			`method is required`},
		{`POST /setting/alert/chains`, fmt.Sprintf(timed, `8`, `Europe/Oslo`, 0, 60), 400,
			`"field":"destinations[0].period.weekDays"`},
		{`POST /setting/alert/chains`, fmt.Sprintf(timed, `1`, `Mars/Olympus`, 0, 60), 400,
			`"field":"destinations[0].period.timezone"`},
		{`POST /setting/alert/chains`, fmt.Sprintf(timed, `1`, `Europe/Oslo`, 1440, 60), 400,
			`"field":"destinations[0].period.startMinutes"`},
		{`POST /setting/alert/chains`, fmt.Sprintf(timed, `1`, `Europe/Oslo`, 60, 60), 400,
			`"field":"destinations[0].period.endMinutes"`},
		{`POST /setting/alert/chains`,
			`{"name":"n","enableThrottling":true,"destinations":[{"type":"single","stages":[` + stage + `]}]}`, 400,
			`"field":"throttlingPeriod"`},
		{`POST /setting/alert/chains`, fmt.Sprintf(timed, `7,1,7`, `Europe/Oslo`, 1320, 360), 201,
			`"weekDays":[1,7],"timezone":"Europe/Oslo","startMinutes":1320,"endMinutes":360},` +
				`"stages":[[{"type":"ADMIN","method":"email","addr":"operator","contact":""}]]}],"ccDestinations":[],` +
				`"enableThrottling":false,"throttlingPeriod":0,"throttlingAlerts":0,"inAlerting":false}`},

		{`POST /setting/recipientgroups`, `{"groupName":"x","recipients":[{"type":"GROUP","addr":"Network team"}]}`,
			400, `can contain users and addresses`},
		{`POST /setting/recipientgroups`, `{"groupName":"network TEAM"}`, 409, `"errorCode":1409`},
		{`DELETE /setting/recipientgroups/1`, ``, 409, `the escalation chain Network operations still notifies the ` +
			`recipient group Network team`},
		{`PATCH /setting/recipientgroups/1`, `{"groupName":"Net"}`, 200, `"groupName":"Net"`},
		{`GET /setting/alert/chains/1?fields=destinations`, ``, 200, `"addr":"Net"`},
		{`DELETE /setting/admins/2`, ``, 409, `the recipient group Net still notifies operator`},
		{`PATCH /setting/admins/2`, `{"username":"ops"}`, 200, `"username":"ops"`},
		{`GET /setting/alert/chains/1?fields=destinations`, ``, 200, `"method":"duty-phone","addr":"ops"`},
		{`PATCH /setting/integrations/2`, `{"name":"phone"}`, 200, `"name":"phone"`},
		{`GET /setting/alert/chains/3?fields=destinations`, ``, 200, `"method":"phone","addr":"ops"`},
		{`DELETE /setting/integrations/2`, ``, 409, `still notifies through the integration phone`},

		{`POST /setting/integrations`, `{"name":"email","type":"http","url":"https://x.example.net/"}`, 400,
			`is the name of a built-in method`},
		{`POST /setting/integrations`, `{"name":"m","type":"smtp","from":"a@example.net"}`, 400, `"field":"host"`},
		{`POST /setting/integrations`, `{"name":"m","type":"smtp","host":"mx.example.net"}`, 400, `"field":"from"`},
		{`POST /setting/integrations`, `{"name":"m","type":"smtp","host":"mx.example.net","from":"a@example.net",` +
			`"security":"none","username":"a","password":"p"}`, 400, `"field":"security"`},
		{`POST /setting/integrations`, `{"name":"h","type":"http","url":"ftp://x.example.net/"}`, 400, `"field":"url"`},
		{`POST /setting/integrations`, `{"name":"h","type":"http","url":"https://a:b@x.example.net/"}`, 400,
			`must not contain a user and password`},
		{`POST /setting/integrations`, `{"name":"h","type":"http","url":"https://x.example.net/",` +
			`"headers":[{"name":"X-Auth-Token","value":"v"}]}`, 400, `carries a secret`},
		{`POST /setting/integrations`, `{"name":"h","type":"http","url":"https://x.example.net/",` +
			`"headers":[{"name":"X","value":"a\r\nB: c"}]}`, 400, `is not a valid one-line header`},
		{`POST /setting/integrations`, `{"name":"h","type":"http","url":"https://x.example.net/","secret":"********"}`,
			400, `"field":"secret"`},
		{`PATCH /setting/integrations/2`, `{"url":"https://evil.example.net/"}`, 400, `secret is required again`},
		{`PATCH /setting/integrations/2`, `{"url":"https://new.example.net/","secret":"Bearer other"}`, 200,
			`"url":"https://new.example.net/"`},
		{`POST /setting/integrations`, `{"name":"h","type":"http","url":"http://x.example.net/","secret":"Bearer x"}`,
			400, `"field":"sendInClear"`},
		{`POST /setting/integrations`, `{"name":"h","type":"http","url":"http://10.0.0.7/","signingKey":"x"}`, 400,
			`"field":"sendInClear"`},
		{`PATCH /setting/integrations/2`, `{"url":"http://new.example.net/","secret":"Bearer other"}`, 400,
			`"field":"sendInClear"`},
		{`PATCH /setting/integrations/2`,
			`{"url":"http://new.example.net/","secret":"Bearer other","sendInClear":true}`, 200, `"sendInClear":true`},
		{`PATCH /setting/integrations/2`, `{"sendInClear":false}`, 400, `"field":"sendInClear"`},
		{`PATCH /setting/integrations/2`,
			`{"url":"http://localhost:8080/","secret":"Bearer other","sendInClear":false}`, 200, `"sendInClear":false`},
		{`PATCH /setting/remotewrite`, `{"url":"http://x.example.net/","auth":"bearer","secret":"x"}`, 400,
			`"field":"sendInClear"`},
		{`PATCH /setting/remotewrite`, `{"url":"http://127.0.0.1:9/","auth":"bearer","secret":"x"}`, 200,
			`"sendInClear":false`},
		{`PATCH /setting/remotewrite`,
			`{"url":"http://x.example.net/","auth":"bearer","secret":"x","sendInClear":true}`, 200,
			`"sendInClear":true`},
		{`PATCH /setting/integrations/1`, `{"host":"evil.example.net"}`, 400, `password is required again`},
		{`GET /setting/integrations?filter=secret~"curlew"`, ``, 400, `no field \"secret\"`},

		{`POST /setting/opsnotes`, `{"note":"x","scopes":[{"type":"device","deviceId":99999}]}`, 400,
			`there is no device 99999`},
		{`POST /setting/opsnotes`, `{"note":"x","scopes":[{"type":"deviceGroup","groupId":999}]}`, 400,
			`there is no device group 999`},
		{`POST /setting/opsnotes`, `{"note":"x","scopes":[{"type":"website"}]}`, 400, `"field":"scopes[0].type"`},
		{`POST /setting/opsnotes`, `{"note":"x","scopes":[{"type":"groupAll","deviceId":1}]}`, 400,
			`"field":"scopes[0]"`},
		{`POST /setting/opsnotes`, `{"note":"x","tags":[{"name":""}]}`, 400, `"field":"tags[0].name"`},
		{`POST /setting/opsnotes`, `{"note":"x","happenOnInSec":5,"tags":[{"name":"a "},{"name":"A"}],` +
			`"scopes":[{"type":"device","deviceId":7}]}`, 201, `{"id":"5","note":"x","happenOnInSec":5,` +
			`"tags":[{"name":"a"}],"scopes":[{"type":"device","deviceId":7}],"createdBy":"admin"}`},
		{`GET /setting/opsnotes/5`, ``, 200, `"id":"5"`},
		{`GET /setting/opsnotes?filter=id:"5"&fields=id`, ``, 200, `"items":[{"id":"5"}]`},

		{`POST /setting/collectors/1/ackdown`, `{"comment":"x"}`, 409, `the collector is not down`},
		{`POST /setting/collectors/2/ackdown`, `{"coment":"x"}`, 400, `the body has no field \"coment\"; did you ` +
			`mean comment?`},
		{`POST /setting/collectors/2/ackdown`, `{"comment":7}`, 400, `"field":"comment"`},
		{`POST /setting/collectors/2/ackdown`, `{"comment":"x"}`, 200, `"acked":true,"ackedBy":"admin"`},
		{`POST /setting/collectors`, `{"description":"x","collectorGroupId":77}`, 400,
			`collectorGroupId: there is no collector group 77`},
		{`GET /setting/collectors/groups/2`, ``, 200, `"numOfCollectors":1,"numOfHosts":0}`},
		{`GET /setting/collectors/groups/1?fields=name,numOfHosts`, ``, 200, `{"name":"@default","numOfHosts":152}`},
		{`DELETE /setting/collectors/groups/1`, ``, 409, `the collector group @default cannot be deleted`},
		{`PATCH /setting/collectors/groups/1`, `{"name":"x"}`, 409, `cannot be renamed`},
		{`DELETE /setting/collectors/groups/2`, ``, 409, `Collector in Oslo is in the collector group Oslo`},
		{`GET /setting/collectors/versions?filter=build:"test"`, ``, 200, `{"total":1,`},
		{`GET /setting/collectors/versions?filter=build:"other"`, ``, 200, `{"total":0,`},
		{`GET /setting/collectors/versions/1`, ``, 404, `there is no endpoint at this path`},

		{`PATCH /setting/portal`, `{"timezone":"Mars/Olympus"}`, 400, `"field":"timezone"`},
		{`PATCH /setting/portal`, `{"rateLimitGet":1}`, 400, `"field":"rateLimitGet"`},
		{`PUT /setting/portal`, `{"name":" Kestrel ","instance":"other","demo":false}`, 200,
			`"name":"Kestrel","demo":true,"timezone":""`},
		{`POST /setting/portal`, `{"name":"x"}`, 405, `"errorCode":1405`},
		{`DELETE /setting/portal`, ``, 405, `"errorCode":1405`},
	} {
		t.Run(tt.do, func(t *testing.T) {
			c := *c
			c.t = t
			method, path, _ := strings.Cut(tt.do, " ")
			path = strings.NewReplacer(`"`, "%22", "<", "%3C").Replace(path)
			var body []byte
			if tt.body != "" {
				body = []byte(tt.body)
			}
			response, text := c.send(method, path, body)
			if response.StatusCode != tt.code || !strings.Contains(string(text), tt.want) {
				t.Errorf("%s\nanswers %d %s\nwant    %d … %s", tt.body, response.StatusCode, text, tt.code, tt.want)
			}
		})
	}
}

func TestSettingsTakeEffectAtOnce(t *testing.T) {
	c, _ := newCaller(t)
	limit := func() string {
		response, _ := c.send(http.MethodGet, "/setting/roles", nil)
		return response.Header.Get("X-Rate-Limit-Limit")
	}
	total := func() (n int) {
		_, text := c.send(http.MethodGet, `/setting/opsnotes?filter=note:%22night%22,happenOnInSec:%222026-06-30%22`,
			nil)
		var page struct{ Total int }
		if err := json.Unmarshal(text, &page); err != nil {
			t.Fatal(err)
		}
		return page.Total
	}
	set := func(body string) {
		if response, text := c.send(http.MethodPatch, "/setting/portal",
			[]byte(body)); response.StatusCode != http.StatusOK {
			t.Fatalf("%s returns %s", body, text)
		}
	}
	if got := limit(); got != "500" {
		t.Errorf("the limit is %s at first", got)
	}
	set(`{"rateLimitGet":123}`)
	if got := limit(); got != "123" {
		t.Errorf("the limit is %s after it was set to 123", got)
	}
	// 2026-06-30 23:30 in UTC is July 1 in Berlin.
	if response, text := c.send(http.MethodPost, "/setting/opsnotes",
		[]byte(`{"note":"night","happenOnInSec":1782862200}`)); response.StatusCode != http.StatusCreated {
		t.Fatalf("%s", text)
	}
	for zone, want := range map[string]int{"UTC": 1, "Europe/Berlin": 0} {
		set(`{"timezone":"` + zone + `"}`)
		if got := total(); got != want {
			t.Errorf("%d notes on that day in %s, want %d", got, zone, want)
		}
	}
}

func TestCollectorsAreServedUnderTheirPublishedPaths(t *testing.T) {
	c, _ := newCaller(t)
	for _, path := range []string{"/groups", "/groups/1", "/collectors", "/collectors/2", "/collectors/versions"} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, c.origin+
			"/santaba/rest/setting/collector"+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Cookie", c.cookie)
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode != http.StatusOK {
			t.Errorf("%s returns %d", path, response.StatusCode)
		}
	}
}
