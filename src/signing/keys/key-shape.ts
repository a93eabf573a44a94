import * as ed25519 from '#kernel/ed25519.ts';

/** Characters of a key's label, its `--comment` (licensing 8.2). */
export const MAX_LABEL_LENGTH = 100;

/** Where a key stands in its product's rotation (D98). */
export type KeyStatus = 'ACTIVE' | 'NEXT' | 'RETIRED';

/** What is known about a key beside its bytes. */
export interface KeyFacts {
  /** Slug of the product. */
  readonly product: string;
  /** Null for a key that no database knows. */
  readonly status: KeyStatus | null;
  /** ISO 8601 UTC with milliseconds. */
  readonly createdAt: string;
  /** Whether the private part is stored encrypted, in a file or by the server. */
  readonly encrypted: boolean;
  readonly registered: boolean;
  readonly serverHeld: boolean;
}

/** The printed form of a key (cli 2, Key). */
export interface KeyShape extends KeyFacts {
  readonly keyId: string;
  readonly algorithm: 'ed25519';
  /** SHA-256 over the raw public key, hex. */
  readonly fingerprint: string;
  /** 32 raw bytes in base64. */
  readonly publicKey: string;
  readonly publicKeyPem: string;
}

/** Makes the printed form of a public key of 32 raw bytes. */
export function keyShape(publicKey: Buffer, facts: KeyFacts): KeyShape {
  return {
    keyId: ed25519.keyIdOf(publicKey),
    product: facts.product,
    algorithm: 'ed25519',
    fingerprint: ed25519.fingerprintOf(publicKey),
    publicKey: publicKey.toString('base64'),
    publicKeyPem: ed25519.publicKeyToPem(publicKey),
    status: facts.status,
    createdAt: facts.createdAt,
    encrypted: facts.encrypted,
    registered: facts.registered,
    serverHeld: facts.serverHeld,
  };
}
