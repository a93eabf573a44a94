// Licensing for a Go application: activate, validate, and verify offline tokens and releases.
// Needs nothing but the standard library. Copy this file; main.go is only for trying it out.
package main

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const (
	tolerance         = 300        // seconds by which clocks may differ
	longestDelegation = 34_560_000 // 400 days in seconds
)

// APIError is a refusal of the server: Code for the program, Message for people.
type APIError struct {
	Code       string `json:"code"`
	Message    string `json:"message"`
	RetryAfter string `json:"-"`
}

func (e *APIError) Error() string { return e.Message }

var client = &http.Client{Timeout: 10 * time.Second}

// Call calls the license API and reads its answer into out. It returns an *APIError when the server refuses.
func Call(url, apiKey, operation string, body, out any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	request, err := http.NewRequest("POST", url+"/api/v1/license/"+operation, bytes.NewReader(text))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-API-Key", apiKey)
	answer, err := client.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode == http.StatusOK {
		return json.NewDecoder(answer.Body).Decode(out)
	}
	var refusal struct{ Error APIError }
	if json.NewDecoder(answer.Body).Decode(&refusal) != nil || refusal.Error.Code == "" {
		// A proxy answered, not the license server.
		return fmt.Errorf("unexpected answer with status %d", answer.StatusCode)
	}
	refusal.Error.RetryAfter = answer.Header.Get("Retry-After")
	return &refusal.Error
}

// RootKey reads a root key: `appctl keys export KEYID --public --format base64` prints it.
func RootKey(text string) (ed25519.PublicKey, error) {
	key, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(key) < ed25519.PublicKeySize {
		return nil, fmt.Errorf("%q is not a root key", text)
	}
	return key[len(key)-ed25519.PublicKeySize:], nil
}

func keyID(key []byte) string {
	digest := sha256.Sum256(key)
	return hex.EncodeToString(digest[:])[:16]
}

func find(roots []ed25519.PublicKey, id string) ed25519.PublicKey {
	for _, root := range roots {
		if keyID(root) == id {
			return root
		}
	}
	return nil
}

func isSigned(key ed25519.PublicKey, message string, signature []byte) bool {
	return len(key) == ed25519.PublicKeySize && ed25519.Verify(key, []byte(message), signature)
}

// Claims of a token; times in Unix seconds.
type Claims struct {
	V          int            `json:"v"`
	KeyID      string         `json:"kid"`
	Product    string         `json:"prd"`
	Status     string         `json:"st"`
	Machine    string         `json:"mid"`
	Features   map[string]any `json:"feat"`
	MaxVersion *string        `json:"mxv"`
	ValidUntil *int64         `json:"vu"`
	GraceUntil *int64         `json:"graceUntil"`
	IssuedAt   int64          `json:"iat"`
	NotBefore  int64          `json:"nbf"`
	Expires    int64          `json:"exp"`
}

type delegation struct {
	V         int      `json:"v"`
	Product   string   `json:"prd"`
	Root      string   `json:"root"`
	KeyID     string   `json:"kid"`
	PublicKey string   `json:"pub"`
	Use       []string `json:"use"`
	NotBefore int64    `json:"nbf"`
	Expires   int64    `json:"exp"`
}

func (d delegation) isFor(use string) bool {
	for _, one := range d.Use {
		if one == use {
			return true
		}
	}
	return false
}

// Machine is the machine that a token is checked for. Now and LastSeen are Unix seconds; LastSeen is the latest
// time ever seen on this machine, which you store.
type Machine struct {
	Roots         []ed25519.PublicKey
	Product, ID   string
	Version       string
	Now, LastSeen int64
}

var tokenForm = regexp.MustCompile(`^license/([\w-]+)\.([\w-]+)\.([\w-]+)\.([\w-]+)$`)

// VerifyToken verifies an offline token. The license may be used for VALID and GRACE.
func VerifyToken(token string, m Machine) (string, *Claims) {
	parts := tokenForm.FindStringSubmatch(strings.Join(strings.Fields(token), ""))
	if parts == nil {
		return "MALFORMED", nil
	}
	var claims Claims
	var granted delegation
	if decode(parts[1], &claims) != nil || decode(parts[3], &granted) != nil || claims.V != 1 {
		return "MALFORMED", nil
	}
	signature, err1 := base64.RawURLEncoding.DecodeString(parts[2])
	rootSignature, err2 := base64.RawURLEncoding.DecodeString(parts[4])
	online, err3 := base64.RawURLEncoding.DecodeString(granted.PublicKey)
	if err1 != nil || err2 != nil || err3 != nil {
		return "MALFORMED", nil
	}
	trusted := isSigned(find(m.Roots, granted.Root), "delegation/"+parts[3], rootSignature) &&
		granted.V == 1 && granted.Product == m.Product && granted.isFor("license") &&
		granted.Expires-granted.NotBefore <= longestDelegation &&
		m.Now >= granted.NotBefore-tolerance && m.Now < granted.Expires && keyID(online) == granted.KeyID
	if !trusted {
		return "DELEGATION_INVALID", nil
	}
	if !isSigned(online, "license/"+parts[1], signature) || claims.KeyID != granted.KeyID || claims.Product != m.Product {
		return "SIGNATURE_INVALID", nil
	}
	digest := sha256.Sum256([]byte(m.ID))
	if claims.Machine != base64.RawURLEncoding.EncodeToString(digest[:]) {
		return "WRONG_MACHINE", nil
	}
	return judge(&claims, m), &claims
}

