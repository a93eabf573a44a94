// Verifies what an online key signed, step by step as licensing 6.2 and 6.13 tell a client, with node:crypto alone.
import { createHash, createPublicKey, verify } from 'node:crypto';

/** Claims of a payload, as they came. */
export type Claims = Record<string, unknown> & { exp: number; nbf: number; iat: number };

/** What a client knows besides the token. `now` and `lastSeen` are Unix seconds. */
export type Verifier = {
  /** 32 raw bytes each. */
  rootKeys: Buffer[];
  product: string;
  machineId: string;
  now: number;
  lastSeen?: number;
};

/** Ed25519 over ASCII text; keys and signatures as raw bytes. */
export function signedBy(publicKey: Buffer, message: string, signature: Buffer): boolean {
  const x = publicKey.toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  return signature.length === 64 && verify(null, Buffer.from(message, 'ascii'), key, signature);
}

/** First 16 hex characters of the SHA-256 over the raw key. */
export const idOf = (publicKey: Buffer): string =>
  createHash('sha256').update(publicKey).digest('hex').slice(0, 16);

export const claimsIn = (payload: string): Claims =>
  JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as Claims;

/**
 * The online public key that a delegation vouches for.
 * @param compact `<DP>.<DS>`
 * @returns null when it does not
 */
export function delegatedKey(
  compact: string,
  use: string,
  client: Omit<Verifier, 'machineId'>,
): Buffer | null {
  const [payload = '', signature = ''] = compact.split('.');
  const claims = claimsIn(payload);
  const root = client.rootKeys.find((key) => idOf(key) === claims.root);
  if (!root || !signedBy(root, `delegation/${payload}`, Buffer.from(signature, 'base64url'))) return null;
  const inTime = client.now >= claims.nbf && client.now < claims.exp;
  if (claims.v !== 1 || claims.prd !== client.product || !inTime) return null;
  if (!(claims.use as string[]).includes(use)) return null;
  const publicKey = Buffer.from(claims.pub as string, 'base64url');
  return idOf(publicKey) === claims.kid ? publicKey : null;
}

/** @returns `VALID`, `GRACE` or the reason of licensing 6.2, and the claims when the form is good */
export function verifyOfflineToken(
  token: string,
  client: Verifier,
): { result: string; claims: Claims | null } {
  const [kind, rest = ''] = token.split('/');
  const parts = rest.split('.');
  if (kind !== 'license' || parts.length !== 4) return { result: 'MALFORMED', claims: null };
  const [payload, signature, ...delegation] = parts as [string, string, string, string];
  const claims = claimsIn(payload);
  const { now, lastSeen = 0, product } = client;
  const judge = (): string => {
    if (claims.v !== 1) return 'MALFORMED';
    const key = delegatedKey(delegation.join('.'), 'license', client);
    if (key === null) return 'DELEGATION_INVALID';
    const isSigned = signedBy(key, `license/${payload}`, Buffer.from(signature, 'base64url'));
    if (!isSigned || claims.kid !== idOf(key) || claims.prd !== product) return 'SIGNATURE_INVALID';
    const digest = createHash('sha256').update(client.machineId, 'utf8').digest('base64url');
    if (claims.mid !== digest) return 'WRONG_MACHINE';
    if (now < Math.max(claims.iat, lastSeen) - 300) return 'CLOCK_ROLLED_BACK';
    if (now < claims.nbf || now >= claims.exp) return 'TOKEN_EXPIRED';
    if (claims.st === 'ACTIVE' && (claims.vu === null || now < (claims.vu as number))) return 'VALID';
    return claims.graceUntil !== null && now < (claims.graceUntil as number) ? 'GRACE' : 'EXPIRED';
  };
  return { result: judge(), claims };
}
