// Proof that answers about updates are recent (licensing.md 6.3): timestamp tokens, and what their absence means.
import { base64url, sha256, utf8 } from './bytes.ts';
import type { Channel } from './channels.ts';
import { isoOf, TOLERANCE_MS } from './clock.ts';
import type { Core } from './core.ts';
import { NoEd25519Error } from './ed25519.ts';
import { faultOfOnlineMessage, readOnlineMessage } from './online-message.ts';
import { isInteger } from './shape.ts';
import type { UpdateOffer } from './types.ts';

/** What was asked, and what the answer offers. */
export interface FreshQuestion {
  nonce: string;
  channel: Channel;
  /** The installed version as it was sent. */
  version: string;
  /** License key, key ids and machine id as they were sent, a line each. */
  asker: string;
  offer: UpdateOffer | null;
}

/**
 * Whether a timestamp token proves that the answer was made just now: its nonce is that of the question, so what the
 * clock of the server says may serve beside a clock of the machine that is wrong. It proves nothing else: it is signed
 * by the online key, which can never make a release acceptable.
 */
export async function isFresh(
  { settings, clock }: Core,
  token: string | undefined,
  question: FreshQuestion,
): Promise<boolean> {
  const message = token === undefined ? null : readOnlineMessage('timestamp', token);
  if (message === null || message.body.v !== 1 || message.body.nonce !== question.nonce) return false;
  try {
    if ((await faultOfOnlineMessage(message, settings, clock.now())) !== null) return false;
  } catch (error) {
    // Without Ed25519 nothing can be proven; a release that is offered is refused for the same reason.
    if (error instanceof NoEd25519Error) return false;
    throw error;
  }
  const { ch, plat, arch, cur, ask, iat, exp } = message.body;
  if (!isInteger(iat) || !isInteger(exp)) return false;
  const [from, until] = [iat * 1000 - TOLERANCE_MS, exp * 1000];
  const inTime = [clock.now(), clock.serverNow()].some((now) => now >= from && now < until);
  const { platform: ownPlatform, arch: ownArch } = settings.updates;
  return (
    inTime &&
    ch === question.channel &&
    (plat ?? '') === ownPlatform &&
    (arch ?? '') === ownArch &&
    cur === question.version &&
    // Whoever stands in between may ask in the name of somebody who is offered less.
    ask === (await digestOf(question.asker)) &&
    (await namesOffer(message.body, question.offer))
  );
}

/** A token of another offer, or of none, is the proof of another answer. */
async function namesOffer(
  { offer: named, seq, sts }: Record<string, unknown>,
  offer: UpdateOffer | null,
): Promise<boolean> {
  if (offer === null) return (named ?? null) === null;
  if (named !== offer.version) return false;
  const { signedStatement } = offer;
  if (signedStatement === null) return (sts ?? null) === null;
  return seq === offer.sequence && sts === (await digestOf(signedStatement.text));
}

const digestOf = async (text: string): Promise<string> => base64url(await sha256(utf8(text)));

/** Since when there is no proof. */
export interface Freshness {
  load(): Promise<void>;
  /** There is proof now. */
  note(): Promise<void>;
  /** Tells `update-frozen`, once for each time that it lasts too long. */
  tell(): Promise<void>;
}

export function createFreshness({ store, clock, events, settings }: Core): Freshness {
  /** The last proof, else the first question; Unix milliseconds. */
  let since: number | null = null;
  let told = false;
  const set = async (at: number): Promise<void> => {
    since = at;
    told = false;
    await store.write('fresh', { at });
  };
  return {
    async load() {
      const stored = (await store.read('fresh'))?.at;
      if (isInteger(stored)) since = Math.max(since ?? stored, stored);
      // A time that has not come was kept under a wrong clock, and would hide what happens until then.
      if (since === null || since > clock.latest() + TOLERANCE_MS) await set(clock.latest());
    },
    note: () => set(clock.latest()),
    async tell() {
      if (told || since === null || clock.latest() - since < settings.updates.frozenAfterMs) return;
      told = true;
      events.emit('update-frozen', { since: isoOf(since) ?? '' });
    },
  };
}
