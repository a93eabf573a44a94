// What R10 tries: spellings, names that lie, redirects; and what each must come to.
import type { DnsBehavior } from '../../support/dns-server.ts';
import {
  closedPorts,
  insideNames,
  loopbackHosts,
  malformed,
  otherLocalHosts,
  privateHosts,
  publicHosts,
} from '../../support/target-spellings.ts';

/** Where the receiver that may be reached listens, on the public internet of the namespace. */
export const PUBLIC = '93.184.216.34';
/** Every address that may be connected to. */
export const PUBLIC_ADDRESSES: readonly string[] = [
  PUBLIC,
  ...publicHosts.map((host) => host.replaceAll(/[[\]]/g, '')),
];
/** A name that leads there. */
export const HONEST = 'hooks.example.com';

const inAllForms = (hosts: readonly string[]): string[] =>
  hosts.flatMap((host) => [`https://${host}/x`, `http://${host}:8080/x`]);

/** Refused at save, and blocked when they are stored all the same. */
export const refusedUrls: readonly string[] = [
  ...inAllForms(loopbackHosts),
  ...inAllForms(otherLocalHosts),
  ...privateHosts.map((host) => `http://${host}/x`),
  ...inAllForms(insideNames),
  ...malformed.map(([text]) => text),
  ...closedPorts.map((port) => `http://${PUBLIC}:${port}/x`),
];

/** Taken, and reached: the client is not merely broken. */
export const takenUrls: readonly string[] = [
  `http://${PUBLIC}/x`,
  `http://${HONEST}:8080/x`,
  `https://${HONEST}/x`,
  ...publicHosts.map((host) => `http://${host}/x`),
  // Another program may think that the host is behind the at sign.
  `https://${HONEST}#@127.0.0.1/`,
];

/** What an answer of the look-up must come to: `either` for a name whose answers alternate. */
export interface NameCase {
  name: string;
  behavior: DnsBehavior;
  atSave: 'taken' | 'refused' | 'either';
  atDelivery: 'blocked' | 'failed' | 'reached' | 'either';
}

const bad = (addresses: string[], more: object = {}): Omit<NameCase, 'name'> => ({
  behavior: { addresses, ...more },
  atSave: 'refused',
  atDelivery: 'blocked',
});
const dead = (behavior: DnsBehavior): Omit<NameCase, 'name'> => ({
  behavior,
  atSave: 'taken',
  atDelivery: 'failed',
});
/** The first answer, the third ... are public, the others are not, or the other way round. */
const flipping = (odd: 0 | 1, inside: string): Omit<NameCase, 'name'> => ({
  behavior: (n) => ({ addresses: [n % 2 === odd ? PUBLIC : inside] }),
  atSave: 'either',
  atDelivery: 'either',
});

const behaviors: Readonly<Record<string, Omit<NameCase, 'name'>>> = {
  private: bad(['10.9.9.9']),
  loopback: bad(['127.0.0.1']),
  metadata: bad(['169.254.169.254']),
  unspecified: bad(['0.0.0.0']),
  'loopback-6': bad(['::1']),
  mapped: bad(['::ffff:127.0.0.1']),
  'nat-64': bad(['64:ff9b::7f00:1']),
  '6-to-4': bad(['2002:7f00:1::']),
  'public-first': bad([PUBLIC, '127.0.0.1']),
  'public-last': bad(['10.9.9.9', PUBLIC]),
  'public-and-mapped': bad([PUBLIC, '::ffff:127.0.0.1']),
  'public-and-local-6': bad([PUBLIC, 'fd00:ec2::254']),
  alias: bad(['10.9.9.9'], { via: ['inside.example.net'] }),
  'alias-of-localhost': bad(['127.0.0.1'], { via: ['localhost'] }),
  seventeen: bad(Array.from({ length: 17 }, (_, i) => `93.184.216.${i + 1}`)),
  late: bad(['10.9.9.9'], { delayMs: 300 }),
  'late-second-family': {
    ...bad([]),
    behavior: (_n, type) =>
      type === 'A' ? { addresses: [PUBLIC] } : { addresses: ['::ffff:169.254.169.254'], delayMs: 200 },
  },
  'rebinds-to-loopback': flipping(0, '127.0.0.1'),
  'rebinds-to-private': flipping(0, '10.9.9.9'),
  'rebinds-first': flipping(1, '169.254.169.254'),
  nobody: dead({ code: 'NXDOMAIN' }),
  broken: dead({ code: 'SERVFAIL' }),
  empty: dead({}),
  truncated: dead({ truncated: true }),
  honest: { behavior: { addresses: [PUBLIC] }, atSave: 'taken', atDelivery: 'reached' },
};

export const nameCases: readonly NameCase[] = Object.entries(behaviors).map(([label, one]) => ({
  name: `${label}.example.com`,
  ...one,
}));

/** Where the public receiver sends those who ask for `/redirect/STATUS`. */
export const redirects: Readonly<Record<string, string>> = {
  301: 'http://127.0.0.1/from-301',
  302: 'https://10.9.9.9/from-302',
  303: 'http://169.254.169.254/latest/meta-data/',
  307: 'http://[::1]:8080/from-307',
  308: '//127.0.0.1:3000/from-308',
};
