package exchange_test

import (
	"testing"

	"spyglass/app/exchange"
	"spyglass/backend/fault"
)

const bruFile = `meta {
  name: Rename a device
  type: http
  seq: 2
}

patch {
  url: {{baseUrl}}/device/devices/:deviceId?opType=replace
  body: json
  auth: bearer
}

params:query {
  opType: replace
  ~validate: yes
}

params:path {
  deviceId: {{deviceId}}
}

headers {
  Content-Type: application/json
  ~X-Trace: a:b
  "X-Odd: name": 1
}

auth:bearer {
  token: pLaNtEd
}

body:json {
  {
    "displayName": "Web 01",
    "id": "{{$guid}}"
  }
}

vars:pre-request {
  deviceId: 7
  note: '''
    two
    lines
  '''
}

vars:post-response {
  ~name: res.body.name
}

script:pre-request {
  const a = {
  };
}

docs {
  By its id.

    - indented
}
`

const bruEnvironment = `vars {
  host: https://acme.example
  ~off: 1
}
vars:secret [
  token,
  ~old
]
`

const brunoText = `{"name":"Portal","version":"1","items":[
{"type":"folder","name":"Reads","seq":2,"root":{"request":{"headers":[{"name":"X-Team","value":"blue","enabled":true}],"auth":{"mode":"inherit"},"vars":{"req":[{"name":"site","value":"4","enabled":true}]}},"docs":"Only reads"},
 "items":[{"type":"http","name":"Groups","filename":"Groups.bru","seq":1,"request":{"url":"{{host}}/device/groups/:site?size=5","method":"GET","headers":[],"params":[{"name":"size","value":"5","type":"query","enabled":true},{"name":"site","value":"{{site}}","type":"path","enabled":true}],"body":{"mode":"none","formUrlEncoded":[],"multipartForm":[],"file":[]},"script":{},"vars":{},"assertions":[{"name":"res.status","value":"eq 200","enabled":true}],"tests":"","docs":"","auth":{"mode":"inherit"}}}]},
{"type":"http","name":"Add a device","seq":1,"request":{"url":"{{host}}/device/devices","method":"POST","headers":[{"name":"X-Off","value":"1","enabled":false}],"params":[],"body":{"mode":"json","json":"{\"at\": {{$timestamp}}, \"n\": {{$randomInt}}}"},"script":{"req":"bru.setVar('a', 1)"},"vars":{"res":[{"name":"id","value":"res.body.id","enabled":true}]},"assertions":[],"tests":"","docs":"Checked at once","auth":{"mode":"basic","basic":{"username":"a","password":"pLaNtEd"}}}},
{"type":"graphql","name":"Query","seq":3,"request":{"url":"{{host}}/graphql","method":"POST","body":{"mode":"graphql","graphql":{"query":"{ me }","variables":"{\"a\": 1}"}},"auth":{"mode":"none"}}},
{"type":"http","name":"Form","seq":4,"request":{"url":"{{host}}/x","method":"POST","body":{"mode":"multipartForm"}}},
{"type":"grpc-request","name":"Call","seq":5}],
"environments":[{"name":"Local","variables":[{"name":"host","value":"http://127.0.0.1:8443/api","enabled":true,"secret":false,"type":"text"},{"name":"region","value":"eu","enabled":true},{"name":"apiToken","value":"","enabled":true,"secret":true}]},{"name":"Prod","variables":[{"name":"region","value":"us","enabled":true}]}],
"brunoConfig":{"version":"1","name":"Portal","type":"collection","ignore":["node_modules",".git"]}}`

const openCollectionText = `opencollection: 1.0.0
info:
  name: Portal
bundled: true
config:
  environments:
    - name: dev
      variables:
        - {name: region, value: eu}
        - {name: apiToken, secret: true}
request:
  auth: {type: bearer, token: pLaNtEd}
items:
  - info: {name: Reads, type: folder, seq: 1}
    request:
      headers: [{name: X-Team, value: blue}]
    items:
      - info: {name: Groups, type: http, seq: 1}
        http:
          method: GET
          url: "https://acme.example/api/device/groups/:site?size=5"
          params:
            - {name: size, value: 5, type: query}
            - {name: site, value: "{{site}}", type: path}
          auth: inherit
        runtime:
          variables: [{name: site, value: {type: number, data: "4"}}]
          assertions: [{expression: res.status, operator: eq, value: "200"}]
        docs: |-
          All of them
  - info: {name: Add, type: http, seq: 2}
    http:
      method: POST
      url: https://acme.example/api/device/devices
      headers: [{name: X-Off, value: "1", disabled: true}]
      body:
        - {title: a, body: {type: json, data: '{"a":1}'}}
        - {title: b, selected: true, body: {type: json, data: '{"b":2}'}}
  - info: {name: Live, type: websocket}
    websocket: {url: wss://acme.example}
`

