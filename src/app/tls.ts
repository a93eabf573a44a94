import { readFileSync, statSync } from 'node:fs';
import { requirePair } from '#kernel/certificate-facts.ts';
import type { Config, TlsConfig } from '#kernel/config/config.ts';
import { ConfigError } from '#kernel/config/errors.ts';
import type { Certificate } from '#kernel/http/server.ts';
import { placeholderFor } from '#platform/certificates/index.ts';

/**
 * Reads the certificate and the key that the configuration names; only root may be able to, so it is done first. Where
 * an authority has yet to issue them, the server begins with a certificate that signs itself.
 *
 * @throws ConfigError when one of them cannot be read, or when they do not belong together
 */
export async function readTlsFiles({ tls }: Pick<Config, 'tls'>): Promise<Certificate | undefined> {
  if (tls === undefined) return undefined;
  try {
    return readPair(tls);
  } catch (error) {
    if (tls.acme) return placeholderFor(tls.acme.name);
    const message = `${tls.certFile} and ${tls.keyFile}: ${(error as Error).message}`;
    const hint = 'set a certificate and its private key, both in PEM format and readable by this user';
    throw new ConfigError([{ key: 'tls.cert', message, hint }]);
  }
}

/** The pair in the files. @throws Error of the system, or of OpenSSL when they do not belong together */
export function readPair({ certFile, keyFile }: TlsConfig): Certificate {
  const files = { cert: readFileSync(certFile), key: readFileSync(keyFile) };
  requirePair(files);
  return files;
}

/** Tells whether the files are still those that were read: others by size, time, owner, rights or place. */
export const stateOf = ({ certFile, keyFile }: TlsConfig): string =>
  [certFile, keyFile].map(stateOfFile).join(' ');

/** What cannot be looked at has a state too: only root may be able to, and this runs as another user. */
function stateOfFile(file: string): string {
  try {
    const { ino, mtimeNs, ctimeNs, size } = statSync(file, { bigint: true });
    return [ino, mtimeNs, ctimeNs, size].join(' ');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' ? 'missing' : (code ?? 'unknown');
  }
}
