import { readFileSync, statSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
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
  createSecureContext(files);
  return files;
}

/** Tells whether the files are still those that were read: others by size, time or place. */
export function stateOf({ certFile, keyFile }: TlsConfig): string {
  return [certFile, keyFile]
    .map((file) => {
      const info = statSync(file, { bigint: true, throwIfNoEntry: false });
      return info ? `${info.ino} ${info.mtimeNs} ${info.size}` : 'missing';
    })
    .join(' ');
}
