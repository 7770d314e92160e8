// The parts of Windows that Go's programs need and Wine 8 lacks. Each of them loads this
// library when it starts.
#include <windows.h>
#include <ntsecapi.h>
#include <string.h>

// Go's runtime reads random bytes with ProcessPrng, which Wine has since version 9.
// RtlGenRandom has the same contract, and its real name is SystemFunction036.
__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T size) {
	return RtlGenRandom(data, size);
}

// Go deletes files with class 64, as Windows 10 does. Wine 8 does not know it, and returns
// an error that Go does not expect. Go expects the one of FAT32, and then deletes as on
// Windows 8.
enum { DISPOSITION_EX = 64, NOT_SUPPORTED = 0xC00000BB, STUB = 32, JUMP = 12 };

typedef LONG(WINAPI *setter)(HANDLE, void *, void *, ULONG, ULONG);
static setter original;

static LONG WINAPI set(HANDLE file, void *status, void *info, ULONG size, ULONG class) {
	return class == DISPOSITION_EX ? (LONG)NOT_SUPPORTED : original(file, status, info, size, class);
}

// DllMain makes NtSetInformationFile jump to set. Its own code is a system call, which
// runs at any address.
BOOL WINAPI DllMain(HINSTANCE self, DWORD reason, LPVOID reserved) {
	if (reason != DLL_PROCESS_ATTACH) return TRUE;
	BYTE *code = (BYTE *)GetProcAddress(GetModuleHandleA("ntdll"), "NtSetInformationFile");
	BYTE *copy = VirtualAlloc(NULL, STUB, MEM_COMMIT | MEM_RESERVE, PAGE_EXECUTE_READWRITE);
	DWORD before;
	if (!code || !copy || !VirtualProtect(code, JUMP, PAGE_EXECUTE_READWRITE, &before)) return FALSE;
	memcpy(copy, code, STUB);
	original = (setter)copy;
	BYTE jump[JUMP] = {0x48, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xE0}; // mov rax, set; jmp rax
	setter to = set;
	memcpy(jump + 2, &to, sizeof to);
	memcpy(code, jump, JUMP);
	return VirtualProtect(code, JUMP, before, &before);
}
