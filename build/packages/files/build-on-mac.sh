#!/bin/sh
# Builds Spyglass.app and a disk image on a Mac, from this folder:
#
#   SIGN="Developer ID Application: …" NOTARY=PROFILE ./build-on-mac.sh CHECKOUT
#
# CHECKOUT is the project at version {{.Version}}. Needs Xcode's command line tools, Go and
# Node.js. Without SIGN the app is signed for this Mac alone: other Macs refuse it. Without
# NOTARY it is not sent to Apple: other Macs warn before the first start.
#
# Once, before the first signed release, with a paid Apple developer account:
#   1. Create the certificate "Developer ID Application" (Xcode, Settings, Accounts, Manage
#      Certificates). SIGN is its name in: security find-identity -v -p codesigning
#   2. Store the sign-in for the notary service, with an app-specific password of
#      account.apple.com. NOTARY is the name PROFILE in:
#      xcrun notarytool store-credentials PROFILE --apple-id MAIL --team-id TEAM
set -eu
here=$(cd "$(dirname "$0")" && pwd)
checkout=${1:?which checkout of the project?}
app="$here/Spyglass.app"
image="$here/spyglass-{{.Version}}.dmg"

# The page, which the program contains.
(cd "$checkout/frontend" && npm ci --no-audit --no-fund && npm run build)
cp "$here/licences.txt" "$checkout/frontend/dist/"

# The program for both kinds of Mac, as one file.
mkdir -p "$app/Contents/MacOS"
for arch in amd64 arm64; do
	(cd "$checkout" && CGO_ENABLED=1 GOOS=darwin GOARCH=$arch CGO_LDFLAGS="-framework UniformTypeIdentifiers" \
		go build -trimpath -buildvcs=false -tags desktop,production -ldflags "-s -w -X main.version={{.Version}}" -o "$here/spyglass-$arch" .)
done
lipo -create -output "$app/Contents/MacOS/spyglass" "$here/spyglass-amd64" "$here/spyglass-arm64"
rm "$here/spyglass-amd64" "$here/spyglass-arm64"

# The signature, with the hardened runtime and a time stamp, which notarizing requires.
plutil -lint "$app/Contents/Info.plist" "$here/entitlements.plist"
xattr -cr "$app" # codesign refuses files with attributes of the Finder
if [ -n "${SIGN:-}" ]; then
	codesign --force --options runtime --timestamp --entitlements "$here/entitlements.plist" --sign "$SIGN" "$app"
else
	codesign --force --options runtime --entitlements "$here/entitlements.plist" --sign - "$app"
fi
codesign --verify --strict --verbose=2 "$app"

# The disk image, with a link to drag the app to.
stage=$(mktemp -d)
trap 'rm -r "$stage"' EXIT
cp -R "$app" "$stage/"
ln -s /Applications "$stage/Applications"
hdiutil create -volname Spyglass -srcfolder "$stage" -format UDZO -ov "$image"
if [ -n "${SIGN:-}" ]; then
	codesign --timestamp --sign "$SIGN" "$image"
fi

# Apple checks the image. Stapling puts its ticket into it, so that a Mac without a network
# accepts it. If Apple refuses it, xcrun notarytool log ID says why.
if [ -n "${NOTARY:-}" ]; then
	xcrun notarytool submit "$image" --keychain-profile "$NOTARY" --wait
	xcrun stapler staple "$image"
	spctl --assess --type open --context context:primary-signature --verbose "$image"
fi
