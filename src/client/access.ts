// access(): what the application obeys (licensing.md 7.3).
import type { CallOptions } from './calls.ts';
import { isoOf } from './clock.ts';
import type { Core } from './core.ts';
import { ClientError, errorOf, type LicenseApiError } from './errors.ts';
import { LONGEST_WAIT_MS } from './failure.ts';
import type { Offline } from './offline.ts';
import { accessWithoutServer, isRateLimit, keepAnswer, patienceFor } from './outage.ts';
import type { Reply } from './retry.ts';
import { isInstant } from './shape.ts';
import { shareFlights } from './shared-flight.ts';
import type { Access } from './types.ts';
import { accessOf, underMode } from './verdict.ts';

const REUSE_MS = 60_000;
/** Refusals after which a token that is still running must not be used any more. */
const ends = ['REVOKED', 'SUSPENDED', 'NOT_FOUND'];

export interface AccessKeeper {
  access(options?: { force?: boolean | undefined; signal?: AbortSignal | undefined }): Promise<Access>;
  /** Throws LicenseApiError or ClientError when there is no answer. */
  validate(signal?: AbortSignal): Promise<Access>;
  /** Takes what came by another way, and tells when `allowed` or `code` changed. */
  take(access: Access): Access;
  last(): Access | null;
  /** The next access() asks the server: something about the license has changed. */
  outdate(): void;
  /** Forgets what was known of the license before. */
  forget(): void;
}

/** How the server is asked. */
type How = Pick<CallOptions, 'signal' | 'patienceMs'>;

/** What validate says, and how it came. */
interface Answer {
  access: Access;
  reply: Reply;
}

/** What is remembered between calls. */
interface Memory {
  last: Access | null;
  /** An answer of the server that may be used again. */
  fresh: { access: Access; at: number } | null;
  /** The server refuses requests, and when it said so, Unix milliseconds: it is not asked again before its time. */
  limited: { error: LicenseApiError; at: number } | null;
  /** Grows when an answer that is under way must not be used again. */
  epoch: number;
}

/** @param observe sees every answer of the server */
export function createAccessKeeper(
  core: Core,
  offline: Offline,
  observe: (access: Access) => void,
): AccessKeeper {
  const memory: Memory = { last: null, fresh: null, limited: null, epoch: 0 };
  const ask = (how: How): Promise<Access> => askAndSettle(core, offline, memory, observe, how);
  const flights = shareFlights((signal) => decide(core, offline, memory, signal, ask));
  const outdate = (): void => {
    memory.epoch += 1;
    memory.fresh = null;
    // A question that was asked before the change gets the answer of before.
    flights.part();
  };
  return {
    outdate,
    take: (access) => take(core, memory, access),
    last: () => memory.last,
    forget() {
      outdate();
      memory.limited = null;
      memory.last = null;
    },
    async access({ force = false, signal } = {}) {
      await core.ready();
      const age = memory.fresh === null ? Number.NaN : core.clock.now() - memory.fresh.at;
      if (!force && memory.fresh !== null && age >= 0 && age < REUSE_MS) return memory.fresh.access;
      const limit = force ? null : limitInForce(memory, core.clock.now());
      return limit === null ? flights.join(signal) : without(core, offline, memory, limit);
    },
    async validate(signal) {
      await core.ready();
      return ask({ signal });
    },
  };
}

/** @returns null when the server may be asked; a clock that was set meanwhile tells nothing */
function limitInForce({ limited }: Memory, now: number): LicenseApiError | null {
  if (limited === null) return null;
  const passedMs = now - limited.at;
  const waitMs = Math.min(LONGEST_WAIT_MS, (limited.error.retryAfterSeconds ?? 0) * 1000);
  const isOver = passedMs < 0 || passedMs >= waitMs;
  return isOver ? null : limited.error;
}

function take({ events }: Core, memory: Memory, access: Access): Access {
  const { last } = memory;
  memory.last = access;
  const changed = last === null || last.allowed !== access.allowed || last.code !== access.code;
  if (changed) events.emit('access', access);
  return access;
}

/** An answer is final; only without one does anything else count. */
async function decide(
  core: Core,
  offline: Offline,
  memory: Memory,
  signal: AbortSignal,
  ask: (how: How) => Promise<Access>,
): Promise<Access> {
  const generation = core.identity.generation();
  try {
    return await ask({ signal, patienceMs: await patienceFor(core) });
  } catch (error) {
    if (error instanceof ClientError && error.code === 'ABORTED') throw error;
    // The license key was changed meanwhile: the new one has not been asked about.
    if (generation !== core.identity.generation()) return decide(core, offline, memory, signal, ask);
    if (isRateLimit(error)) memory.limited = { error, at: core.clock.now() };
    return without(core, offline, memory, errorOf(error));
  }
}

async function without(core: Core, offline: Offline, memory: Memory, reason: Error): Promise<Access> {
  const access = await accessWithoutServer(core, offline, reason);
  const settled = { ...access, offlineProblem: offline.problem() };
  return take(core, memory, underMode(settled, core.identity.mode()));
}

async function askAndSettle(
  core: Core,
  offline: Offline,
  memory: Memory,
  observe: (access: Access) => void,
  how: How,
): Promise<Access> {
  const generation = core.identity.generation();
  const { epoch } = memory;
  const answer = await askServer(core, how);
  // The license key was changed meanwhile: this is the answer about another license.
  if (generation !== core.identity.generation()) return askAndSettle(core, offline, memory, observe, how);
  memory.limited = null;
  const access = await settle(core, offline, answer, () => epoch === memory.epoch);
  observe(access);
  if (epoch === memory.epoch) memory.fresh = { access, at: core.clock.now() };
  return take(core, memory, access);
}

async function askServer(core: Core, how: How): Promise<Answer> {
  const fields = { appVersion: core.settings.appVersion };
  const reply = await core.calls.post('validate', 'licenseKey', fields, how);
  const { body, serverTime } = reply;
  const access = accessOf(body, core.clock.now());
  if (serverTime === null && isInstant(body.serverTime)) {
    await core.clock.noteServer(Date.parse(body.serverTime), false);
  }
  return { access, reply };
}

/**
 * What an answer changes here: mode, stored token, the last good answer.
 *
 * @param isCurrent tells whether nothing has changed since it was asked for: the answer of before must not serve an
 *   outage after the machine has given its license back
 */
async function settle(
  core: Core,
  offline: Offline,
  { access, reply }: Answer,
  isCurrent: () => boolean,
): Promise<Access> {
  const { settings, identity, store, clock } = core;
  await clock.isSuspect();
  await identity.learnMode(reply, clock.serverNow());
  if (ends.includes(access.code)) await offline.drop();
  if (access.valid && isCurrent()) await offline.refreshWhenDue();
  const { outageGraceMs } = settings.offline;
  const outageEnd = outageGraceMs > 0 ? clock.now() + outageGraceMs : 0;
  const until = Math.max((await offline.storedUntil()) ?? 0, outageEnd);
  const offlineUntil = access.valid && until > clock.now() ? isoOf(until) : null;
  const settled = { ...access, offlineUntil, offlineProblem: offline.problem() };
  if (!access.valid) await store.remove('answer');
  else if (isCurrent()) await keepAnswer(core, settled, reply);
  return underMode(settled, identity.mode());
}
