import { readFileSync } from 'node:fs';
import { certificateFacts, endsSoon, timeLeft } from '#kernel/certificate-facts.ts';
import { systemClock } from '#kernel/clock.ts';
import type { Config } from '#kernel/config/config.ts';
import type { CertificateStatus } from './certificate-keeper.ts';

/** The certificate that a server of this configuration would show; null where there is none to be read. */
export function certificateOf({ tls }: Config): CertificateStatus | null {
  if (tls === undefined) return null;
  try {
    const facts = certificateFacts(readFileSync(tls.certFile));
    return { ...facts, isPlaceholder: false, problem: null };
  } catch {
    return null;
  }
}

/** What is wrong with it, each with the command that shows the cause. */
export function certificateWarnings({ tls }: Config, certificate: CertificateStatus | null): string[] {
  if (certificate === null) return [];
  const { name, endsAt, isPlaceholder, problem } = certificate;
  const more = 'appctl doctor net.tls-expiry';
  if (isPlaceholder)
    return [`the certificate authority has not issued a certificate for ${name} yet: ${more}`];
  const nowMs = systemClock.epochMs();
  const isOver = Date.parse(endsAt) <= nowMs;
  const isNear = !isOver && endsSoon(certificate, nowMs, tls?.acme ? 'acme' : 'file');
  return [
    ...(problem === null ? [] : [`the changed certificate is not used: ${problem}; ${more}`]),
    ...(isOver ? [`the certificate of ${name} expired at ${endsAt}: ${more}`] : []),
    ...(isNear ? [`the certificate of ${name} expires in ${timeLeft(endsAt, nowMs)}: ${more}`] : []),
  ];
}