func TestBrunoCollectionIsImported(t *testing.T) {
	acme := "The address https://acme.example was not imported: requests go to the portal of their tab."
	for _, tt := range []reading{{
		name: "Rename a device.bru", text: bruFile, label: "Bruno",
		want: `Rename a device
  Rename a device: PATCH /device/devices/{deviceId} deviceId={{deviceId}} | opType=replace -validate=yes | Content-Type=application/json -X-Trace=a:b X-Odd: name=1 | {
  "displayName": "Web 01",
  "id": "{{$uuid}}"
}
`,
		variables: []string{"deviceId=7", "note=two\nlines"},
		notes: []string{
			"1 request with authorization: it was not imported, the portal's sign-in is used.",
			"1 request with scripts: they were not imported.",
			"1 request with variables from the response: set them up as extractors under Tools, Helpers.",
		},
	}, {
		name: "dev.bru", text: bruEnvironment, label: "Bruno",
		environments: []string{"dev: host=https://acme.example, token*="},
		notes:        []string{"The values of secrets are not in the file; enter them under Tools, Variables: token."},
	}, {
		name: "several.bru", text: bruEnvironment + "\n" + bruFile +
			"meta {\r\n  name: Ping\r\n  type: http\r\n}\r\nget {\r\n  url: {{host}}/ping\r\n}\r\n", label: "Bruno",
		want: `several
  Rename a device: PATCH /device/devices/{deviceId} deviceId={{deviceId}} | opType=replace -validate=yes | Content-Type=application/json -X-Trace=a:b X-Odd: name=1 | {
  "displayName": "Web 01",
  "id": "{{$uuid}}"
}
  Ping: GET /ping | | | 
`,
		variables:    []string{"deviceId=7", "note=two\nlines"},
		environments: []string{"several: token*="},
		notes: []string{
			"1 request with authorization: it was not imported, the portal's sign-in is used.",
			"1 request with scripts: they were not imported.",
			"1 request with variables from the response: set them up as extractors under Tools, Helpers.",
			"The address {{host}} was not imported: requests go to the portal of their tab.",
			"The values of secrets are not in the file; enter them under Tools, Variables: token.",
		},
	}, {
		name: "Portal.json", text: brunoText, label: "Bruno",
		want: `Portal
  Reads
    Groups: GET /device/groups/{site} site={{site}} | size=5 | X-Team=blue | 
  Add a device: POST /device/devices | | -X-Off=1 | {"at": {{$now}}, "n": {{$randomInt}}}
  Query: POST /graphql | | | {
  "query": "{ me }",
  "variables": {
    "a": 1
  }
}
  Form: POST /x | | | 
`,
		variables:    []string{"site=4"},
		environments: []string{"Local: region=eu, apiToken*=", "Prod: region=us"},
		notes: []string{
			"Nothing fills in {{$randomInt}} here: add variables in place of Bruno's own.",
			"The address {{host}} was not imported: requests go to the portal of their tab.",
			"1 request with authorization: it was not imported, the portal's sign-in is used.",
			"1 request with scripts: they were not imported.",
			"1 request with variables from the response: set them up as extractors under Tools, Helpers.",
			"1 request whose body is a form or a file: the body was not imported.",
			"1 request with another protocol than HTTP, such as gRPC or WebSocket: not imported.",
			"The values of secrets are not in the file; enter them under Tools, Variables: apiToken.",
		},
	}, {
		name: "opencollection.yml", text: openCollectionText, label: "OpenCollection (Bruno)",
		want: `Portal
  Reads
    Groups: GET /device/groups/{site} site={{site}} | size=5 | X-Team=blue | 
  Add: POST /device/devices | | -X-Off=1 | {"b":2}
`,
		variables:    []string{"site=4"},
		environments: []string{"dev: region=eu, apiToken*="},
		notes: []string{
			"The authorization of folders was not imported: the portal's sign-in is used.",
			acme,
			"1 request with another protocol than HTTP, such as gRPC or WebSocket: not imported.",
			"The values of secrets are not in the file; enter them under Tools, Variables: apiToken.",
		},
	}, {
		name: "ping.yml", text: "info:\n  name: Ping\n  type: http\n\nhttp:\n  method: GET\n" +
			"  url: https://acme.example/ping\n", label: "OpenCollection (Bruno)",
		want: "ping\n  Ping: GET /ping | | | \n", notes: []string{acme},
	}, {
		name: "dev.yml", text: "name: dev\nvariables:\n  - name: region\n    value: eu\n",
		label: "OpenCollection (Bruno)", environments: []string{"dev: region=eu"},
	}} {
		t.Run(tt.name, tt.run)
	}
}

func TestBruFileErrorsAreReported(t *testing.T) {
	for text, want := range map[string]string{
		"meta {\n  name: x\n}\n\nget {\n  url: /x\n": "a.bru is not a valid Bruno file: the block get of line 5 has " +
			"no end",
		"meta {\n}\nhello\n":          "a.bru is not a valid Bruno file: line 3 does not begin a block",
		"meta {\n  name: Folder\n}\n": "a.bru is a Bruno file, but contains neither a request nor a variable",
	} {
		_, err := exchange.Read(t.Context(), &exchange.File{Name: "a.bru", Text: []byte(text)})
		if err == nil || fault.Of(err).Message != want {
			t.Errorf("the error is %v, want %s", err, want)
		}
	}
}
