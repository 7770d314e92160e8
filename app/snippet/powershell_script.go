package snippet

import (
	"fmt"
	"strings"
)

const powerShellSend = `
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
`

const powerShellPages = `
function Send-Pages($Title, $Expected, $Offset, $Size, $Method, $Uri, $Headers, $ContentType, $Body) {
  do {
    $text = Send-Step "$Title from $Offset" $Expected $Method "$Uri$Offset" $Headers $ContentType $Body
    Write-Output $text
    $page = $text | ConvertFrom-Json
    $Offset += $Size
  } until (-not $page.items -or ($null -ne $page.total -and $page.total -ge 0 -and $page.total -le $Offset))
}
`

const powerShellField = `
function Get-Field($Title, $Text, $Path, $Keys) {
  $value = $Text | ConvertFrom-Json
  foreach ($key in $Keys) {
    if ($null -eq $value) { break }
    if ($key -is [int]) { $value = @($value)[$key] } else { $value = $value.$key }
  }
  if ($null -eq $value) { throw "Stopped: the response to $Title has no $Path" }
  if ($value -is [string]) { $value } else { ConvertTo-Json -Compress -Depth 100 $value }
}
`

const powerShellSetting = `
function Get-Setting($Name, $Default) {
  $value = [Environment]::GetEnvironmentVariable($Name)
  if ($null -eq $value) { $Default } else { $value }
}
`

const powerShellEnvironment = `
function Get-Value($Name) {
  $value = [Environment]::GetEnvironmentVariable($Name)
  if ($null -eq $value) { throw "set $Name" }
  $value
}
`

func powerShellScript(s *script) string {
	var b strings.Builder
	b.WriteString("$ErrorActionPreference = 'Stop'\n")
	if s.from(Environment) {
		b.WriteString(powerShellEnvironment)
	}
	if s.overridden() {
		b.WriteString(powerShellSetting)
	}
	if s.from(Clock) {
		b.WriteString("\n$now = [DateTimeOffset]::UtcNow.ToUnixTimeSeconds()\n")
	}
	if len(s.variables) > 0 {
		b.WriteString("\n$variables = @{\n")
		for _, v := range s.variables {
			value := map[Source]string{
				Plain: powerShellPlain(&v), Environment: "(Get-Value " + powerShellText(v.Value) + ")",
				Clock: "[string]($now" + v.seconds() + ")", Random: "[guid]::NewGuid().ToString()",
			}[v.Source]
			b.WriteString("  " + powerShellText(v.Name) + " = " + value + "\n")
		}
		b.WriteString("}\n")
	}
	if s.has(inURL) {
		b.WriteString("\nfunction Format-Url($Name) { [uri]::EscapeDataString($variables[$Name]) }\n")
	}
	if s.has(inJSON) {
		b.WriteString("\nfunction Format-Json($Name) {\n  $text = ConvertTo-Json -Compress $variables[$Name]\n" +
			"  $text.Substring(1, $text.Length - 2)\n}\n")
	}
	b.WriteString(powerShellSend)
	if s.paged() {
		b.WriteString(powerShellPages)
	}
	if s.extracting() {
		b.WriteString(powerShellField)
	}
	for _, st := range s.steps {
		headers := []string{}
		contentType := "''"
		for _, h := range st.headers {
			if strings.EqualFold(h.name, "Content-Type") {
				contentType = powerShellPieces(h.value)
				continue
			}
			headers = append(headers, powerShellText(h.name)+" = "+powerShellPieces(h.value))
		}
		send, more := st.call("Send-Step ", "Send-Pages ", "%d %d ")
		b.WriteString("\n" + send + powerShellText(st.title) + fmt.Sprintf(" %d %s", st.expect, more) +
			powerShellText(st.method) + " (" + powerShellPieces(st.url) + ") @{ " +
			strings.Join(headers, "; ") + " } (" + contentType + ") (" + powerShellPieces(st.body) + ")")
		if len(st.extract) > 0 {
			b.WriteString(" | Tee-Object -Variable text")
		}
		b.WriteString("\n")
		for _, x := range st.extract {
			words := x.arguments(powerShellText)
			b.WriteString("$variables[" + powerShellText(x.Variable) + "] = Get-Field " + powerShellText(st.title) +
				" (@($text)[0]) " + words[0] + " @(" + strings.Join(words[1:], ", ") + ")\n")
		}
	}
	return b.String()
}

// powerShellPlain returns the value of a variable that the environment may override.
func powerShellPlain(v *Variable) string {
	if v.Override == "" {
		return powerShellText(v.Value)
	}
	return "(Get-Setting " + powerShellText(v.Override) + " " + powerShellText(v.Value) + ")"
}

func powerShellPieces(t text) string {
	return t.join(" + ", "''", powerShellText, func(p piece) string {
		switch p.as {
		case inURL:
			return "(Format-Url " + powerShellText(p.name) + ")"
		case inJSON:
			return "(Format-Json " + powerShellText(p.name) + ")"
		}
		return "$variables[" + powerShellText(p.name) + "]"
	})
}
