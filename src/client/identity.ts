import { base64url, sha256, utf8 } from './bytes.ts';
import type { Json } from './json.ts';
import type { Settings } from './options.ts';
import { keptProof, type Provable, reopen } from './proof.ts';
import { isInteger, isText } from './shape.ts';
import type { Store } from './storage.ts';
import type { LicensingMode } from './types.ts';
import { modeIn } from './verdict.ts';

/** The mode that opens the application without a license: the one that has to be proven. */
const OPENS = 'HONOR_SYSTEM';

/** Whose license this is, and in which mode. The key itself is never stored: its digest tells whether it changed. */
export interface Identity {
  licenseKey(): string | null;
  /** Grows with each change: an answer to a question about the key before must not be kept. */
  generation(): number;
  mode(): LicensingMode | null;
  /** What an answer says, if anything. @param at when, Unix milliseconds */
  learnMode(answer: Provable, at: number): Promise<void>;
  /** What a token says, which may be older than what is known. @param iat Unix milliseconds */
  learnIssuedMode(mode: LicensingMode, iat: number): Promise<void>;
  /** Takes back what the storage knows. */
  load(): Promise<void>;
  change(key: string | null): Promise<void>;
}

/** @param settings also the first license key. @param forget clears everything that was kept for the key before */
export function createIdentity(settings: Settings, store: Store, forget: () => Promise<void>): Identity {
  let key = settings.licenseKey;
  const mode = rememberMode(store, settings, () => key);
  let generation = 0;
  const clear = async (): Promise<void> => {
    mode.forget();
    generation += 1;
    await store.remove('token', 'answer', 'mode', 'owner');
    await forget();
  };
  /** A token that was imported before any key was known is kept: it proves itself. */
  const adopt = async (): Promise<void> => {
    if (key === null) return;
    const owner = await digestOf(key);
    const known = (await store.read('owner'))?.digest;
    if (owner === known) return;
    if (isText(known)) await clear();
    await store.write('owner', { digest: owner });
  };
  return {
    licenseKey: () => key,
    generation: () => generation,
    mode: mode.get,
    learnMode: mode.learn,
    learnIssuedMode: mode.learnIssued,
    async load() {
      await adopt();
      await mode.load();
    },
    async change(next) {
      if (next === key) return;
      const before = key;
      key = next;
      generation += 1;
      // Told by the keys themselves: a storage that failed does not know whose license it holds.
      if (next === null || (before !== null && (await digestOf(before)) !== (await digestOf(next))))
        await clear();
      await adopt();
    },
  };
}

/** The mode, and when it was so: Unix milliseconds. */
function rememberMode(store: Store, settings: Settings, licenseKey: () => string | null) {
  let mode: LicensingMode | null = null;
  let learnedAt = 0;
  let isProven = false;
  const learn = async (learned: LicensingMode | null, at: number, proof: Json = null): Promise<void> => {
    const isNews = learned !== mode || (proof !== null && !isProven);
    if (learned === null || !isNews) return;
    mode = learned;
    learnedAt = at;
    isProven = proof !== null;
    await store.write('mode', { mode, at, ...(isProven && { proof }) });
  };
  return {
    get: () => mode,
    learn: (answer: Provable, at: number): Promise<void> => {
      const learned = modeIn(answer.body);
      return learn(learned, at, learned === OPENS ? keptProof(answer, licenseKey()) : null);
    },
    async learnIssued(learned: LicensingMode, iat: number): Promise<void> {
      // The vendor may have ended HONOR_SYSTEM since: an old token must not bring it back.
      if (iat >= learnedAt) await learn(learned, iat);
    },
    forget(): void {
      mode = null;
      learnedAt = 0;
      isProven = false;
    },
    async load(): Promise<void> {
      const stored = (await store.read('mode')) ?? {};
      const found = modeIn(stored, 'mode');
      const proven = found === OPENS ? await reopen(settings, stored.proof, licenseKey()) : 'UNSIGNED';
      isProven = typeof proven === 'object';
      // The storage can be edited. What a token says is told again by the token.
      if (proven === 'WRONG' || (typeof proven === 'object' && modeIn(proven.body) !== OPENS)) return;
      mode = found ?? mode;
      if (isInteger(stored.at)) learnedAt = stored.at;
    },
  };
}

/** Keys are compared as the server does: without blanks around them, and whatever their case (D11). */
const digestOf = async (key: string): Promise<string> =>
  base64url(await sha256(utf8(`license-key/${key.trim().toUpperCase()}`)));
