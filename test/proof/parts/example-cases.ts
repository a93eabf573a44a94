// What verifiers in other languages are asked, and what each has to answer.
import {
  MACHINE,
  NOW,
  newPair,
  type ReleaseChange,
  recordOf,
  type SigningPair,
  sha256,
  type TokenChange,
  tokenOf,
} from './example-keys.ts';

/** One question. */
export interface ExampleCase {
  readonly name: string;
  readonly answer: string;
  /** Unix seconds. */
  readonly now: number;
  /** Of a token; else a release is asked about. */
  readonly token?: string;
  readonly bundle?: Buffer;
  readonly record?: object;
}

type TokenRow = [name: string, answer: string, change: TokenChange, now?: number];

const tokenRows = (online: SigningPair, foreign: SigningPair): TokenRow[] => [
  ['a good token', 'VALID', {}],
  ['white space in it', 'VALID', { text: (token) => `  ${token.slice(0, 60)}\n ${token.slice(60)}\r\n` }],
  ['no text', 'MALFORMED', { text: () => '' }],
  ['another kind', 'MALFORMED', { text: (token) => token.replace('license/', 'timestamp/') }],
  ['three parts', 'MALFORMED', { text: (token) => token.slice(0, token.lastIndexOf('.')) }],
  ['foreign characters', 'MALFORMED', { text: (token) => token.replace('.', '!.') }],
  ['a payload that is no JSON', 'MALFORMED', { text: (token) => token.replace('license/ey', 'license/AA') }],
  ['another version', 'MALFORMED', { claims: { v: 2 } }],
  ['another version of delegations', 'DELEGATION_INVALID', { delegation: { v: 2 } }],
  [
    'a root key that nobody embeds',
    'DELEGATION_INVALID',
    { root: foreign, delegation: { root: foreign.keyId } },
  ],
  ['a delegation signed by another key', 'DELEGATION_INVALID', { root: foreign }],
  ['a delegation signed by the online key', 'DELEGATION_INVALID', { root: online }],
  ['a delegation for another product', 'DELEGATION_INVALID', { delegation: { prd: 'viewer' } }],
  ['a delegation for other uses', 'DELEGATION_INVALID', { delegation: { use: ['timestamp', 'response'] } }],
  ['a delegation of 401 days', 'DELEGATION_INVALID', { delegation: { exp: NOW - 86_400 + 401 * 86_400 } }],
  ['a delegation that ended', 'DELEGATION_INVALID', { delegation: { exp: NOW } }],
  ['a delegation of tomorrow', 'DELEGATION_INVALID', { delegation: { nbf: NOW + 301 } }],
  ['a delegation of just now, by another clock', 'VALID', { delegation: { nbf: NOW + 299 } }],
  ['a delegation that names another key', 'DELEGATION_INVALID', { delegation: { kid: foreign.keyId } }],
  ['a token signed by another key', 'SIGNATURE_INVALID', { signer: foreign }],
  ['a token that names another key', 'SIGNATURE_INVALID', { claims: { kid: foreign.keyId } }],
  ['a token for another product', 'SIGNATURE_INVALID', { claims: { prd: 'viewer' } }],
  [
    'a token for another machine',
    'WRONG_MACHINE',
    { claims: { mid: sha256('machine-0002').toString('base64url') } },
  ],
  ['a token for the name of the machine', 'WRONG_MACHINE', { claims: { mid: MACHINE } }],
  ['a clock that was set back', 'CLOCK_ROLLED_BACK', {}, NOW - 401],
  ['a clock that is a little behind', 'VALID', {}, NOW - 399],
  ['the second before its end', 'VALID', {}, NOW + 3599],
  ['its end', 'TOKEN_EXPIRED', {}, NOW + 3600],
  ['before it begins', 'TOKEN_EXPIRED', { claims: { nbf: NOW + 1 } }],
  ['a license that runs', 'VALID', { claims: { vu: NOW + 1 } }],
  ['a license that ended', 'EXPIRED', { claims: { vu: NOW } }],
  ['a license that had ended', 'EXPIRED', { claims: { st: 'EXPIRED', vu: NOW + 1 } }],
  ['a license in its grace period', 'GRACE', { claims: { vu: NOW, graceUntil: NOW + 1 } }],
  ['a grace period that had begun', 'GRACE', { claims: { st: 'EXPIRED', vu: NOW - 9, graceUntil: NOW + 1 } }],
  ['a grace period that ended', 'EXPIRED', { claims: { vu: NOW - 9, graceUntil: NOW } }],
  ['the major version', 'VALID', { claims: { mxv: '2' } }],
  ['the minor version', 'VALID', { claims: { mxv: '2.1' } }],
  ['the version itself', 'VALID', { claims: { mxv: '2.1.0' } }],
  ['a later major version', 'VALID', { claims: { mxv: '10' } }],
  ['the major version before', 'VERSION_NOT_ALLOWED', { claims: { mxv: '1' } }],
  ['a higher minor of the major version before', 'VERSION_NOT_ALLOWED', { claims: { mxv: '1.9' } }],
  ['the minor version before', 'VERSION_NOT_ALLOWED', { claims: { mxv: '2.0' } }],
];

