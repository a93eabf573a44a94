import { existsSync, readFileSync } from 'node:fs';
import {
  type CertificateKind,
  certificateFacts,
  endsSoon,
  requirePair,
  timeLeft,
} from '#kernel/certificate-facts.ts';
import { type Check, type CheckScope, type Finding, fail, ok, onConfig, skip, warn } from '#kernel/check.ts';
import { systemClock } from '#kernel/clock.ts';
import type { Config, TlsConfig } from '#kernel/config/config.ts';
import { failureOf, findCertificate } from '../certificates/index.ts';

const READS_AGAIN = 'renew the certificate: the server reads new files by itself';
const SHOWS_BEFORE = 'a running server goes on with the certificate that it had';

/** Whether the certificate of TLS is valid, for how long, and why it was not renewed. */
async function checkCertificate({ tls }: Config, scope: CheckScope): Promise<Finding> {
  if (!tls) return skip('TLS is not configured');
  const failed = tls.acme ? await failedOrder(tls.acme.name, scope) : null;
  if (tls.acme && !existsSync(tls.certFile)) {
    if (failed) return fail(`no certificate for ${tls.acme.name} was issued: ${failed}`, CURE);
    return scope.serverRuns
      ? skip(`a certificate for ${tls.acme.name} is being ordered`)
      : skip(`the server orders a certificate for ${tls.acme.name} when it starts`);
  }
  const found = judgeFiles(tls, systemClock.epochMs());
  if (failed === null || found.status === 'fail') return found;
  return warn(`${found.message}, and the renewal failed: ${failed}`, CURE);
}

const CURE =
  'let the certificate authority reach this server under its name on port 443, or on port 80 with tls.redirect_listen; appctl help certificates';

/** What an authority said last, if it issued nothing. */
async function failedOrder(name: string, { opened }: CheckScope): Promise<string | null> {
  if (!opened?.current) return null;
  const known = await findCertificate(opened.ctx, name);
  const failure = known && failureOf(known, opened.ctx.now());
  if (!known || failure === null) return null;
  return known.nextAttemptAt === null ? failure : `${failure}; next attempt at ${known.nextAttemptAt}`;
}

function judgeFiles({ certFile, keyFile, acme }: TlsConfig, nowMs: number): Finding {
  const read = (file: string, variable: string): Buffer | Finding => {
    try {
      return readFileSync(file);
    } catch (error) {
      return fail(`${file}: ${(error as Error).message}`, `set ${variable} to a readable PEM file`);
    }
  };
  const cert = read(certFile, 'APPCTL_TLS_CERT');
  if (!Buffer.isBuffer(cert)) return cert;
  const key = read(keyFile, 'APPCTL_TLS_KEY');
  if (!Buffer.isBuffer(key)) return key;
  try {
    requirePair({ cert, key });
  } catch (error) {
    const files = certFile === keyFile ? certFile : `${certFile} and ${keyFile}`;
    const hint = 'write a certificate and its own private key, both in PEM format';
    return fail(`${files} cannot be used (${(error as Error).message}); ${SHOWS_BEFORE}`, hint);
  }
  return judgeCertificate(cert, nowMs, acme ? 'acme' : 'file');
}

/** @param kind whether files are replaced by somebody, or by the program itself */
export function judgeCertificate(
  pem: Buffer | string,
  nowMs: number,
  kind: CertificateKind = 'file',
): Finding {
  const facts = certificateFacts(pem);
  const { beginsAt, endsAt } = facts;
  const what = `the certificate of ${facts.name}`;
  const hint = kind === 'acme' ? 'appctl jobs history renew-certificate' : READS_AGAIN;
  if (Date.parse(endsAt) <= nowMs)
    return fail(`${what} expired at ${endsAt}: clients refuse to connect`, hint);
  if (Date.parse(beginsAt) > nowMs)
    return fail(`${what} is valid only from ${beginsAt}`, 'use a certificate that is valid now');
  const left = timeLeft(endsAt, nowMs);
  return endsSoon(facts, nowMs, kind)
    ? warn(`${what} expires in ${left}, at ${endsAt}`, hint)
    : ok(`${what} is valid for ${left}, until ${endsAt}`);
}

export const certificateChecks: readonly Check[] = [
  { id: 'net.tls-expiry', title: 'TLS certificate', alert: 'server', run: onConfig(checkCertificate) },
];
