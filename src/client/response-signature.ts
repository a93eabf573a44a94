// Signed answers (licensing.md 6.13).
import { fromBase64url, hex, sha256, utf8 } from './bytes.ts';
import { TOLERANCE_MS } from './clock.ts';
import { type Delegation, type DelegationFault, openDelegation, type TrustBase } from './delegation.ts';
import { isSigned, NoEd25519Error } from './ed25519.ts';
import { ClientError } from './errors.ts';
import type { Events } from './events.ts';
import type { Received } from './transport.ts';

/** An answer as it came over the wire, with the nonce of its question. */
export type Signable = Received & { nonce: string };

/** @returns the server's time in Unix milliseconds when the answer proves it, null when it is unsigned */
export type SignatureCheck = (answer: Signable) => Promise<number | null>;

/** Delegations change once a year: a few are enough for every product of an application. */
const MOST_DELEGATIONS = 16;

/**
 * Judges the signatures of answers. In `verify` an answer counts as unsigned when its delegation comes from a root
 * key that the application does not embed, is not in force by the own clock, or when the platform cannot verify:
 * whoever could forge that could as well leave the signature away, and neither clients of an older root key nor
 * machines whose clock is wrong must lose their server.
 *
 * @param mode `require` refuses what counts as unsigned
 */
export function signatureCheck(
  mode: 'off' | 'verify' | 'require',
  trust: TrustBase,
  now: () => number,
  events: Events,
): SignatureCheck {
  const judge = judgeWith(trust, now);
  let told = false;
  return async (answer) => {
    if (mode === 'off') return null;
    const verdict = await judge(answer).catch((error: unknown) => {
      if (!(error instanceof NoEd25519Error) || mode === 'require') throw error;
      if (!told) events.emit('background-error', error);
      told = true;
      return 'UNSIGNED' as const;
    });
    if (typeof verdict === 'number') return verdict;
    if (verdict === 'UNSIGNED' && mode === 'verify') return null;
    const text = verdict === 'UNSIGNED' ? 'the answer is not signed' : 'the signature of the answer is wrong';
    throw new ClientError('RESPONSE_SIGNATURE', text);
  };
}

/** Judges answers whatever the options say. It rejects with NoEd25519Error where nothing can be verified. */
export function judgeWith(trust: TrustBase, now: () => number) {
  const open = cachedDelegations(trust, now);
  let newest = 0;
  return async ({ status, header, bytes, nonce }: Signable): Promise<number | 'UNSIGNED' | 'WRONG'> => {
    const date = header('X-Response-Date');
    const signature = header('X-Response-Signature');
    const delegated = header('X-Response-Delegation');
    if (date === null || signature === null || delegated === null) return 'UNSIGNED';
    const [, keyId, sig = ''] = /^v1;kid=([0-9a-f]+);sig=([\w-]+)$/.exec(signature) ?? [];
    const key = await open(delegated);
    if (key === 'UNKNOWN_ROOT' || key === 'NOT_IN_FORCE') return 'UNSIGNED';
    const at = Date.parse(date);
    if (key === 'INVALID' || key.keyId !== keyId || Number.isNaN(at)) return 'WRONG';
    const text = `response/v1\n${status}\n${date}\n${nonce}\n${hex(await sha256(bytes))}`;
    if (!(await isSigned(trust.verify, key.publicKey, utf8(text), fromBase64url(sig)))) return 'WRONG';
    // The nonce proves that the answer is fresh, so an earlier signed date is the one clock to be trusted here.
    if (at < newest - TOLERANCE_MS) return 'WRONG';
    newest = Math.max(newest, at);
    return at;
  };
}

/** Delegations are the same on every answer: a good one is judged once and then kept until it ends (7.3). */
function cachedDelegations(trust: TrustBase, now: () => number) {
  const known = new Map<string, Delegation>();
  return async (text: string): Promise<Delegation | DelegationFault> => {
    const kept = known.get(text);
    if (kept !== undefined && now() < kept.exp * 1000) return kept;
    const [payload = '', signature = ''] = text.split('.');
    const opened = await openDelegation(trust, { payload, signature }, 'response', now());
    if (typeof opened !== 'string') {
      if (known.size >= MOST_DELEGATIONS) known.clear();
      known.set(text, opened);
    }
    return opened;
  };
}
