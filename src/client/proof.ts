// What proves a kept answer: its text as it was signed (licensing.md 6.13), so that editing the storage forges none.
import { utf8 } from './bytes.ts';
import { NoEd25519Error } from './ed25519.ts';
import type { Json } from './json.ts';
import type { Settings } from './options.ts';
import { judgeWith } from './response-signature.ts';
import { isObject, isText, type JsonObject, parseObject } from './shape.ts';
import type { Received } from './transport.ts';

const HEADERS = {
  date: 'X-Response-Date',
  signature: 'X-Response-Signature',
  delegation: 'X-Response-Delegation',
};

/** A signed answer, and everything that its signature covers. */
export type Proof = Record<'text' | 'nonce' | keyof typeof HEADERS, string>;

/** An answer, and what proves it also later; null for an unsigned one. */
export interface Provable {
  body: JsonObject;
  proof: Proof | null;
}

/** In place of the license key, which is a secret and is not stored. No text of JSON holds this character. */
const KEY_PLACE = '\u0001';

/** Of an answer whose signature was found to be good. */
export const proofOf = ({ header }: Received, text: string, nonce: string): Proof => ({
  text,
  nonce,
  date: header(HEADERS.date) ?? '',
  signature: header(HEADERS.signature) ?? '',
  delegation: header(HEADERS.delegation) ?? '',
});

/** @returns null for an unsigned answer, and for one that spells the key in a way that could not be put back */
export function keptProof({ body, proof }: Provable, licenseKey: string | null): Json {
  if (proof === null) return null;
  const spellings = spellingsOf(licenseKey);
  const shown = keyIn(body);
  if (shown !== null && !spellings.includes(shown)) return null;
  const text = shown === null ? proof.text : proof.text.replaceAll(shown, KEY_PLACE);
  const isSecret = spellings.every((key) => key === '' || !text.includes(key));
  return isSecret ? { ...proof, text } : null;
}

/**
 * Judges a kept proof as the answer was judged when it came: the delegation at the date of the answer, since the own
 * clock is judged elsewhere.
 *
 * @returns the answer, and when it was signed in Unix milliseconds; UNSIGNED where `signedResponses` takes it without a
 *   proof; WRONG when it must not be used
 */
export async function reopen(
  settings: Settings,
  kept: Json | undefined,
  licenseKey: string | null,
): Promise<{ body: JsonObject; at: number } | 'UNSIGNED' | 'WRONG'> {
  const unsigned = settings.signedResponses === 'require' ? 'WRONG' : 'UNSIGNED';
  if (settings.signedResponses === 'off' || (kept ?? null) === null) return unsigned;
  const proof = proofIn(kept);
  if (proof === null) return 'WRONG';
  for (const key of spellingsOf(licenseKey)) {
    const text = proof.text.replaceAll(KEY_PLACE, key);
    const at = await judge(settings, { ...proof, text });
    if (at === 'UNSIGNED') return unsigned;
    const body = at === 'WRONG' ? null : parseObject(text);
    // The answer about the license of somebody else is signed too.
    if (at !== 'WRONG' && body !== null && [null, key].includes(keyIn(body))) return { body, at };
  }
  return 'WRONG';
}

/** As it was typed, and as the server may know it (D11). */
function spellingsOf(licenseKey: string | null): string[] {
  const typed = (licenseKey ?? '').trim();
  const [brand, ...rest] = typed.toUpperCase().split('-');
  const read = rest.map((part) => part.replaceAll('O', '0').replace(/[IL]/g, '1'));
  return [...new Set([typed, typed.toUpperCase(), [brand, ...read].join('-')])];
}

const keyIn = ({ license }: JsonObject): string | null =>
  isObject(license) && isText(license.key) ? license.key : null;

function proofIn(kept: Json | undefined): Proof | null {
  if (!isObject(kept)) return null;
  const names = ['text', 'nonce', ...Object.keys(HEADERS)];
  return names.every((name) => isText(kept[name])) ? (kept as Proof) : null;
}

function judge(settings: Settings, { text, nonce, ...parts }: Proof): Promise<number | 'UNSIGNED' | 'WRONG'> {
  const headers = new Map(
    Object.entries(HEADERS).map(([part, name]) => [name, parts[part as keyof typeof parts]]),
  );
  const header = (name: string): string | null => headers.get(name) ?? null;
  return judgeWith(settings, () => Date.parse(parts.date))({
    status: 200,
    header,
    bytes: utf8(text),
    nonce,
  }).catch((error: unknown) => (error instanceof NoEd25519Error ? 'UNSIGNED' : 'WRONG'));
}
