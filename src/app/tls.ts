import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import type { Config } from '#kernel/config/config.ts';
import { ConfigError } from '#kernel/config/errors.ts';
import type { Certificate } from '#kernel/http/server.ts';

/**
 * Reads the certificate and the key that the configuration names; only root may be able to, so it is done first.
 *
 * @throws ConfigError when one of them cannot be read, or when they do not belong together
 */
export function readTlsFiles({ tls }: Pick<Config, 'tls'>): Certificate | undefined {
  if (tls === undefined) return undefined;
  try {
    const files = { cert: readFileSync(tls.certFile), key: readFileSync(tls.keyFile) };
    createSecureContext(files);
    return files;
  } catch (error) {
    const message = `${tls.certFile} and ${tls.keyFile}: ${(error as Error).message}`;
    const hint = 'set a certificate and its private key, both in PEM format and readable by this user';
    throw new ConfigError([{ key: 'tls.cert', message, hint }]);
  }
}
