$headers = @{
  'Authorization' = "Bearer $env:SPYGLASS_TOKEN"
}
$body = [Text.Encoding]::UTF8.GetBytes('"double" ''single'' '''''' """ \ \\ \n \u0041 $HOME ${x} $(id) `id` %s %d %% !! # & | ; < > * ? [a-z] {1,2} ~ ünï 😀 ‘‘curly’’   end\
	
''@
"@
"double" ''single'' '''''' """ \ \\ \n \u0041 $HOME ${x} $(id) `id` %s %d %% !! # & | ; < > * ? [a-z] {1,2} ~ ünï 😀 ‘‘curly’’   end\')
Invoke-RestMethod -Method 'POST' `
  -Uri 'http://127.0.0.1:8443/api/x?a=1&b=$x' `
  -Headers $headers `
  -ContentType 'application/json' `
  -Body $body |
  ConvertTo-Json -Depth 100
