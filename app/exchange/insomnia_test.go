package exchange_test

import "testing"

const insomnia4Text = `{"_type":"export","__export_format":4,"__export_date":"2026-03-11T09:14:07.512Z","__export_source":"insomnia.desktop.app:v2023.5.8","resources":[
{"_id":"req_b","parentId":"fld_1","modified":1,"created":1,"url":"{{ _.base_url }}/device/devices/:deviceId","name":"Rename a device","description":"By its id","method":"PATCH",
 "body":{"mimeType":"application/json","text":"{\"displayName\": \"{{ _.device['display name'] }}\", \"batch\": \"{% uuid 'v4' %}\", \"at\": {% now 'unix', '' %}}"},
 "parameters":[{"id":"pair_1","name":"opType","value":"replace","description":""},{"id":"pair_2","name":"validate","value":"","disabled":true}],
 "headers":[{"name":"Content-Type","value":"application/json"},{"name":"X-Trace","value":"{% response 'body', 'req_a', 'b64::JC5pZA==::46b', 'never', 60 %}"}],
 "authentication":{"type":"bearer","token":"pLaNtEd","prefix":""},"metaSortKey":-20,"isPrivate":false,"pathParameters":[{"name":"deviceId","value":"{{ _.deviceId }}"}],
 "settingStoreCookies":true,"preRequestScript":"insomnia.environment.set('x', 1)","_type":"request"},
{"_id":"fld_1","parentId":"wrk_1","name":"Devices","description":"All of them","environment":{"deviceId":7},"metaSortKey":-50,"_type":"request_group"},
{"_id":"wrk_1","parentId":null,"name":"Portal","description":"","scope":"collection","_type":"workspace"},
{"_id":"req_a","parentId":"wrk_1","url":"{{ _.base_url }}/alert/alerts?size={{ _.pageSize }}","name":"Alerts","method":"GET","body":{},"parameters":[{"name":"filter","value":"severity:\"{% prompt 'Least severity', '', 'error', '', false, true %}\""}],"headers":[],"authentication":{},"metaSortKey":-100,"_type":"request"},
{"_id":"req_c","parentId":"wrk_1","url":"https://acme.example/santaba/rest/report/reports","name":"Upload","method":"POST","body":{"mimeType":"multipart/form-data","params":[{"name":"file","type":"file"}]},"authentication":{"type":"basic","disabled":true},"metaSortKey":-90,"_type":"request"},
{"_id":"req_d","parentId":"wrk_1","url":"{{ _.base_url }}/x","name":"Head","method":"HEAD","metaSortKey":1,"_type":"request"},
{"_id":"ws-req_1","parentId":"wrk_1","url":"wss://acme.example/events","name":"Live","_type":"websocket_request"},
{"_id":"env_base","parentId":"wrk_1","name":"Base Environment","data":{"base_url":"{{ _.scheme }}://{{ _.host }}/api/v2","scheme":"https","host":"acme.example","pageSize":50,"device":{"display name":"Web 01"},"title":"{{ _.host | upper }}"},"_type":"environment"},
{"_id":"env_1","parentId":"env_base","name":"Staging","data":{"host":"staging.acme.example","pageSize":50,"only":true},"_type":"environment"},
{"_id":"jar_1","parentId":"wrk_1","name":"Default Jar","cookies":[{"value":"pLaNtEd"}],"_type":"cookie_jar"},
{"_id":"spc_1","parentId":"wrk_1","fileName":"Portal","contents":"","contentType":"yaml","_type":"api_spec"}]}`