const BUNDLE = Buffer.from('the bundle of a release');

type ReleaseRow = [name: string, answer: string, change: ReleaseChange, now?: number, bundle?: Buffer];

const releaseRows = (foreign: SigningPair): ReleaseRow[] => [
  ['a good release', 'VALID', {}],
  ['the hash in capitals', 'VALID', { record: { sha256: sha256(BUNDLE).toString('hex').toUpperCase() } }],
  ['another bundle', 'HASH_MISMATCH', {}, NOW, Buffer.from('the bundle of a releasE')],
  ['an empty bundle', 'HASH_MISMATCH', {}, NOW, Buffer.alloc(0)],
  ['a bundle signed by another key', 'BAD_SIGNATURE', { signer: foreign }],
  ['a signature that is none', 'BAD_SIGNATURE', { record: { signature: 'AAAA' } }],
  ['no statement', 'STATEMENT_INVALID', { record: { statement: undefined, statementSignature: undefined } }],
  ['a statement signed by another key', 'STATEMENT_INVALID', { statementSigner: foreign }],
  ['a statement that names another key', 'STATEMENT_INVALID', { statement: { kid: foreign.keyId } }],
  ['a statement about another product', 'STATEMENT_INVALID', { statement: { product: 'viewer' } }],
  ['a statement of another version', 'STATEMENT_INVALID', { statement: { v: 2 } }],
  ['a statement about another bundle', 'STATEMENT_MISMATCH', { statement: { sha256: '0'.repeat(64) } }],
  ['a statement about another size', 'STATEMENT_MISMATCH', { statement: { size: 5 } }],
  ['a release before what is installed', 'ROLLBACK', { statement: { sequence: -1 } }],
  ['the second before a statement ends', 'VALID', {}, NOW + 59],
  ['a statement that ended', 'STATEMENT_EXPIRED', {}, NOW + 60],
];

/** @returns the cases, and the root key that the examples embed as the manual has it: base64 of its DER */
export function exampleCases(): { cases: readonly ExampleCase[]; root: SigningPair; rootKey: string } {
  const [root, online, foreign] = [newPair(), newPair(), newPair()];
  const cases = [
    ...tokenRows(online, foreign).map(([name, answer, change, now = NOW]) => ({
      name,
      answer,
      now,
      token: tokenOf(root, online, change),
    })),
    ...releaseRows(foreign).map(([name, answer, change, now = NOW, bundle = BUNDLE]) => ({
      name,
      answer,
      now,
      bundle,
      record: recordOf(root, BUNDLE, change),
    })),
  ];
  const der = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), root.publicKey]);
  return { cases, root, rootKey: der.toString('base64') };
}
