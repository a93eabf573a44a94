// The rule of twenty: a webhook is disabled by the twentieth delivery in a row that fails, and by nothing less.
import { setTimeout as sleep } from 'node:timers/promises';
import { Complaints } from './proof.ts';
import type { Reader } from './reader.ts';
import type { Receiver, Script } from './receiver.ts';
import { healthOf, type Line, statesOf, until } from './webhook-scene.ts';

const LIMIT = 20;
const FAILING_EVENTS = 60;
const AFTERWARDS = 3;
const STEP_TIMEOUT_MS = 30_000;
/** Somebody who went on sending would have begun by then. */
const SETTLE_MS = 3000;

/** A receiver that refuses 19 deliveries, takes one, and refuses all that come then. */
export const refusing: Script = {
  by: 'arrival',
  replies: [...Array.from({ length: LIMIT - 1 }, () => 400), 200, 400],
};

/** What the rule is tried on. */
export interface Sender {
  reader: Reader;
  receiver: Receiver;
  /** Makes events that one line must tell. */
  emit(line: Line, count: number): Promise<void>;
}

/** 19 failures, one success, 19 failures leave it enabled; one more disables it, and nothing is sent then. */
export async function tryRefusing({ reader, receiver, emit }: Sender, line: Line): Promise<Complaints> {
  const wrong = new Complaints();
  /** What follows a wrong step says nothing more. */
  const step = async (count: number, state: string, ended: number, failures: number): Promise<void> => {
    if (wrong.count > 0) return;
    await emit(line, count);
    const isSo = await until(async () => (await statesOf(reader, line))[state] === ended, STEP_TIMEOUT_MS);
    const states = JSON.stringify(await statesOf(reader, line));
    wrong.unless(isSo, () => `${line.name}: ${states} instead of ${ended} ${state}`);
    const health = await healthOf(reader, line);
    const said = () => `${line.name}: ${JSON.stringify(health)} after ${failures} failures in a row`;
    wrong.unless(health.isEnabled === failures < LIMIT && health.failures === failures, said);
  };
  await step(LIMIT - 1, 'FAILED', LIMIT - 1, LIMIT - 1);
  await step(1, 'DELIVERED', 1, 0);
  await step(LIMIT - 1, 'FAILED', 2 * LIMIT - 2, LIMIT - 1);
  await step(1, 'FAILED', 2 * LIMIT - 1, LIMIT);
  if (wrong.count > 0) return wrong;
  await emit(line, AFTERWARDS);
  await sleep(SETTLE_MS);
  const { length } = await receiver.received(line.name);
  wrong.unless(length === 2 * LIMIT, () => `${line.name}: ${length} requests instead of ${2 * LIMIT}`);
  return wrong;
}

/** Many at once fail after their last attempt: the twentieth disables the webhook, and the others are not sent. */
export async function tryFailing(
  { reader, emit }: Sender,
  line: Line,
  timeoutMs: number,
): Promise<Complaints> {
  const wrong = new Complaints();
  await emit(line, FAILING_EVENTS);
  await until(async () => !(await healthOf(reader, line)).isEnabled, timeoutMs);
  await sleep(SETTLE_MS);
  const health = await healthOf(reader, line);
  const states = await statesOf(reader, line);
  const said = () => `${line.name}: ${JSON.stringify({ ...health, ...states })}`;
  wrong.unless(!health.isEnabled && health.failures === LIMIT, said);
  const { FAILED = 0, SKIPPED = 0 } = states;
  wrong.unless(FAILED === LIMIT && FAILED + SKIPPED === FAILING_EVENTS, said);
  return wrong;
}
