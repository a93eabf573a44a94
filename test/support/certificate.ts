// Certificates for receivers of tests, made by the openssl program.
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { scratchFolder } from './scratch-folder.ts';

/** As PEM. Whoever trusts `cert` as an authority accepts its server. */
export interface Certificate {
  key: string;
  cert: string;
}

/**
 * Makes a certificate that signs itself.
 *
 * @param names as openssl writes them: `DNS:hooks.example.com`, `IP:127.0.0.1`
 * @throws Error when openssl is missing
 */
export function makeCertificate(names: readonly string[]): Certificate {
  const folder = scratchFolder('appctl-certificate-');
  const [keyFile, certFile] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const words = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const more = ['-subj', '/CN=receiver', '-days', '2', '-addext', `subjectAltName=${names.join(',')}`];
  try {
    const files = ['-keyout', keyFile, '-out', certFile];
    const made = spawnSync('openssl', [...words, ...more, ...files], { encoding: 'utf8' });
    if (made.status !== 0) throw made.error ?? new Error(made.stderr);
    return { key: readFileSync(keyFile, 'utf8'), cert: readFileSync(certFile, 'utf8') };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
