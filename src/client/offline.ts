// The offline license token of this machine (licensing.md 6.2, 7.3).
import { type Core, inBackground } from './core.ts';
import { ClientError, type ClientErrorCode, errorOf } from './errors.ts';
import { isInstant, isInteger, isText, need } from './shape.ts';
import { judgeToken, type TokenVerdict } from './token.ts';
import type { Access } from './types.ts';
import { underMode } from './verdict.ts';

/** The endpoint is limited per API key, which all installations share: a refusal is not asked about again soon. */
const PAUSE_AFTER_FAILURE_MS = 3_600_000;

/** A token as it is kept; times in Unix milliseconds. */
interface Kept {
  token: string;
  iat: number;
  exp: number;
}

export interface Offline {
  /** What the stored token says now; null when there is none. */
  judge(): Promise<Access | null>;
  /** Asks the server for a token. Throws LicenseApiError, ClientError */
  refresh(ttlSeconds?: number): Promise<{ expiresAt: string }>;
  /** As refresh, when tokens are wanted; a failure is told on `background-error`. */
  refreshAfterActivation(): Promise<void>;
  /** Fetches a token in the background when tokens are wanted and half of the life of the stored one is over. */
  refreshWhenDue(): Promise<void>;
  /** Takes a token from outside; only a valid one is kept. */
  take(token: string): Promise<Access>;
  drop(): Promise<void>;
  /** End of the stored token, Unix milliseconds; null when there is none. */
  storedUntil(): Promise<number | null>;
}

export function createOffline(core: Core): Offline {
  const { settings, clock, store } = core;
  const { enabled, ttlSeconds: usualTtl } = settings.offline;
  /** Grows with each drop: a token that was asked for before must not be kept after it. */
  let drops = 0;
  const fetchToken = (ttlSeconds: number | undefined, background: boolean) => {
    const before = drops;
    return refresh(core, ttlSeconds, background, () => before === drops);
  };
  const ration = onceAtATime(core, () => fetchToken(usualTtl, true));
  return {
    refresh: (ttlSeconds = usualTtl) => fetchToken(ttlSeconds, false),
    drop() {
      drops += 1;
      return store.remove('token');
    },
    storedUntil: async () => (await kept(core))?.exp ?? null,
    async judge() {
      const stored = await kept(core);
      return stored === null ? null : learn(core, await judge(core, stored.token));
    },
    async refreshAfterActivation() {
      if (!enabled) return;
      await fetchToken(usualTtl, false).catch((error: unknown) =>
        core.events.emit('background-error', errorOf(error)),
      );
    },
    async refreshWhenDue() {
      if (!enabled) return;
      const stored = await kept(core);
      if (stored === null || clock.now() >= (stored.iat + stored.exp) / 2) ration();
    },
    async take(token) {
      const verdict = await judge(core, token);
      if (verdict.access.valid) await keep(core, token, verdict);
      return learn(core, verdict);
    },
  };
}

/** Runs in the background, not twice at once, and after a failure not before an hour has passed. */
function onceAtATime(core: Core, work: () => Promise<unknown>): () => void {
  let pausedUntil = 0;
  let underWay = false;
  return () => {
    if (underWay || core.clock.now() < pausedUntil) return;
    underWay = true;
    inBackground(core, async () => {
      try {
        await work();
      } catch (error) {
        pausedUntil = core.clock.now() + PAUSE_AFTER_FAILURE_MS;
        throw error;
      } finally {
        underWay = false;
      }
    });
  };
}

async function kept({ store }: Core): Promise<Kept | null> {
  const stored = await store.read('token');
  if (!isText(stored?.token) || !isInteger(stored.iat) || !isInteger(stored.exp)) return null;
  return { token: stored.token, iat: stored.iat, exp: stored.exp };
}

const keep = ({ store }: Core, token: string, { iat = 0, exp = 0 }: TokenVerdict): Promise<void> =>
  store.write('token', { token: token.replace(/\s+/g, ''), iat, exp });

const judge = ({ settings, clock }: Core, token: string): Promise<TokenVerdict> =>
  judgeToken(token, settings, {
    machineId: settings.machine.id,
    appVersion: settings.appVersion,
    now: clock.now(),
    lastSeen: clock.lastSeen(),
  });

/** A genuine token of this machine is a witness of its mode and of the time, whatever it says about the license. */
async function learn({ identity, clock }: Core, { access, iat }: TokenVerdict): Promise<Access> {
  if (iat !== undefined) {
    await identity.learnIssuedMode(access.mode, iat);
    await clock.noteIssue(iat);
  }
  return underMode(access, identity.mode());
}

/** @param isWanted tells whether the license is still held that the token was asked for */
async function refresh(
  core: Core,
  ttlSeconds: number | undefined,
  background: boolean,
  isWanted: () => boolean,
): Promise<{ expiresAt: string }> {
  const generation = core.identity.generation();
  const fields = { ttlSeconds, appVersion: core.settings.appVersion };
  const { body } = await core.calls.post('offline-token', 'licenseKey', fields, { background });
  const token = need(body, 'token', isText);
  const verdict = await judge(core, token);
  const { valid, code, message } = verdict.access;
  // The server leaves the version to the client: the token is as it should be.
  if (!valid && code !== 'VERSION_NOT_ALLOWED') throw new ClientError(faultOf(code), message);
  await learn(core, verdict);
  // Was the license key changed meanwhile, this token is for another license.
  if (generation === core.identity.generation() && isWanted()) await keep(core, token, verdict);
  return { expiresAt: need(body, 'expiresAt', isInstant) };
}

/** A token that ended before it came, or is none, is a fault of the answer. */
function faultOf(code: string): ClientErrorCode {
  if (code === 'CLOCK_ROLLED_BACK') return code;
  return ['TOKEN_EXPIRED', 'EXPIRED', 'MALFORMED'].includes(code) ? 'BAD_RESPONSE' : 'SIGNATURE_INVALID';
}
