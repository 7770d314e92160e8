package exchange_test

import (
	"strings"
	"testing"

	"spyglass/app/exchange"
	"spyglass/backend/fault"
)

// swaggerText is a shortened file from the Swagger 2.0 editor.
const swaggerText = `swagger: "2.0"
info: {title: Pet store, description: Pets for all, version: 1.0.0}
host: petstore.example
basePath: /v2
schemes: [https]
consumes: [application/json]
securityDefinitions: {api_key: {type: apiKey, name: api_key, in: header}}
security: [{api_key: []}]
parameters:
  page: {name: page, in: query, type: integer, default: 1, description: Which page}
paths:
  /pet/{petId}:
    parameters: [{name: petId, in: path, required: true, type: integer, x-example: 7}]
    get: {summary: Find a pet, tags: [pet], parameters: [{$ref: '#/parameters/page'}], responses: {200: {description: Found}}}
    put: {summary: Change a pet, tags: [pet], parameters: [{name: body, in: body, schema: {$ref: '#/definitions/Pet'}}], responses: {200: {description: Changed}}}
    post: {summary: Upload, tags: [pet], consumes: [multipart/form-data], parameters: [{name: file, in: formData, type: file}], responses: {200: {description: Done}}}
definitions: {Pet: {type: object, required: [name], properties: {name: {type: string, example: Rex}, status: {type: string, enum: [sold, free]}, mother: {$ref: '#/definitions/Pet'}}}}
`

func TestSwaggerIsImported(t *testing.T) {
	tt := reading{
		name: "pets.yaml", text: swaggerText, label: "Swagger 2.0",
		want: `Pet store
  pet
    Find a pet: GET /pet/{petId} petId= | -page=1 | | 
    Upload: POST /pet/{petId} petId= | | | 
    Change a pet: PUT /pet/{petId} petId= | | | {
  "name": "Rex",
  "status": "sold"
}
`,
		notes: []string{
			"1 request whose body is not JSON: the body was not imported.",
			"The server https://petstore.example/v2 was not imported: requests go to the portal of their tab.",
			"Its authentication was not imported: the portal's sign-in is used.",
		},
	}
	tt.run(t)
}

func TestSwaggerReferencesToOtherFilesAreRefused(t *testing.T) {
	text := `{"swagger":"2.0","info":{"title":"x","version":"1"},"paths":{"/a":{"post":{"parameters":[{"in":"body",` +
		`"name":"b","schema":{"$ref":"file:///etc/passwd"}}],"responses":{}}}}}`
	_, err := exchange.Read(t.Context(), &exchange.File{Text: []byte(text)})
	if !fault.Is(err, fault.Invalid) ||
		!strings.HasPrefix(fault.Of(err).Message, "the text is not a valid Swagger 2.0 document: ") {
		t.Errorf("the error is %v", err)
	}
}
