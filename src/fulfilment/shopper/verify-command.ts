import { savedName } from '#storefront/buying/downloads/index.ts';

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/**
 * A command that verifies the signature of a file with OpenSSL 3: what is signed is its SHA-256. It says
 * `Signature Verified Successfully`.
 *
 * @param signature in base64
 * @param pem of the public key
 */
export function verifyCommand(fileName: string, signature: string, pem: string): string {
  const name = savedName(fileName);
  const file = quoted(name.startsWith('-') ? `./${name}` : name);
  return [
    `printf '%s\\n' ${pem.trim().split('\n').map(quoted).join(' ')} > release-key.pem`,
    `openssl dgst -sha256 -binary ${file} > release.sha256`,
    `printf '%s' ${signature} | openssl base64 -d -A > release.sig`,
    'openssl pkeyutl -verify -pubin -inkey release-key.pem -rawin -in release.sha256 -sigfile release.sig',
  ].join(' && ');
}
