; The installer for Windows: for one user, without administrator's rights.
; It takes /S (silent) and /D=FOLDER.
Unicode true
Target amd64-unicode
SetCompressor /SOLID ${COMPRESSOR}
SetDateSave off
RequestExecutionLevel user
ManifestDPIAware true

!include MUI2.nsh

!define KEY "Software\Microsoft\Windows\CurrentVersion\Uninstall\Spyglass"
!define LINKS "Software\Classes\spyglass"
!define WEBVIEW "Microsoft\EdgeUpdate\Clients\{F3017226-FE2A-4295-8BDF-00C3A9A7E4C5}"

Name "Spyglass"
OutFile "${OUT}"
InstallDir "$LOCALAPPDATA\Programs\Spyglass"
InstallDirRegKey HKCU "${KEY}" "InstallLocation"
BrandingText "Spyglass ${VERSION}"
VIProductVersion "${VERSION}.0"
VIAddVersionKey "ProductName" "Spyglass"
VIAddVersionKey "ProductVersion" "${VERSION}"
VIAddVersionKey "FileVersion" "${VERSION}"
VIAddVersionKey "FileDescription" "Spyglass Setup"
VIAddVersionKey "LegalCopyright" "The Spyglass maintainers"

!define MUI_ICON "spyglass.ico"
!define MUI_UNICON "spyglass.ico"
!define MUI_FINISHPAGE_RUN "$INSTDIR\spyglass.exe"
!insertmacro MUI_PAGE_DIRECTORY
!insertmacro MUI_PAGE_INSTFILES
!insertmacro MUI_PAGE_FINISH
!insertmacro MUI_UNPAGE_CONFIRM
!insertmacro MUI_UNPAGE_INSTFILES
!insertmacro MUI_LANGUAGE "English"

Section
  SetOutPath "$INSTDIR"
  again:
  ClearErrors
  Delete "$INSTDIR\spyglass.exe"
  IfErrors 0 free
    MessageBox MB_RETRYCANCEL|MB_ICONINFORMATION "Spyglass is running. Close its window, and try again." /SD IDCANCEL IDRETRY again
    Abort "Spyglass is running."
  free:
  File "spyglass.exe"
  File "licences.txt"
  WriteUninstaller "$INSTDIR\uninstall.exe"
  CreateShortcut "$SMPROGRAMS\Spyglass.lnk" "$INSTDIR\spyglass.exe"
  WriteRegStr HKCU "${KEY}" "DisplayName" "Spyglass"
  WriteRegStr HKCU "${KEY}" "DisplayVersion" "${VERSION}"
  WriteRegStr HKCU "${KEY}" "DisplayIcon" "$INSTDIR\spyglass.exe"
  WriteRegStr HKCU "${KEY}" "InstallLocation" "$INSTDIR"
  WriteRegStr HKCU "${KEY}" "UninstallString" '"$INSTDIR\uninstall.exe"'
  WriteRegStr HKCU "${KEY}" "QuietUninstallString" '"$INSTDIR\uninstall.exe" /S'
  WriteRegDWORD HKCU "${KEY}" "NoModify" 1
  WriteRegDWORD HKCU "${KEY}" "NoRepair" 1
  ; Links: behind -- nothing in one is an option of ours.
  WriteRegStr HKCU "${LINKS}" "" "URL:Spyglass"
  WriteRegStr HKCU "${LINKS}" "URL Protocol" ""
  WriteRegStr HKCU "${LINKS}\DefaultIcon" "" "$INSTDIR\spyglass.exe,0"
  WriteRegStr HKCU "${LINKS}\shell\open\command" "" '"$INSTDIR\spyglass.exe" -- "%1"'
  Call WebView
SectionEnd

; WebView: the window needs Microsoft's WebView2 runtime, which Windows 11 and an
; up-to-date Windows 10 have. No installer of it is run from our own folder: that
; is Downloads, where any web page can put a file of that name.
Function WebView
  ReadRegStr $0 HKLM "SOFTWARE\WOW6432Node\${WEBVIEW}" "pv"
  StrCmp $0 "" 0 found
  ReadRegStr $0 HKCU "Software\${WEBVIEW}" "pv"
  StrCmp $0 "" 0 found
  MessageBox MB_OK|MB_ICONINFORMATION "Spyglass shows its window with Microsoft's WebView2 runtime, which this computer does not have. Until you install it, Spyglass opens in your browser. Get it from https://developer.microsoft.com/microsoft-edge/webview2/." /SD IDOK
  found:
FunctionEnd

; The data folder ($LOCALAPPDATA\Spyglass) stays.
Section "Uninstall"
  Delete "$INSTDIR\spyglass.exe"
  Delete "$INSTDIR\licences.txt"
  Delete "$INSTDIR\uninstall.exe"
  RMDir "$INSTDIR"
  Delete "$SMPROGRAMS\Spyglass.lnk"
  DeleteRegKey HKCU "${KEY}"
  DeleteRegKey HKCU "${LINKS}"
SectionEnd
