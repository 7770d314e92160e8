package trust

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/windows"

	"spyglass/backend/fault"
)

func (Computer) stores() []store { return []store{userRoots{}} }

// userRoots is the user's store of root certificates; Windows shows a dialog before it
// changes.
type userRoots struct{}

func (userRoots) state(_ context.Context, a Authority) State {
	_, err := a.Cert.Verify(x509.VerifyOptions{}) // Windows decides
	return State{Store: "Windows, this user", Trusted: err == nil}
}

func (userRoots) add(_ context.Context, a Authority) error {
	return changeRoots(func(roots windows.Handle) error {
		if err := deleteNamed(roots, a.Cert.RawSubject); err != nil {
			return err
		}
		cert, err := windows.CertCreateCertificateContext(windows.X509_ASN_ENCODING, &a.Cert.Raw[0],
			uint32(len(a.Cert.Raw)))
		if err != nil {
			return err
		}
		defer func() { _ = windows.CertFreeCertificateContext(cert) }() // it cannot fail
		return windows.CertAddCertificateContextToStore(roots, cert, windows.CERT_STORE_ADD_REPLACE_EXISTING, nil)
	})
}

func (userRoots) remove(_ context.Context, a Authority) error {
	return changeRoots(func(roots windows.Handle) error { return deleteNamed(roots, a.Cert.RawSubject) })
}

// changeRoots opens the store for change.
func changeRoots(change func(roots windows.Handle) error) (err error) {
	name, err := windows.UTF16PtrFromString("Root")
	if err != nil {
		return err
	}
	roots, err := windows.CertOpenStore(windows.CERT_STORE_PROV_SYSTEM, 0, 0, windows.CERT_SYSTEM_STORE_CURRENT_USER,
		uintptr(unsafe.Pointer(name)))
	if err == nil {
		err = errors.Join(change(roots), windows.CertCloseStore(roots, 0))
	}
	switch {
	case errors.Is(err, windows.ERROR_CANCELLED):
		return &fault.Error{Kind: fault.Conflict, Err: err, Message: "Windows did not change its root certificates, " +
			"because you did not confirm it"}
	case err != nil:
		return &fault.Error{Kind: fault.Conflict, Err: err,
			Message: fmt.Sprintf("Windows did not change its root certificates: %v", err)}
	}
	return nil
}

// deleteNamed deletes all certificates with a subject, also older ones of the portal.
func deleteNamed(roots windows.Handle, subject []byte) error {
	name := &windows.CryptDataBlob{Size: uint32(len(subject)), Data: &subject[0]}
	for {
		cert, err := windows.CertFindCertificateInStore(roots, windows.X509_ASN_ENCODING, 0,
			windows.CERT_FIND_SUBJECT_NAME, unsafe.Pointer(name), nil)
		if errors.Is(err, windows.Errno(windows.CRYPT_E_NOT_FOUND)) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := windows.CertDeleteCertificateFromStore(cert); err != nil { // frees it, too
			return err
		}
	}
}
