// What a sender says became of its deliveries, compared with what the receiver saw.

import { Complaints } from './proof.ts';
import type { Received } from './receiver.ts';

/** One delivery as it is stored. */
export interface Stored {
  /** Name of the receiver's address. */
  hook: string;
  eventId: string;
  state: string;
  attempts: number;
}

/** What is compared. */
export interface Books {
  /** Ids of events, each with the address that must be told of it. */
  owed: readonly { hook: string; eventId: string }[];
  stored: readonly Stored[];
  received: readonly Received[];
}

/** What a sender promises. */
export interface Terms {
  /** Seconds between an attempt and the next. */
  delays: readonly number[];
  /** Addresses whose retries were not held up by anything, so that they must be punctual. */
  punctual: ReadonlySet<string>;
}

/** What was wrong, by what was promised. */
export interface Findings {
  /** Events without a delivery, deliveries without an end, and ends that the receiver knows nothing of. */
  lost: Complaints;
  /** A delivery that ended otherwise than its attempts say, or an attempt that should not have been. */
  wrong: Complaints;
  /** Attempts under other ids, with other bodies, or with wrong headers. */
  strange: Complaints;
  /** Retries that came too early, or too late where nothing held them up. */
  unpunctual: Complaints;
  /** Attempts that came more than once. */
  duplicates: number;
  delivered: number;
  failed: number;
  skipped: number;
}

const ALLOWED = 0.1;
/** The worker looks once a second. */
const LOOK_MS = 1000;
/** A timer may be this much early, and the two ends see the end of an attempt at different moments. */
const SLACK_MS = 50;

/** Compares everything; nothing is on its way any more. */
export function compare(books: Books, terms: Terms): Findings {
  const found: Findings = {
    ...{ lost: new Complaints(), wrong: new Complaints(), strange: new Complaints() },
    ...{ unpunctual: new Complaints(), duplicates: 0, delivered: 0, failed: 0, skipped: 0 },
  };
  const stored = new Map(books.stored.map((one) => [keyOf(one.hook, one.eventId), one]));
  const seen = Map.groupBy(books.received, ({ hook, id }) => keyOf(hook, id));
  for (const { hook, eventId } of books.owed) {
    const isStored = stored.has(keyOf(hook, eventId));
    found.lost.unless(isStored, () => `${eventId} has no delivery to ${hook}`);
  }
  for (const [key, delivery] of stored) judge(delivery, seen.get(key) ?? [], terms, found);
  for (const [key, requests] of seen) {
    found.strange.unless(stored.has(key), () => `${key} was received and is not stored`);
    examine(key, requests, found);
  }
  return found;
}

const keyOf = (hook: string, eventId: string): string => `${hook} ${eventId}`;

/** One delivery and its requests. */
function judge(delivery: Stored, requests: readonly Received[], terms: Terms, found: Findings): void {
  const { hook, eventId, state, attempts } = delivery;
  const key = keyOf(hook, eventId);
  const tries = triesOf(requests);
  const last = tries.at(-1);
  if (state === 'DELIVERED') found.delivered += 1;
  else if (state === 'FAILED') found.failed += 1;
  else if (state === 'SKIPPED') found.skipped += 1;
  else found.lost.unless(false, () => `${key} is ${state} for ever`);
  if (state === 'SKIPPED') return;
  found.lost.unless(last !== undefined, () => `${key} is ${state} and was never received`);
  if (last === undefined) return;
  const said = `${key} is ${state} after ${attempts}, received ${tries.map(({ number, reply }) => `${number}:${reply}`).join(' ')}`;
  found.duplicates += requests.length - tries.length;
  if (state === 'DELIVERED') found.lost.unless(isTaken(last), () => said);
  if (state === 'FAILED') found.wrong.unless(isOver(last, terms), () => said);
  found.wrong.unless(last.number === attempts && tries.length === attempts, () => said);
  for (const [i, after] of tries.entries()) {
    const before = tries[i - 1];
    found.wrong.unless(after.number === i + 1, () => said);
    if (before) compareTimes(key, before, after, terms, found);
    if (before) found.wrong.unless(isRetried(before), () => `${said}: sent again after ${before.reply}`);
  }
}

/** An attempt with all its repetitions: a sender that is killed does not know whether its request arrived. */
interface Try {
  number: number;
  /** The answer to the last repetition, which is the one that counts. */
  reply: Received['reply'];
  beganMs: number;
  endedMs: number;
}

function triesOf(requests: readonly Received[]): Try[] {
  const tries = [...Map.groupBy(requests, ({ attempt }) => attempt)];
  return tries
    .sort(([one], [other]) => one - other)
    .map(([number, list]) => ({
      number,
      reply: (list.at(-1) as Received).reply,
      beganMs: Math.min(...list.map(({ atMs }) => atMs)),
      endedMs: Math.max(...list.map(({ atMs, endMs }) => endMs ?? atMs)),
    }));
}

const isTaken = ({ reply }: Try): boolean =>
  reply === 'drip' || (typeof reply === 'number' && reply >= 200 && reply < 300);

/** What the license service tries again: 5xx and what is no answer. */
const isRetried = ({ reply }: Try): boolean =>
  typeof reply === 'number' ? reply >= 500 : reply === 'reset' || reply === 'silence' || reply === 'flood';

const isOver = (last: Try, { delays }: Terms): boolean =>
  !isTaken(last) && (!isRetried(last) || last.number === delays.length + 1);

function compareTimes(key: string, before: Try, after: Try, terms: Terms, found: Findings): void {
  const due = (terms.delays[before.number - 1] ?? 0) * 1000;
  const ms = Math.round(after.beganMs - before.endedMs);
  const isEarly = ms < due * (1 - ALLOWED) - SLACK_MS;
  const isLate = terms.punctual.has(key.split(' ')[0] ?? '') && ms > due * (1 + ALLOWED) + LOOK_MS;
  found.unpunctual.unless(
    !isEarly && !isLate,
    () => `${key}: attempt ${after.number} came ${ms} ms after ${before.number}`,
  );
}

/** What is true of every request, whatever became of it. */
function examine(key: string, requests: readonly Received[], found: Findings): void {
  const bodies = new Set(requests.map(({ bodyHash }) => bodyHash));
  found.strange.unless(bodies.size === 1, () => `${key} was received with ${bodies.size} bodies`);
  for (const { isSigned, oddity, attempt } of requests) {
    found.strange.unless(isSigned, () => `${key}: attempt ${attempt} is not signed`);
    found.strange.unless(oddity === null, () => `${key}: attempt ${attempt}: ${oddity}`);
  }
}
