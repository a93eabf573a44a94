// Signs tokens and releases as an installation does, and as it never would.
import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

/** An Ed25519 key with its raw public half. */
export interface SigningPair {
  readonly publicKey: Buffer;
  readonly keyId: string;
  sign(message: string | Buffer): Buffer;
}

export function newPair(): SigningPair {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  return pairOf(publicKey, privateKey);
}

function pairOf(publicKey: KeyObject, privateKey: KeyObject): SigningPair {
  const raw = Buffer.from(publicKey.export({ format: 'jwk' }).x as string, 'base64url');
  return {
    publicKey: raw,
    keyId: createHash('sha256').update(raw).digest('hex').slice(0, 16),
    sign: (message) => sign(null, Buffer.from(message), privateKey),
  };
}

export const PRODUCT = 'editor';
export const MACHINE = 'machine-0001';
export const VERSION = '2.1.0';
/** Unix seconds at which the examples judge, unless a case says otherwise. */
export const NOW = 1_795_858_200;

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
export const sha256 = (bytes: string | Buffer): Buffer => createHash('sha256').update(bytes).digest();

/** What differs from a good token. */
export interface TokenChange {
  claims?: Record<string, unknown>;
  delegation?: Record<string, unknown>;
  /** Signs in place of the online key. */
  signer?: SigningPair;
  /** Signs in place of the root key. */
  root?: SigningPair;
  /** Changes the finished text. */
  text?: (token: string) => string;
}

/** A token of the product for the machine, made 100 seconds ago and good for an hour. */
export function tokenOf(root: SigningPair, online: SigningPair, change: TokenChange): string {
  const payload = encoded({
    v: 1,
    kid: online.keyId,
    jti: 'tok_01KB3Q8Z5T8N4W2X6Y7V9C1D3F',
    lid: 'lic_01KB3Q8Z5T8N4W2X6Y7V9C1D3F',
    prd: PRODUCT,
    keyPrefix: 'APP-7F3K',
    st: 'ACTIVE',
    typ: 'SUBSCRIPTION',
    tier: 'PERSONAL',
    mode: 'STANDARD',
    mid: sha256(MACHINE).toString('base64url'),
    feat: { export: true },
    mxv: null,
    vu: null,
    graceUntil: null,
    iat: NOW - 100,
    nbf: NOW - 400,
    exp: NOW + 3600,
    ...change.claims,
  });
  const delegated = encoded({
    v: 1,
    prd: PRODUCT,
    root: root.keyId,
    kid: online.keyId,
    pub: online.publicKey.toString('base64url'),
    use: ['license', 'timestamp'],
    nbf: NOW - 86_400,
    exp: NOW + 86_400,
    ...change.delegation,
  });
  const signature = (change.signer ?? online).sign(`license/${payload}`).toString('base64url');
  const rootSignature = (change.root ?? root).sign(`delegation/${delegated}`).toString('base64url');
  const token = `license/${payload}.${signature}.${delegated}.${rootSignature}`;
  return change.text?.(token) ?? token;
}

/** What differs from a good signature of a bundle. */
export interface ReleaseChange {
  statement?: Record<string, unknown>;
  /** Signs the bundle in place of the root key. */
  signer?: SigningPair;
  /** Signs the statement in place of the root key. */
  statementSigner?: SigningPair;
  record?: Record<string, unknown>;
}

/** What `release sign` writes beside a bundle: its FILE.sig.json. */
export function recordOf(root: SigningPair, bundle: Buffer, change: ReleaseChange): object {
  const digest = sha256(bundle);
  const payload = {
    v: 1,
    product: PRODUCT,
    channel: 'stable',
    platform: '',
    arch: '',
    version: '2.2.0',
    sha256: digest.toString('hex'),
    size: bundle.length,
    sequence: 7,
    isCritical: false,
    requiresMigration: false,
    minFromVersion: null,
    kid: root.keyId,
    issuedAt: new Date((NOW - 60) * 1000).toISOString(),
    expiresAt: new Date((NOW + 60) * 1000).toISOString(),
    ...change.statement,
  };
  const statement = `release/${encoded(payload)}`;
  return {
    size: bundle.length,
    sha256: digest.toString('hex'),
    signature: (change.signer ?? root).sign(digest).toString('base64'),
    statement,
    statementSignature: (change.statementSigner ?? root).sign(statement).toString('base64'),
    ...change.record,
  };
}
