import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  timingSafeEqual,
} from 'node:crypto';
import { secureRandom } from './random.ts';

/** What a sub-key of the master key is for; the labels are part of the stored format (reliability M12). */
export type KeyUse = 'lookup' | 'license-key' | 'api-key' | 'secret' | 'cookie' | 'csrf' | 'audit';

/** Sub-keys of the instance's master key. A database copy without that key reveals no secret (D134). */
export interface Keyring {
  /** Names the master key in every ciphertext, so that a wrong key is recognised before it is used. */
  readonly keyId: string;
  /** Keyed digest for look-ups: HMAC-SHA256, base64url. Equal texts give equal digests. */
  digest(use: KeyUse, text: string): string;
  /**
   * AES-256-GCM with a fresh iv: `v1.<key id>.<iv>.<ciphertext>.<tag>`.
   * `owner` is bound to the ciphertext: moved to another row it does not open (M11).
   */
  seal(use: KeyUse, text: string, owner: string): string;
  /** The sealed text. Throws SealError when key, owner or bytes differ. */
  open(use: KeyUse, sealed: string, owner: string): string;
}

/** A ciphertext that this master key does not open: wrong key, moved or altered. */
export class SealError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'SealError';
  }
}

export const MASTER_KEY_BYTES = 32;

/** A new master key, base64url. */
export const newMasterKey = (): string => secureRandom(MASTER_KEY_BYTES).toString('base64url');

/**
 * Reads a master key in one of the forms an operator may hand over.
 *
 * @param text 32 bytes as base64url, base64 or hex; surrounding white space is ignored
 * @throws SealError when the text is no 32-byte key
 */
export function parseMasterKey(text: string): Buffer {
  const trimmed = text.trim();
  const key = /^[0-9a-f]{64}$/i.test(trimmed)
    ? Buffer.from(trimmed, 'hex')
    : Buffer.from(trimmed, 'base64url');
  const strict = /^[0-9a-f]{64}$/i.test(trimmed) || /^[A-Za-z0-9+/_-]{43}=?$/.test(trimmed);
  if (!strict || key.length !== MASTER_KEY_BYTES) {
    throw new SealError('the master key must be 32 bytes in base64url, base64 or hex');
  }
  return key;
}

/** Derives the keyring of a master key (32 bytes) by HKDF-SHA256. */
export function keyringOf(masterKey: Buffer): Keyring {
  const derived = new Map<KeyUse, KeyObject>();
  const derive = (label: string) =>
    Buffer.from(hkdfSync('sha256', masterKey, Buffer.alloc(0), `appctl/${label}`, 32));
  // Key objects, because handing raw bytes to node:crypto costs seven times the digest itself.
  const keyOf = (use: KeyUse): KeyObject => {
    let key = derived.get(use);
    if (!key) {
      key = createSecretKey(derive(use));
      derived.set(use, key);
    }
    return key;
  };
  const keyId = derive('key-id').subarray(0, 4).toString('hex');
  return {
    keyId,
    digest: (use, text) => createHmac('sha256', keyOf(use)).update(text).digest('base64url'),
    seal: (use, text, owner) => seal(keyOf(use), keyId, text, owner),
    open: (use, sealed, owner) => open(keyOf(use), keyId, sealed, owner),
  };
}

function seal(key: KeyObject, keyId: string, text: string, owner: string): string {
  const iv = secureRandom(12);
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(owner));
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  const parts = [iv, body, cipher.getAuthTag()].map((part) => part.toString('base64url'));
  return `v1.${keyId}.${parts.join('.')}`;
}

function open(key: KeyObject, keyId: string, sealed: string, owner: string): string {
  const [version, sealedBy, iv, body, tag] = sealed.split('.');
  if (version !== 'v1' || !sealedBy || !iv || body === undefined || !tag) {
    throw new SealError('a stored secret is not in the form v1.<key id>.<iv>.<ciphertext>.<tag>');
  }
  if (sealedBy !== keyId) {
    throw new SealError(
      `a stored secret was encrypted with master key ${sealedBy}, but this installation has ${keyId}`,
    );
  }
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(iv, 'base64url'), {
      authTagLength: 16,
    });
    decipher.setAAD(Buffer.from(owner)).setAuthTag(Buffer.from(tag, 'base64url'));
    return decipher.update(body, 'base64url', 'utf8') + decipher.final('utf8');
  } catch {
    throw new SealError('a stored secret was altered or belongs to another row');
  }
}

/** How many bytes a sealed text has, which sealing does not hide. */
export const sealedBytes = (sealed: string): number =>
  Math.floor(((sealed.split('.')[3]?.length ?? 0) * 3) / 4);

/** `prefix` and 256 random bits, base64url: API keys, tokens, one-time links. */
export const newToken = (prefix: string): string => `${prefix}${secureRandom(32).toString('base64url')}`;

/** SHA-256 as lower-case hex. */
export const sha256Hex = (data: string | Uint8Array): string =>
  createHash('sha256').update(data).digest('hex');

/** HMAC-SHA256 of a text's UTF-8 bytes under a secret, as lower-case hex. */
export const hmacSha256Hex = (secret: string, text: string): string =>
  createHmac('sha256', secret).update(text).digest('hex');

/** Compares two secrets without telling by time where they differ. */
export function equalSecrets(a: string, b: string): boolean {
  const [left, right] = [a, b].map((text) => createHash('sha256').update(text).digest()) as [Buffer, Buffer];
  return timingSafeEqual(left, right);
}