func judge(claims *Claims, m Machine) string {
	runs := claims.Status == "ACTIVE" && (claims.ValidUntil == nil || m.Now < *claims.ValidUntil)
	grace := claims.GraceUntil != nil && m.Now < *claims.GraceUntil
	switch {
	case m.Now < max(claims.IssuedAt, m.LastSeen)-tolerance:
		return "CLOCK_ROLLED_BACK"
	case m.Now < claims.NotBefore || m.Now >= claims.Expires:
		return "TOKEN_EXPIRED"
	case !runs && !grace:
		return "EXPIRED"
	case !versionAllowed(claims.MaxVersion, m.Version):
		return "VERSION_NOT_ALLOWED"
	case runs:
		return "VALID"
	}
	return "GRACE"
}

func max(a, b int64) int64 {
	if a > b {
		return a
	}
	return b
}

func decode(text string, out any) error {
	payload, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return err
	}
	return json.Unmarshal(payload, out)
}

var numbers = regexp.MustCompile(`\d+(\.\d+){0,2}`)

// "2" allows all of 2.x and everything before.
func versionAllowed(maxVersion *string, version string) bool {
	found := numbers.FindString(version)
	if maxVersion == nil || found == "" {
		return maxVersion == nil
	}
	installed := strings.Split(found+".0.0", ".")
	for i, part := range strings.Split(*maxVersion, ".") {
		limit, _ := strconv.Atoi(part)
		if own, _ := strconv.Atoi(installed[i]); own != limit {
			return own < limit
		}
	}
	return true
}

// Signed is the answer of updates/check about a release. A FILE.sig.json contains the same; its statement's
// signature is called statementSignature.
type Signed struct {
	SHA256             string `json:"sha256"`
	Signature          string `json:"signature"`
	Statement          string `json:"statement"`
	StatementSignature string `json:"statement_signature"`
	InFile             string `json:"statementSignature"`
}

// Statement is the signed statement of a root key about a release.
type Statement struct {
	V         int       `json:"v"`
	Product   string    `json:"product"`
	Version   string    `json:"version"`
	SHA256    string    `json:"sha256"`
	Size      int64     `json:"size"`
	Sequence  int64     `json:"sequence"`
	KeyID     string    `json:"kid"`
	ExpiresAt time.Time `json:"expiresAt"`
}

// VerifyRelease verifies a downloaded bundle: install it only for VALID. lastSequence is the highest sequence
// that was ever installed from this channel, which you store.
func VerifyRelease(path string, signed Signed, roots []ed25519.PublicKey, product string, now, lastSequence int64) (string, *Statement, error) {
	bundle, err := os.Open(path)
	if err != nil {
		return "", nil, err
	}
	defer bundle.Close()
	hash := sha256.New()
	size, err := io.Copy(hash, bundle)
	if err != nil {
		return "", nil, err
	}
	digest := hash.Sum(nil)
	if hex.EncodeToString(digest) != strings.ToLower(signed.SHA256) {
		return "HASH_MISMATCH", nil, nil
	}
	signature, _ := base64.StdEncoding.DecodeString(signed.Signature)
	good := false
	for _, root := range roots {
		good = good || isSigned(root, string(digest), signature)
	}
	if !good {
		return "BAD_SIGNATURE", nil, nil
	}
	var statement Statement
	text := strings.TrimPrefix(signed.Statement, "release/")
	isRelease := strings.HasPrefix(signed.Statement, "release/")
	signature, _ = base64.StdEncoding.DecodeString(signed.StatementSignature + signed.InFile)
	genuine := isRelease && decode(text, &statement) == nil && isSigned(find(roots, statement.KeyID), signed.Statement, signature)
	switch {
	case !genuine || statement.V != 1 || statement.Product != product:
		return "STATEMENT_INVALID", nil, nil
	case statement.SHA256 != hex.EncodeToString(digest) || statement.Size != size:
		return "STATEMENT_MISMATCH", &statement, nil
	case statement.Sequence < lastSequence:
		return "ROLLBACK", &statement, nil
	case now >= statement.ExpiresAt.Unix():
		return "STATEMENT_EXPIRED", &statement, nil
	}
	return "VALID", &statement, nil
}
