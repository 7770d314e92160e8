$ErrorActionPreference = 'Stop'

$variables = @{
  'device.id' = 'a/b ü&''"'
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

Send-Pages '1. GET /list' 200 0 3 'GET' ('http://127.0.0.1:8443/api/list?q=' + (Format-Url 'device.id') + '&size=3&offset=') @{  } ('') ('')

Send-Pages '2. GET /unsaid' 200 4 2 'GET' ('http://127.0.0.1:8443/api/unsaid?size=2&offset=') @{ 'X-Version' = '3' } ('') ('')

Send-Step '3. GET /last' 0 'GET' ('http://127.0.0.1:8443/api/last') @{  } ('') ('')
