package collect

import (
	"strings"
	"text/template"
)

// facts holds the values for a script's template. The portal creates all of them:
// letters, digits and the characters of an address.
type facts struct {
	Base      string // the portal's API, "https://portal.example:8443/api"
	Collector int64
	System    string
	Token     string
	SHA256    string // of the program; empty if the portal does not have it yet
}

// shellScript installs a collector on Linux and macOS. It passes the token on
// standard input, because other users can see command lines and environments.
const shellScript = `#!/bin/sh
# Installs the Spyglass collector {{.Collector}} of {{.Base}}.
# The token below is good for one installation within an hour.
set -eu
umask 077
portal='{{.Base}}'
token='{{.Token}}'
folder="${SPYGLASS_FOLDER:-$HOME/spyglass-collector}"
mkdir -p "$folder"
printf 'header = "Authorization: Bearer %s"\n' "$token" |
	curl --fail --silent --show-error --config - --output "$folder/spyglass.new" "$portal/setting/collectors/{{.Collector}}/installers/{{.System}}/program"
{{- if .SHA256}}
sum=$( (sha256sum "$folder/spyglass.new" 2>/dev/null || shasum -a 256 "$folder/spyglass.new") | cut -d ' ' -f 1)
if [ "$sum" != '{{.SHA256}}' ]; then
	echo 'The program did not arrive whole; run this script again.' >&2
	exit 1
fi
{{- end}}
chmod 700 "$folder/spyglass.new"
mv "$folder/spyglass.new" "$folder/spyglass"
printf '%s' "$token" | "$folder/spyglass" collector --data "$folder/data" --portal "$portal" --token - --register
echo "Registered. To collect, run: $folder/spyglass collector --data $folder/data"
`

// powerScript installs a collector on Windows.
const powerScript = `# Installs the Spyglass collector {{.Collector}} of {{.Base}}.
# The token below is good for one installation within an hour.
$ErrorActionPreference = 'Stop'
$portal = '{{.Base}}'
$token = '{{.Token}}'
$folder = if ($env:SPYGLASS_FOLDER) { $env:SPYGLASS_FOLDER } else { Join-Path $env:LOCALAPPDATA 'SpyglassCollector' }
New-Item -ItemType Directory -Force -Path $folder | Out-Null
$program = Join-Path $folder 'spyglass.exe'
Invoke-WebRequest -UseBasicParsing -Headers @{ Authorization = "Bearer $token" } -OutFile "$program.new" -Uri "$portal/setting/collectors/{{.Collector}}/installers/{{.System}}/program"
{{- if .SHA256}}
if ((Get-FileHash -Algorithm SHA256 -LiteralPath "$program.new").Hash -ne '{{.SHA256}}') {
    throw 'The program did not arrive whole; run this script again.'
}
{{- end}}
Move-Item -Force -LiteralPath "$program.new" -Destination $program
$token | & $program collector --data (Join-Path $folder 'data') --portal $portal --token - --register
Write-Output "Registered. To collect, run: $program collector --data $(Join-Path $folder 'data')"
`

// render executes a script's template.
func render(text string, f facts) (string, error) {
	t, err := template.New("script").Parse(text)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	err = t.Execute(&out, f)
	return out.String(), err
}
