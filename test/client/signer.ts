// The keys of a vendor and what they sign, made with node:crypto: the other side of what the client verifies.
import { createHash } from 'node:crypto';
import { generateSeed, publicKeyToPem, type SigningKey, signingKeyOf } from '#kernel/ed25519.ts';

export const product = 'editor';
export const machineId = 'machine-0001';
/** Where every test begins: 2026-03-01T12:00:00Z in Unix seconds. */
export const startSeconds = Date.parse('2026-03-01T12:00:00Z') / 1000;

export const newKey = (): SigningKey => signingKeyOf(generateSeed());
export const root = newKey();
export const online = newKey();
export const rootPem = publicKeyToPem(root.publicKey);

/** A text that is signed as it stands: base64url of the JSON. */
export const encode = (payload: unknown): string =>
  Buffer.from(JSON.stringify(payload)).toString('base64url');
export const digest = (text: string): string => createHash('sha256').update(text, 'utf8').digest('base64url');
const signed = (key: SigningKey, kind: string, text: string): string =>
  key.sign(Buffer.from(`${kind}/${text}`)).toString('base64url');

/** Claims of a delegation of the online key by the root key. */
export const delegationClaims = (more: object = {}) => ({
  v: 1,
  prd: product,
  root: root.keyId,
  kid: online.keyId,
  pub: online.publicKey.toString('base64url'),
  use: ['license', 'timestamp', 'response'],
  nbf: startSeconds - 86_400,
  exp: startSeconds - 86_400 + 34_560_000,
  ...more,
});

/** `DP.DS` */
export function delegation(claims: object = delegationClaims(), key = root): string {
  const payload = encode(claims);
  return `${payload}.${signed(key, 'delegation', payload)}`;
}

/** Claims of a token for thirty days of a perpetual license. */
export const tokenClaims = (more: object = {}) => ({
  v: 1,
  kid: online.keyId,
  jti: 'tok_1',
  lid: 'lic_1',
  prd: product,
  keyPrefix: 'APP-AAAA',
  st: 'ACTIVE',
  typ: 'PERPETUAL',
  tier: 'PERSONAL',
  mode: 'STANDARD',
  mid: digest(machineId),
  feat: { sso: true },
  mxv: null,
  vu: null,
  graceUntil: null,
  iat: startSeconds,
  nbf: startSeconds - 300,
  exp: startSeconds + 2_592_000,
  ...more,
});

/** `license/<P>.<S>.<DP>.<DS>` */
export function token(
  claims: object = tokenClaims(),
  { key = online, delegated = delegation() } = {},
): string {
  const payload = encode(claims);
  return `license/${payload}.${signed(key, 'license', payload)}.${delegated}`;
}

/** The headers of a signed answer (licensing.md 6.13). */
export function signatureHeaders(
  { status, body, nonce, date }: { status: number; body: string; nonce: string; date: string },
  {
    key = online,
    delegated = delegation(),
    keyId,
  }: { key?: SigningKey; delegated?: string; keyId?: string } = {},
): Record<string, string> {
  const hash = createHash('sha256').update(body).digest('hex');
  const text = `response/v1\n${status}\n${date}\n${nonce}\n${hash}`;
  return {
    'X-Response-Date': date,
    'X-Response-Signature': `v1;kid=${keyId ?? key.keyId};sig=${key.sign(Buffer.from(text)).toString('base64url')}`,
    'X-Response-Delegation': delegated,
  };
}
