// The offline license token of this machine (licensing.md 6.2, 7.3).
import type { CallOptions } from './calls.ts';
import { type Core, inBackground } from './core.ts';
import { ClientError, type ClientErrorCode, errorOf, LicenseApiError } from './errors.ts';
import { isInstant, isInteger, isText, need } from './shape.ts';
import { atMost } from './timers.ts';
import { judgeToken, type TokenVerdict } from './token.ts';
import type { Access, Problem } from './types.ts';
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
  /**
   * Fetches a token when tokens are wanted: the first one at once, so that the application learns when there is none;
   * the next ones in the background, when half of the life of the stored one is over.
   */
  refreshWhenDue(): Promise<void>;
  /** Takes a token from outside; only a valid one is kept. */
  take(token: string): Promise<Access>;
  drop(): Promise<void>;
  /** Why the last token that was asked for did not come. */
  problem(): Problem | null;
  /** End of the stored token, Unix milliseconds; null when there is none. */
  storedUntil(): Promise<number | null>;
}

export function createOffline(core: Core): Offline {
  const { settings, clock, store } = core;
  const { enabled, ttlSeconds: usualTtl } = settings.offline;
  /** Grows with each drop: a token that was asked for before must not be kept after it. */
  let drops = 0;
  const problems = watchProblems(core);
  const fetchToken = (ttlSeconds: number | undefined, how: How) => {
    const before = drops;
    return problems.watch(refresh(core, ttlSeconds, how, () => before === drops));
  };
  const ration = onceAtATime(core, (how) => fetchToken(usualTtl, how));
  return {
    problem: problems.last,
    refresh: (ttlSeconds = usualTtl) => fetchToken(ttlSeconds, {}),
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
      await fetchToken(usualTtl, {}).catch((error: unknown) =>
        core.events.emit('background-error', errorOf(error)),
      );
    },
    async refreshWhenDue() {
      if (!enabled) return;
      const stored = await kept(core);
      if (stored === null && !problems.isTried()) await atMost(FIRST_WAIT_MS, ration(FIRST));
      else if (stored === null || clock.now() >= (stored.iat + stored.exp) / 2) void ration(IN_BACKGROUND);
    },
    async take(token) {
      const verdict = await judge(core, token);
      if (verdict.access.valid) await keep(core, token, verdict);
      return learn(core, verdict);
    },
  };
}

/** How a token is asked for. */
type How = Pick<CallOptions, 'background' | 'attempts' | 'patienceMs'>;
const IN_BACKGROUND: How = { background: true };
/** The caller has the answer that he asked for already: he is not kept waiting for more. */
const FIRST: How = { attempts: 1, patienceMs: 0 };
const FIRST_WAIT_MS = 2_000;

/** Not twice at once, and after a failure not before an hour has passed. Never rejects. */
function onceAtATime(core: Core, work: (how: How) => Promise<unknown>): (how: How) => Promise<void> {
  let pausedUntil = 0;
  let underWay = false;
  return async (how) => {
    if (underWay || core.clock.now() < pausedUntil) return;
    underWay = true;
    await inBackground(core, async () => {
      try {
        await work(how);
      } catch (error) {
        pausedUntil = core.clock.now() + PAUSE_AFTER_FAILURE_MS;
        throw error;
      } finally {
        underWay = false;
      }
    });
  };
}

/** Remembers why there is no token, and tells once what only the vendor can mend. */
function watchProblems({ events }: Core) {
  let last: Problem | null = null;
  let tried = false;
  const note = (error: unknown): void => {
    if (error instanceof ClientError && error.code === 'ABORTED') return;
    const isNew = last === null;
    last = problemOf(error);
    if (isNew && error instanceof LicenseApiError && error.code === 'NOT_FOUND') events.emit('warning', last);
  };
  return {
    last: () => last,
    isTried: () => tried,
    async watch<T>(asked: Promise<T>): Promise<T> {
      tried = true;
      try {
        const answer = await asked;
        last = null;
        return answer;
      } catch (error) {
        note(error);
        throw error;
      }
    },
  };
}

function problemOf(error: unknown): Problem {
  const { message } = errorOf(error);
  if (error instanceof LicenseApiError && error.details.reason === 'NO_ONLINE_KEY') {
    const why = 'the license server has no online key for this product, so it issues no offline tokens';
    return { code: 'NO_ONLINE_KEY', message: `${why}: see its page /help/offline-licenses` };
  }
  const code = error instanceof LicenseApiError || error instanceof ClientError ? error.code : 'UNEXPECTED';
  return { code, message };
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
  how: How,
  isWanted: () => boolean,
): Promise<{ expiresAt: string }> {
  const generation = core.identity.generation();
  const fields = { ttlSeconds, appVersion: core.settings.appVersion };
  const { body } = await core.calls.post('offline-token', 'licenseKey', fields, how);
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
