package exchange_test

import "testing"

const yaakText = `{"yaakVersion":"2026.1.0","yaakSchema":4,"timestamp":"2026-03-11T09:14:07","resources":{
"workspaces":[{"model":"workspace","id":"wk_1","name":"Portal","description":"Every day","headers":[{"enabled":true,"name":"X-Team","value":"blue"}],"authenticationType":null}],
"environments":[{"model":"environment","id":"ev_1","workspaceId":"wk_1","parentModel":"workspace","name":"Global Variables","variables":[{"enabled":true,"name":"base_url","value":"https://acme.example/api"},{"enabled":true,"name":"size","value":"5"},{"enabled":false,"name":"off","value":"1"}]},
 {"model":"environment","id":"ev_2","workspaceId":"wk_1","parentModel":"environment","name":"Staging","variables":[{"enabled":true,"name":"size","value":"7"}]}],
"folders":[{"model":"folder","id":"fl_1","workspaceId":"wk_1","folderId":null,"name":"Reads","sortPriority":-1,"headers":[],"authenticationType":"bearer","authentication":{"token":"pLaNtEd"}}],
"httpRequests":[{"model":"http_request","id":"rq_1","workspaceId":"wk_1","folderId":"fl_1","name":"Group","method":"GET","url":"${[ base_url ]}/device/groups/:site","urlParameters":[{"enabled":true,"name":":site","value":"${[ response.body.path(request='rq_2', path='$.id') ]}"},{"enabled":true,"name":"size","value":"${[size]}"},{"enabled":false,"name":"x","value":""}],"headers":[],"body":{},"bodyType":null,"authenticationType":null,"sortPriority":0},
 {"model":"http_request","id":"rq_2","workspaceId":"wk_1","folderId":null,"name":"Add","description":"Checked at once","method":"POST","url":"${[ base_url ]}/device/devices","urlParameters":[],"headers":[{"enabled":true,"name":"Content-Type","value":"application/json"}],"body":{"text":"{\"id\": \"${[ uuid.v4() ]}\", \"at\": ${[ timestamp.unix() ]}, \"t\": \"{{ kept }}\"}"},"bodyType":"application/json","authenticationType":"basic","authentication":{"password":"pLaNtEd"},"sortPriority":1},
 {"model":"http_request","id":"rq_3","workspaceId":"wk_1","folderId":null,"name":"Form","method":"POST","url":"/x","body":{"form":[]},"bodyType":"multipart/form-data","sortPriority":2}],
"grpcRequests":[{"model":"grpc_request","id":"gr_1","workspaceId":"wk_1","name":"Call"}],"websocketRequests":[]}}`

func TestYaakExportIsImported(t *testing.T) {
	tt := reading{
		name: "yaak.portal.json", text: yaakText, label: "Yaak",
		want: `Portal
  Reads
    Group: GET /device/groups/{site} site={{response.body}} | size={{size}} -x= | X-Team=blue | 
  Add: POST /device/devices | | X-Team=blue Content-Type=application/json | {"id": "{{$uuid}}", "at": {{$now}}, "t": "{{ kept }}"}
  Form: POST /x | | X-Team=blue | 
`,
		variables:    []string{"size=5"},
		environments: []string{"Staging: size=7"},
		notes: []string{
			"The authorization of folders was not imported: the portal's sign-in is used.",
			"The address {{base_url}} was not imported: requests go to the portal of their tab.",
			"1 request with another protocol than HTTP, such as gRPC or WebSocket: not imported.",
			"1 request with authorization: it was not imported, the portal's sign-in is used.",
			"1 request whose body is a form or a file: the body was not imported.",
			"Nothing here fills in these template tags; give the variables in their place a value, or an extractor: " +
				"{{response.body}} for ${[ response.body.path(request='rq_2', path='$.id') ]}.",
		},
	}
	tt.run(t)
}
