$headers = @{
  'Authorization' = "Bearer $env:SPYGLASS_TOKEN"
  'X-Version' = '3'
  'X-Note' = 'it''s $5 "\n" ‘‘q’’'
}
$body = [Text.Encoding]::UTF8.GetBytes('{
  "name": "it''s\n $HOME `x` ‘‘q’’",
  "up": null
}')
Invoke-RestMethod -Method 'PATCH' `
  -Uri 'http://127.0.0.1:8443/api/device/devices/7?fields=id,$x' `
  -Headers $headers `
  -ContentType 'application/json' `
  -Body $body |
  ConvertTo-Json -Depth 100
