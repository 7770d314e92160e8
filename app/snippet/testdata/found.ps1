# Written by Spyglass.
#
# What is found
#
#   1. GET /list (all pages), $.items[0]["it's"] becomes found id, $ becomes given
#   2. GET /one, $.items[1].tags becomes found id
#   3. GET /two
#
# Run it: pwsh -File script.ps1
# It stops with exit code 1 at the first response with another status than expected.
#
# It needs these environment variables:
#   SPYGLASS_TOKEN: an API token of the portal
# These replace values below:
#   SPYGLASS_FOUND: the value of found id
#   SPYGLASS_GIVEN: the value of given
#   SPYGLASS_OWN: the value of own

$ErrorActionPreference = 'Stop'

function Get-Setting($Name, $Default) {
  $value = [Environment]::GetEnvironmentVariable($Name)
  if ($null -eq $value) { $Default } else { $value }
}

$variables = @{
  'found id' = (Get-Setting 'SPYGLASS_FOUND' '')
  'given' = (Get-Setting 'SPYGLASS_GIVEN' 'from the script')
  'own' = (Get-Setting 'SPYGLASS_OWN' 'it''s } mine')
}

function Format-Url($Name) { [uri]::EscapeDataString($variables[$Name]) }

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

function Send-Pages($Title, $Expected, $Offset, $Size, $Method, $Uri, $Headers, $ContentType, $Body) {
  do {
    $text = Send-Step "$Title from $Offset" $Expected $Method "$Uri$Offset" $Headers $ContentType $Body
    Write-Output $text
    $page = $text | ConvertFrom-Json
    $Offset += $Size
  } until (-not $page.items -or ($null -ne $page.total -and $page.total -ge 0 -and $page.total -le $Offset))
}

function Get-Field($Title, $Text, $Path, $Keys) {
  $value = $Text | ConvertFrom-Json
  foreach ($key in $Keys) {
    if ($null -eq $value) { break }
    if ($key -is [int]) { $value = @($value)[$key] } else { $value = $value.$key }
  }
  if ($null -eq $value) { throw "Stopped: the response to $Title has no $Path" }
  if ($value -is [string]) { $value } else { ConvertTo-Json -Compress -Depth 100 $value }
}

Send-Pages '1. GET /list' 0 0 3 'GET' ('http://127.0.0.1:8443/api/list?size=3&offset=') @{  } ('') ('') | Tee-Object -Variable text
$variables['found id'] = Get-Field '1. GET /list' (@($text)[0]) '$.items[0]["it''s"]' @('items', 0, 'it''s')
$variables['given'] = Get-Field '1. GET /list' (@($text)[0]) '$' @()

Send-Step '2. GET /one' 0 'GET' ('http://127.0.0.1:8443/api/one?id=' + (Format-Url 'found id') + '&size=2&offset=0') @{  } ('') ('') | Tee-Object -Variable text
$variables['found id'] = Get-Field '2. GET /one' (@($text)[0]) '$.items[1].tags' @('items', 1, 'tags')

Send-Step '3. GET /two' 0 'GET' ('http://127.0.0.1:8443/api/two?item=' + (Format-Url 'found id') + '&g=' + (Format-Url 'given') + '&o=' + (Format-Url 'own')) @{  } ('') ('')