const insomnia5Text = `type: collection.insomnia.rest/5.0
schema_version: "5.1"
name: Portal
meta:
  id: wrk_7b1
  created: 1764000000000
  modified: 1764000000000
  description: What we call every day
collection:
  - url: "{{ _.base_url }}/device/devices"
    name: Add a device
    meta:
      id: req_2
      sortKey: -10
      description: It is checked at once
    method: POST
    body:
      mimeType: application/json
      text: |-
        {
          "name": "{% prompt 'Host name', '', 'web-01' %}",
          "since": "2026-01-05"
        }
    headers:
      - name: Content-Type
        value: application/json
      - name: X-Version
        value: 3
        disabled: true
    scripts:
      afterResponse: insomnia.environment.set("id", 1)
    settings:
      renderRequestBody: true
      followRedirects: global
  - name: Reads
    meta:
      id: fld_1
      sortKey: -20
    headers:
      - name: X-Team
        value: blue
    authentication:
      type: bearer
      token: pLaNtEd
    environment:
      site: 4
    children:
      - url: "{{ _.base_url }}/device/groups/{{ _.site }}?size=5"
        name: 404
        meta:
          id: req_1
        method: GET
        parameters:
          - name: fields
            value: id,name
        authentication:
          type: none
  - name: Events
    url: wss://acme.example
    meta:
      id: ws-req_9
cookieJar:
  name: Default Jar
environments:
  name: Base Environment
  data:
    base_url: http://127.0.0.1:8443/api
    date: 2026-01-05
    __insomnia_vault: {key: pLaNtEd}
  subEnvironments:
    - name: Production
      data:
        base_url: https://prod.example
        date: 2026-01-06
`

func TestInsomniaExportIsImported(t *testing.T) {
	for _, tt := range []reading{{
		name: "Insomnia_2026-03-11.json", text: insomnia4Text, label: "Insomnia",
		want: `Portal
  Devices
    Rename a device: PATCH /v2/device/devices/{deviceId} deviceId={{deviceId}} | opType=replace -validate= | Content-Type=application/json X-Trace={{response}} | {"displayName": "{{device.display_name}}", "batch": "{{$uuid}}", "at": {{$now}}}
  Alerts: GET /v2/alert/alerts | size={{pageSize}} filter=severity:"{{Least_severity}}" | | 
  Upload: POST /report/reports | | | 
`,
		variables: []string{"device.display_name=Web 01", "host=acme.example", "pageSize=50", "scheme=https",
			"title=acme.example", "Least_severity=error", "deviceId=7"},
		environments: []string{"Staging: host=staging.acme.example, only=true, pageSize=50"},
		notes: []string{
			`The filter "upper" of {{ _.host | upper }} was not imported.`,
			"The addresses {{base_url}}, https://acme.example were not imported: requests go to the portal of " +
				"their tab.",
			"1 request whose body is a form or a file: the body was not imported.",
			"1 request with authorization: it was not imported, the portal's sign-in is used.",
			"1 request with scripts: they were not imported.",
			"1 request with another protocol than HTTP, such as gRPC or WebSocket: not imported.",
			"The API description in the file was not imported: import it separately, as OpenAPI.",
			"1 request with another method than GET, POST, PUT, PATCH, DELETE: not imported.",
			"Where Insomnia prompts for a value, a variable provides it here: Least_severity.",
			"Nothing here fills in these template tags; give the variables in their place a value, or an extractor: " +
				"{{response}} for {% response 'body', 'req_a', 'b64::JC5pZA==::46b', 'never… %}.",
		},
	}, {
		name: "portal.yaml", text: insomnia5Text, label: "Insomnia",
		want: `Portal
  Reads
    404: GET /device/groups/{{site}} | size=5 fields=id,name | X-Team=blue | 
  Add a device: POST /device/devices | | Content-Type=application/json -X-Version=3 | {
  "name": "{{Host_name}}",
  "since": "2026-01-05"
}
`,
		variables:    []string{"date=2026-01-05", "site=4", "Host_name=web-01"},
		environments: []string{"Production: date=2026-01-06"},
		notes: []string{
			"The secrets of Insomnia's vault were not imported: they are encrypted in the file.",
			"The authorization of folders was not imported: the portal's sign-in is used.",
			"The address {{base_url}} was not imported: requests go to the portal of their tab.",
			"1 request with scripts: they were not imported.",
			"1 request with another protocol than HTTP, such as gRPC or WebSocket: not imported.",
			"Where Insomnia prompts for a value, a variable provides it here: Host_name.",
		},
	}, {
		name: "globals.yaml", text: "type: environment.insomnia.rest/5.0\nname: Globals\n" +
			"environments: {name: Base, data: {region: eu, token: \"\"}}\n", label: "Insomnia",
		variables: []string{"region=eu", "token="},
	}} {
		t.Run(tt.name, tt.run)
	}
}
