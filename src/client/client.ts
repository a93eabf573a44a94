import { type AccessKeeper, createAccessKeeper } from './access.ts';
import { activate } from './activation.ts';
import { createCalls } from './calls.ts';
import { createClock } from './clock.ts';
import type { Core } from './core.ts';
import { createEvents } from './events.ts';
import { createHeartbeat, type Heartbeat } from './heartbeat.ts';
import { createIdentity } from './identity.ts';
import type { Json } from './json.ts';
import { createOffline, type Offline } from './offline.ts';
import type { ClientOptions } from './option-types.ts';
import { type Settings, settle } from './options.ts';
import { signatureCheck } from './response-signature.ts';
import { createSend } from './retry.ts';
import type { SeatKeeper } from './seat-keeper.ts';
import { createSeats } from './seats.ts';
import { either, isFlag, isNull, isObject, isText, need } from './shape.ts';
import { openStore } from './storage.ts';
import { createExchange, createOpen } from './transport.ts';
import type { Access, CheckResult, LicenseClient } from './types.ts';
import { createUpdates, type Updates } from './updates.ts';
import { createUsage, type UsageMeter } from './usage.ts';

/** The parts of one client. */
interface Parts {
  core: Core;
  offline: Offline;
  keeper: AccessKeeper;
  beat: Heartbeat;
  seats: SeatKeeper;
  usage: UsageMeter;
  updates: Updates;
  changeKey(key: string | null): Promise<void>;
  shutDown(): void;
}

/**
 * Makes the client of one product on one machine (licensing.md 7). It sends nothing and reads nothing before its
 * first call.
 *
 * @param options see ClientOptions
 * @throws TypeError for options that could never work
 */
export function createLicenseClient(options: ClientOptions): LicenseClient {
  const parts = assemble(settle(options));
  const { core, keeper, beat, seats, usage, updates, offline } = parts;
  return {
    get mode() {
      return core.identity.mode();
    },
    setLicenseKey: parts.changeKey,
    access: keeper.access,
    validate: keeper.validate,
    activate: (signal) => activate(parts, signal),
    deactivate: (signal) => deactivate(parts, signal),
    check: () => check(core),
    heartbeat: () => beat.beat(),
    startHeartbeat: beat.start,
    stopHeartbeat: beat.stop,
    checkout: (seat) => seats.checkout(seat),
    checkin: async () => ({ seatsAvailable: (await seats.checkin()).seatsAvailable }),
    holdSeat: (seat) => seats.hold(seat),
    recordUsage: usage.record,
    queueUsage: usage.queue,
    flushUsage: () => usage.flush(),
    entitlement: (name) => entitlement(core, name),
    feature: (name) => featureOf(keeper.last(), name),
    async refreshOfflineToken(ttlSeconds) {
      await core.ready();
      return offline.refresh(ttlSeconds);
    },
    async importOfflineToken(token) {
      await core.ready();
      const access = await offline.take(token);
      return access.valid ? keeper.take(access) : access;
    },
    exportRequest: () => exportRequest(core.settings),
    checkForUpdate: updates.checkForUpdate,
    downloadUpdate: updates.downloadUpdate,
    on: core.events.on,
    async close() {
      beat.stop();
      seats.stop();
      // One attempt each: what cannot be sent now is kept for the next start.
      await usage.flush(1).catch((error: Error) => core.events.emit('background-error', error));
      parts.shutDown();
    },
  };
}

const FORGETS = {
  code: 'NO_STORAGE',
  message: 'offline.enabled without a storage: the token is lost when the program ends',
};

function assemble(settings: Settings): Parts {
  const events = createEvents();
  const store = openStore(settings.storage, settings.product, events);
  const clock = createClock(settings.now, store, events);
  const identity = createIdentity(settings, store, async () => {
    beat.stop();
    seats.stop();
    keeper.forget();
    await usage.drop();
  });
  const closed = new AbortController();
  const check = signatureCheck(settings.signedResponses, settings, settings.now, events);
  const send = createSend(settings, createExchange(settings), check, events);
  const calls = createCalls({
    settings,
    identity,
    clock,
    send,
    open: createOpen(settings),
    closed: closed.signal,
  });
  let loading: Promise<void> | null = null;
  const load = async (): Promise<void> => {
    if (settings.offline.enabled && settings.forgets) events.emit('warning', FORGETS);
    await clock.load();
    await identity.load();
  };
  const ready = (): Promise<void> => (loading ??= load());
  // Calls that come meanwhile wait, as for the first look into the storage: they are about the new key.
  const changeKey = (key: string | null): Promise<void> => {
    // Of an application in plain JavaScript it may be undefined.
    const changed = ready().then(() => identity.change(key ?? null));
    loading = changed.catch(() => undefined);
    return changed;
  };
  const core: Core = { settings, events, store, clock, identity, calls, ready };
  const offline = createOffline(core);
  const keeper = createAccessKeeper(core, offline, ({ usage: used, seats: free }) => {
    if (used !== null) usage.note(used);
    if (free !== null) seats.note(free);
  });
  const beat = createHeartbeat(core, keeper);
  const seats = createSeats(core, keeper.outdate);
  const usage = createUsage(core);
  const updates = createUpdates(core);
  return { core, offline, keeper, beat, seats, usage, updates, changeKey, shutDown: () => closed.abort() };
}

async function deactivate(
  { core, keeper, offline, beat, seats }: Parts,
  signal?: AbortSignal,
): Promise<void> {
  await core.ready();
  await core.calls.postOnce('deactivate', 'licenseKey', {
    signal,
    // The churn limit refuses under the same code, and then the machine is still active (D63).
    doneWhenRepeated: ({ code, details }) =>
      code === 'DEACTIVATION_FAILED' && details.reason !== 'CHURN_LIMIT',
  });
  beat.stop();
  seats.stop();
  keeper.outdate();
  // Both would say that this machine holds the license.
  await offline.drop();
  await core.store.remove('answer');
}

async function check({ ready, calls, clock, identity }: Core): Promise<CheckResult> {
  await ready();
  const reply = await calls.check();
  const { body } = reply;
  await identity.learnMode(reply, clock.serverNow());
  return {
    status: need(body, 'status', isText) as CheckResult['status'],
    type: need(body, 'type', isText) as CheckResult['type'],
    tier: need(body, 'tier', isText) as CheckResult['tier'],
    maxVersion: need(body, 'maxVersion', either(isText, isNull)),
    features: need(body, 'features', either(isObject, isNull)),
    licensingMode: need(body, 'licensingMode', isText) as CheckResult['licensingMode'],
  };
}

async function entitlement({ ready, calls }: Core, name: string) {
  await ready();
  const { body } = await calls.post('validate-entitlement', 'key', { entitlement: name });
  return {
    valid: need(body, 'valid', isFlag),
    entitled: need(body, 'entitled', isFlag),
    value: (body.value ?? null) as Json,
  };
}

function featureOf(access: Access | null, name: string): Json | undefined {
  return access !== null && Object.hasOwn(access.features, name) ? access.features[name] : undefined;
}

const exportRequest = ({ product, machine, appVersion }: Settings): string =>
  JSON.stringify({ product, machineId: machine.id, appVersion: appVersion ?? null });
