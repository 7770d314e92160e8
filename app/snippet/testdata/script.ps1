# Written by Spyglass.
#
# "double" 'single' ''' """ / // /n /u0041 $HOME ${x} $(id) `id` %s %d %% !! # & | ; < > * ? [a-z] {1,2} ~ ünï 😀 ‘curly’   end/
#
#   1. GET /x # injected
#   2. POST '"`$x`
#   3. PUT text
#
# Run it: pwsh -File script.ps1
# It stops with exit code 1 at the first response with another status than expected.
#
# It needs these environment variables:
#   SPYGLASS_TOKEN: an API token of the portal
#   SPYGLASS_TOKEN: the value of token

$ErrorActionPreference = 'Stop'

function Get-Value($Name) {
  $value = [Environment]::GetEnvironmentVariable($Name)
  if ($null -eq $value) { throw "set $Name" }
  $value
}

$now = [DateTimeOffset]::UtcNow.ToUnixTimeSeconds()

$variables = @{
  'device.id' = 'a/b ü&''"'
  'name' = 'it''s "q" \ $HOME `x` <&> ünï'
  'token' = (Get-Value 'SPYGLASS_TOKEN')
  '$now-1h' = [string]($now - 3600)
  '$uuid' = [guid]::NewGuid().ToString()
}

function Format-Url($Name) { [uri]::EscapeDataString($variables[$Name]) }

function Format-Json($Name) {
  $text = ConvertTo-Json -Compress $variables[$Name]
  $text.Substring(1, $text.Length - 2)
}

function Get-Pause($Headers) {
  foreach ($name in 'Retry-After', 'X-Rate-Limit-Window') {
    try { $header = "$($Headers.GetValues($name))" } catch { $header = '' } # PowerShell 7 throws where there is none
    if ($header -match '^\d{1,9}$') { return [int]$header }
  }
  5
}

function Send-Step($Title, $Expected, $Method, $Uri, $Headers, $ContentType, $Body) {
  $Headers['Authorization'] = "Bearer $env:SPYGLASS_TOKEN"
  $words = @{ Method = $Method; Uri = $Uri; Headers = $Headers; UseBasicParsing = $true; TimeoutSec = 60 }
  if ($Body) {
    $words['Body'] = [Text.Encoding]::UTF8.GetBytes($Body)
    $words['ContentType'] = $ContentType
  }
  for ($try = 1; ; $try++) {
    $seconds = 0
    try {
      $response = Invoke-WebRequest @words
      $status = [int]$response.StatusCode
      $text = $response.Content
    } catch {
      if (-not $_.Exception.Response) { throw }
      $status = [int]$_.Exception.Response.StatusCode
      $text = "$_"
      $seconds = Get-Pause $_.Exception.Response.Headers
    }
    [Console]::Error.WriteLine("${Title}: $status")
    if ($status -ne 429 -or $Expected -eq 429 -or $try -eq 5 -or $seconds -gt 3600) { break }
    [Console]::Error.WriteLine("${Title}: waiting $seconds s")
    Start-Sleep -Seconds $seconds
  }
  Write-Output $text
  if (($Expected -and $status -ne $Expected) -or (-not $Expected -and [math]::Floor($status / 100) -ne 2)) {
    throw "Stopped: $Title returned $status, expected $Expected"
  }
}

Send-Step '1. GET /x # injected' 200 'GET' ('http://127.0.0.1:8443/api/0/' + (Format-Url 'device.id') + '?q=' + (Format-Url 'device.id') + '&n=1') @{  } ('') ('')

Send-Step '2. POST ''"`$x`' 0 'POST' ('http://127.0.0.1:8443/api/1/x') @{ 'X-Secret' = 'k=' + $variables['token'] } ('application/json') ('{"name": "<' + (Format-Json 'name') + '>", "n": ' + $variables['$now-1h'] + ', "u": "' + (Format-Json '$uuid') + '", "t": true, "nil": null, "big": 12345678901234567890}')

Send-Step '3. PUT text' 0 'PUT' ('http://127.0.0.1:8443/api/2/x') @{  } ('text/plain') ('"' + $variables['name'] + '""double" ''single'' '''''' """ \ \\ \n \u0041 $HOME ${x} $(id) `id` %s %d %% !! # & | ; < > * ? [a-z] {1,2} ~ ünï 😀 ‘‘curly’’   end\')
