#!/bin/sh
# Builds Spyglass.app and a disk image on a Mac, from this folder:
#
#   SIGN="Developer ID Application: …" NOTARY=PROFILE ./build-on-mac.sh CHECKOUT
#
# CHECKOUT is the project at version {{.Version}}. Without SIGN the app is signed for this
# Mac alone; without NOTARY it is not sent to Apple (see man notarytool).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
checkout=${1:?which checkout of the project?}
app="$here/Spyglass.app"

(cd "$checkout/frontend" && npm ci --no-audit --no-fund && npm run build)
cp "$here/licences.txt" "$checkout/frontend/dist/"
mkdir -p "$app/Contents/MacOS"
for arch in amd64 arm64; do
	(cd "$checkout" && CGO_ENABLED=1 GOOS=darwin GOARCH=$arch CGO_LDFLAGS="-framework UniformTypeIdentifiers" \
		go build -trimpath -buildvcs=false -tags desktop,production -ldflags "-s -w -X main.version={{.Version}}" -o "$here/spyglass-$arch" .)
done
lipo -create -output "$app/Contents/MacOS/spyglass" "$here/spyglass-amd64" "$here/spyglass-arm64"
rm "$here/spyglass-amd64" "$here/spyglass-arm64"
plutil -lint "$app/Contents/Info.plist"
codesign --force --options runtime --sign "${SIGN:--}" "$app"
codesign --verify --strict "$app"

hdiutil create -volname Spyglass -srcfolder "$app" -format UDZO -ov "$here/spyglass-{{.Version}}.dmg"
if [ -n "${NOTARY:-}" ]; then
	xcrun notarytool submit "$here/spyglass-{{.Version}}.dmg" --keychain-profile "$NOTARY" --wait
	xcrun stapler staple "$here/spyglass-{{.Version}}.dmg"
fi
