// Go's runtime reads random bytes with ProcessPrng, which Wine has since version 9.
// RtlGenRandom has the same contract, and its real name is SystemFunction036.
#include <windows.h>
#include <ntsecapi.h>

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T size) {
	return RtlGenRandom(data, size);
}
