package main

import "os"

// makeMac writes the bundle without its program, which only a Mac can build, and
// the script that builds it.
func (r release) makeMac() error {
	plist, err := r.fill("Info.plist")
	if err != nil {
		return err
	}
	script, err := r.fill("build-on-mac.sh")
	if err != nil {
		return err
	}
	entitlements, err := templates.ReadFile("files/entitlements.plist")
	if err != nil {
		return err
	}
	licences, err := os.ReadFile(r.licences)
	if err != nil {
		return err
	}
	all, err := r.icons()
	if err != nil {
		return err
	}
	icon, err := icns(all)
	if err != nil {
		return err
	}
	return r.archive(r.name("-macos-bundle.tar.gz"), "spyglass-"+r.version+"-macos", []entry{
		{"Spyglass.app/Contents/Info.plist", plain, plist},
		{"Spyglass.app/Contents/PkgInfo", plain, []byte("APPL????")},
		{"Spyglass.app/Contents/Resources/spyglass.icns", plain, icon},
		{"Spyglass.app/Contents/Resources/licences.txt", plain, licences},
		{"build-on-mac.sh", program, script},
		{"entitlements.plist", plain, entitlements},
		{"licences.txt", plain, licences},
	})
}
