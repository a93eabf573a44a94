import type { Ctx } from '#kernel/context.ts';
import type { Answered } from '#kernel/http/surface.ts';
import { type Judged, judgedIn } from '#licensing/licenses/standing/index.ts';
import { isAlternation } from './alternation.ts';
import { countDaily } from './daily-totals.ts';
import { minuteOf, msOfDay } from './day-time.ts';
import {
  type Churn,
  type Day,
  type Daybook,
  type Denials,
  daybookOf,
  dayOf,
  hasten,
  MOST_PER_LICENSE,
  type Rare,
  takeRoom,
  urgencies,
} from './daybook.ts';
import { EXHAUSTED } from './repository.ts';
import { findSeen, type Sightings, seeAgain, sizeOfSightings, withSeen } from './sightings.ts';

/** As a decision leaves it; the name of the action may be any. */
export type Observed = Omit<Judged, 'action'> & { action: string };

/** Actions of the software that runs on a machine; with what it gives up it uses nothing. */
const uses = new Set([
  'validate',
  'activate',
  'checkout',
  'heartbeat',
  'record-usage',
  'validate-entitlement',
  'offline-token',
  'update',
]);
const givesUp = new Set(['deactivate', 'checkin']);

/** Counts what an answer has decided about a license. It asks for nothing that the request did not leave behind. */
export function observeAnswer({ ctx }: Pick<Answered, 'ctx'>): void {
  const judged = judgedIn(ctx);
  if (judged) observe(ctx, judged);
}

/**
 * Counts an answer of the public API, in memory alone: `flushStatistics` writes it (C13; licensing 8.6). Commands and
 * jobs are not counted, and neither are the actions of a vendor.
 */
export function observe(ctx: Ctx, seen: Observed): void {
  const { ip } = ctx.origin;
  const isUse = uses.has(seen.action);
  if (ip === null || !(isUse || givesUp.has(seen.action))) return;
  countProduct(ctx, seen);
  const book = ctx.memory.of(daybookOf);
  const day = dayOf(book, seen.licenseId, seen.now);
  if (!day) return;
  const atMs = msOfDay(seen.now);
  count(book, day, seen, atMs);
  if (isUse && seen.machineId !== '') day.machines = sight(book, day, day.machines, seen.machineId, atMs);
  if (!seen.allowed) countDenial(book, day, seen, atMs);
  else if (isUse) {
    day.addresses = sight(book, day, day.addresses, ip, atMs);
    if (seen.action === 'heartbeat') countAlternation(ctx, book, day, seen, ip);
  }
}

/** Whose license it is was left behind with the decision. */
function countProduct(ctx: Ctx, { action, allowed, now }: Observed): void {
  const productId = ctx.origin.trail?.owner;
  if (productId === undefined) return;
  countDaily(ctx, productId, now, {
    validations: Number(action === 'validate'),
    denials: Number(!allowed),
    heartbeats: Number(allowed && action === 'heartbeat'),
  });
}

/** The first of a kind waits for its turn; with a second one a license becomes worth a look. */
function sight(book: Daybook, day: Day, sightings: Sightings, name: string, atMs: number): Sightings {
  const known = findSeen(sightings, name);
  if (known) {
    seeAgain(known, atMs);
    return sightings;
  }
  hasten(book, day, sightings === null ? urgencies.turn : urgencies.next);
  return addSeen(book, sightings, name, atMs);
}

function addSeen(book: Daybook, sightings: Sightings, name: string, atMs: number): Sightings {
  if (sizeOfSightings(sightings) >= MOST_PER_LICENSE) {
    book.dropped += 1;
    return sightings;
  }
  return takeRoom(book) ? withSeen(sightings, name, atMs) : sightings;
}

/** What is written at the next flush each time: rules count it by the minute. */
function tallyMinute(book: Daybook, day: Day, sightings: Sightings, name: string, atMs: number): Sightings {
  hasten(book, day, urgencies.next);
  const known = findSeen(sightings, name);
  if (!known) return addSeen(book, sightings, name, atMs);
  seeAgain(known, atMs);
  return sightings;
}

function count(book: Daybook, day: Day, { action, allowed, repeat, now }: Observed, atMs: number): void {
  if (action === 'validate') day.validations += 1;
  if (!allowed) {
    day.denials += 1;
    return;
  }
  if (action === 'validate') day.lastValidatedMs = atMs;
  else if (action === 'heartbeat') day.heartbeats += 1;
  else if (action === 'deactivate') {
    churnOf(day, now).waiting += 1;
    hasten(book, day, urgencies.next);
  } else if (action === 'activate' && !repeat) {
    // Which deactivation it follows is looked up when it is written.
    hasten(book, day, pair(churnOf(day, now)) ? urgencies.next : urgencies.turn);
  }
}

/**
 * A refusal that is new of its day is written in its turn, and only counted from then on; those that ask for more seats
 * are reported while they happen (6.10).
 */
function countDenial(book: Daybook, day: Day, { action, code, machineId }: Observed, atMs: number): void {
  const rare = rareOf(day);
  const denials = rare.denied.get(code) ?? addCode(book, day, rare, code, atMs);
  if (code === EXHAUSTED) hasten(book, day, urgencies.next);
  if (denials) {
    seeAgain(denials, atMs);
    if (machineId !== '') countDenied(book, day, denials, machineId, atMs);
  }
  if (action === 'activate' && code === EXHAUSTED)
    rare.exhausted = tallyMinute(book, day, rare.exhausted, minuteOf(atMs), atMs);
}

function addCode(book: Daybook, day: Day, { denied }: Rare, code: string, atMs: number): Denials | null {
  if (!takeRoom(book)) return null;
  hasten(book, day, urgencies.turn);
  const denials = { name: code, count: 0, written: 0, firstMs: atMs, lastMs: atMs, machines: null };
  denied.set(code, denials);
  return denials;
}

function countDenied(book: Daybook, day: Day, denials: Denials, machineId: string, atMs: number): void {
  const machine = findSeen(denials.machines, machineId);
  if (machine) seeAgain(machine, atMs);
  else {
    hasten(book, day, urgencies.turn);
    denials.machines = addSeen(book, denials.machines, machineId, atMs);
  }
}

function countAlternation(ctx: Ctx, book: Daybook, day: Day, { machineId, now }: Observed, ip: string): void {
  if (!isAlternation(ctx, day.licenseId, machineId, ip)) return;
  const rare = rareOf(day);
  const atMs = msOfDay(now);
  const name = `${minuteOf(atMs)} ${machineId}`;
  rare.alternations = tallyMinute(book, day, rare.alternations, name, atMs);
}

const rareOf = (day: Day): Rare =>
  (day.rare ??= { denied: new Map(), exhausted: null, alternations: null, churn: null });

function churnOf(day: Day, now: string): Churn {
  const rare = rareOf(day);
  rare.churn ??= { unpaired: 0, pairs: 0, waiting: 0, at: now };
  rare.churn.at = now;
  return rare.churn;
}

/** Whether the activation follows a deactivation that waits here. */
function pair(churn: Churn): boolean {
  if (churn.waiting === 0) {
    churn.unpaired += 1;
    return false;
  }
  churn.waiting -= 1;
  churn.pairs += 1;
  return true;
}
