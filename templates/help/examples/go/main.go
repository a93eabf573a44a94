package main

import (
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"
)

const usage = `usage: license activate | validate | token | verify-token FILE | verify-release BUNDLE
Settings: LICENSE_URL, LICENSE_API_KEY, LICENSE_PRODUCT, LICENSE_KEY, LICENSE_MACHINE, LICENSE_VERSION,
LICENSE_ROOT_KEY, and LICENSE_NOW (Unix seconds) to try another time.`

func main() {
	code, err := run(append(os.Args[1:], "", "")[:2])
	var refusal *APIError
	if errors.As(err, &refusal) {
		code, err = refusal.Code, nil
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if code == "" {
		return
	}
	fmt.Println(code)
	if code != "ACTIVATED" && code != "VALID" && code != "GRACE" {
		os.Exit(1)
	}
}

// run returns the code to print; empty when everything is printed.
func run(args []string) (string, error) {
	command, file := args[0], args[1]
	product := os.Getenv("LICENSE_PRODUCT")
	now := time.Now().Unix()
	if at, err := strconv.ParseInt(os.Getenv("LICENSE_NOW"), 10, 64); err == nil {
		now = at
	}
	root, rootErr := RootKey(os.Getenv("LICENSE_ROOT_KEY"))
	roots := []ed25519.PublicKey{root}
	machine := Machine{Roots: roots, Product: product, ID: os.Getenv("LICENSE_MACHINE"), Version: os.Getenv("LICENSE_VERSION"), Now: now}
	body := map[string]string{"licenseKey": os.Getenv("LICENSE_KEY"), "machineId": machine.ID, "appVersion": machine.Version}
	var answer struct{ Code, Token string }
	ask := func(operation string) error {
		return Call(os.Getenv("LICENSE_URL"), os.Getenv("LICENSE_API_KEY"), operation, body, &answer)
	}
	switch command {
	case "activate":
		return "ACTIVATED", ask("activate")
	case "validate":
		err := ask("validate")
		return answer.Code, err
	case "token":
		err := ask("offline-token")
		if err == nil {
			fmt.Println(answer.Token)
		}
		return "", err
	case "verify-token":
		text, err := os.ReadFile(file)
		if err != nil || rootErr != nil {
			return "", either(err, rootErr)
		}
		code, _ := VerifyToken(string(text), machine)
		return code, nil
	case "verify-release":
		text, err := os.ReadFile(file + ".sig.json")
		if err != nil || rootErr != nil {
			return "", either(err, rootErr)
		}
		var signed Signed
		if err := json.Unmarshal(text, &signed); err != nil {
			return "", err
		}
		code, _, err := VerifyRelease(file, signed, roots, product, now, 0)
		return code, err
	}
	fmt.Fprintln(os.Stderr, usage)
	os.Exit(2)
	return "", nil
}

func either(one, other error) error {
	if one != nil {
		return one
	}
	return other
}
