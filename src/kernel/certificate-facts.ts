import { createPrivateKey, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { isoTime } from './clock.ts';
import { counted } from './counts.ts';

/** What is said of a certificate. */
export interface CertificateFacts {
  /** The first host that it is for. */
  readonly name: string;
  /** ISO times between which it is valid. */
  readonly beginsAt: string;
  readonly endsAt: string;
}

const MS_PER_DAY = 86_400_000;
const SOON_DAYS = 30;
/** Of its life: somebody replaces files when a third is left; what renews itself has then been renewed. */
const SOON_SHARE = { file: 1 / 3, acme: 1 / 4 } as const;
/** Whoever replaces files needs so long, however short a certificate lives. */
const LEAST_DAYS = { file: 2, acme: 0 } as const;

/** Who replaces a certificate: an operator by files, or the program itself. */
export type CertificateKind = keyof typeof SOON_SHARE;

/** Whether a certificate ends so soon that somebody should know. */
export function endsSoon(
  { beginsAt, endsAt }: Pick<CertificateFacts, 'beginsAt' | 'endsAt'>,
  nowMs: number,
  kind: CertificateKind,
): boolean {
  const lifeMs = Date.parse(endsAt) - Date.parse(beginsAt);
  const early = Math.max(lifeMs * SOON_SHARE[kind], LEAST_DAYS[kind] * MS_PER_DAY);
  return Date.parse(endsAt) - nowMs < Math.min(SOON_DAYS * MS_PER_DAY, early);
}

/** `12 days`, `3 hours`: how long a certificate is still valid. */
export function timeLeft(endsAt: string, nowMs: number): string {
  const leftMs = Date.parse(endsAt) - nowMs;
  const days = Math.floor(leftMs / MS_PER_DAY);
  return days > 0 ? counted(days, 'day') : counted(Math.max(1, Math.floor(leftMs / 3_600_000)), 'hour');
}

/**
 * Reads the first certificate of a PEM text.
 *
 * @throws Error of node:crypto for a text that has none
 */
export function certificateFacts(pem: string | Buffer): CertificateFacts {
  const { subject, subjectAltName, validFrom, validTo } = new X509Certificate(pem);
  const host = /(?:DNS|IP Address):([^,\s]+)/.exec(subjectAltName ?? '')?.[1];
  const common = /^CN=(.+)$/m.exec(subject)?.[1];
  return {
    name: host ?? common ?? 'the certificate',
    beginsAt: isoTime(Date.parse(validFrom)),
    endsAt: isoTime(Date.parse(validTo)),
  };
}

/**
 * Demands that a certificate can be served with a key. OpenSSL alone takes a key of another type than the certificate's,
 * and then refuses every client.
 *
 * @throws Error of OpenSSL, or in words
 */
export function requirePair(files: { readonly cert: Buffer; readonly key: Buffer }): void {
  createSecureContext(files);
  if (!new X509Certificate(files.cert).checkPrivateKey(createPrivateKey(files.key)))
    throw new Error('the key is not that of the certificate');
}
