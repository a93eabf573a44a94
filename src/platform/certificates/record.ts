import { column } from '#kernel/db/column.ts';
import { record, type ValuesOf } from '#kernel/db/record.ts';

const LONG = 100_000;

/**
 * The certificate that an authority issued for a name, with the attempts to get the next one. Every server of the
 * database shows it, whichever of them ordered it.
 */
export const certificateRecord = record(
  'tls_certificates',
  {
    name: column.text(253, 1),
    /** Of the authority. */
    directory: column.text(2000, 1),
    /** With its intermediates, as PEM; null before the first. */
    chain: column.text(LONG).nullable(),
    /** Its private key, sealed. */
    keyEnc: column.text(LONG).nullable().secret(),
    beginsAt: column.time().nullable(),
    endsAt: column.time().nullable(),
    /** Orders that failed since the last one that did not. */
    failures: column.integer(0),
    lastError: column.text(LONG).nullable(),
    /** Nothing is ordered before; null: when it is due. */
    nextAttemptAt: column.time().nullable(),
    createdAt: column.time(),
    updatedAt: column.time(),
  },
  { key: ['name'], kept: 'one for each name, until it is renewed' },
);
export type StoredCertificate = ValuesOf<typeof certificateRecord>;

/** A server of several on one database, with the authority that it is configured for. */
export const acmeServerRecord = record(
  'acme_servers',
  {
    /** As it is named to people: `web-2:/var/lib/appctl`. */
    server: column.text(200, 1),
    /** Of the certificate. */
    name: column.text(253, 1),
    directory: column.text(2000, 1),
    heardAt: column.time(),
    createdAt: column.time(),
  },
  { key: ['server'], kept: [{ as: 'acmeServers', by: 'heardAt', days: 90 }] },
);
export type AcmeServer = ValuesOf<typeof acmeServerRecord>;

export const CHALLENGES = ['http-01', 'tls-alpn-01'] as const;
export type ChallengeType = (typeof CHALLENGES)[number];

/** What an authority that is asked for a certificate will find here, on whichever server it looks. */
export const challengeRecord = record(
  'acme_challenges',
  {
    type: column.choice(CHALLENGES),
    /** The token of an http-01, the name of a tls-alpn-01. */
    subject: column.text(255, 1),
    /** What is answered: a text, or a certificate of the moment with its key as PEM. */
    answer: column.text(LONG).local(),
    createdAt: column.time(),
  },
  { key: ['type', 'subject'], kept: 'minutes, while a certificate is ordered' },
);
export type Challenge = ValuesOf<typeof challengeRecord>;
