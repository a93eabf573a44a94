// Clients that mix every kind of write. Each remembers what it was told, and sends again what was not answered.
import type { Ask, Client } from './client.ts';
import { withKey } from './installation.ts';
import type { Ledger, Seat } from './ledger.ts';
import type { Complaints } from './proof.ts';
import type { Random } from './random.ts';

/** What clients work on. */
export interface Subject {
  apiKey: string;
  productId: string;
  /** Floating licenses with fewer seats than there are clients. */
  floating: readonly [Named, ...Named[]];
}

interface Named {
  id: string;
  key: string;
}

/** A license of one client alone. */
interface Own extends Named {
  machines: Seat[];
}

/** A write that a client means to make. */
interface Write {
  ask: Ask;
  /** Told of the answer's body. */
  acked(body: Body): void;
  /** Whether this refusal is right. */
  mayRefuse?(code: string, isRepeated: boolean): boolean;
}

interface Body {
  license: Named;
  activation: { leaseExpiresAt?: string };
}

interface Memory {
  random: Random;
  subject: Subject;
  ledger: Ledger;
  own: Own | null;
  held: Seat | null;
}

const MACHINES = 5;

/** The server could not make a write: whether it is made is unknown. */
export class WriteFailed extends Error {
  readonly status: number;
  readonly body: string;

  constructor(path: string, status: number, body: string) {
    super(`${path} was answered ${status}: ${body}`);
    this.name = 'WriteFailed';
    this.status = status;
    this.body = body;
  }
}

/**
 * A client that makes one write after the other; what it knows outlives the server.
 *
 * @param refusals what was refused and should not have been
 * @param mayFail whether answers of 500 and more are expected: they are then thrown as WriteFailed
 * @returns makes one write; rejects when the server is gone or cannot, and then makes the same one next time
 */
export function createWorker(
  subject: Subject,
  random: Random,
  ledger: Ledger,
  refusals: Complaints,
  mayFail = false,
): (client: Client) => Promise<void> {
  const memory: Memory = { random, subject, ledger, own: null, held: null };
  let pending: Write | null = null;
  return async (client) => {
    const isRepeated = pending !== null;
    const write: Write = (pending ??= nextWrite(memory));
    const { status, body } = await client.ask(write.ask);
    if (mayFail && status >= 500) throw new WriteFailed(write.ask.path, status, body);
    pending = null;
    if (status >= 200 && status < 300) {
      ledger.acked += 1;
      return write.acked(JSON.parse(body));
    }
    const code = status >= 500 ? String(status) : String(JSON.parse(body).error?.code);
    const isRight = write.mayRefuse?.(code, isRepeated) === true;
    refusals.unless(isRight, () => `${write.ask.path} was answered ${status}: ${body}`);
  };
}

function nextWrite(memory: Memory): Write {
  const { own, held } = memory;
  const die = memory.random.below(100);
  if (!own || die < 8) return create(memory);
  if (die < 26 && own.machines.length < MACHINES) return activate(memory, own);
  if (die < 50) return recordUsage(memory, memory.random.pick([own, ...memory.subject.floating]));
  const seat = held ?? own.machines.at(-1);
  if (die < 65 && seat) return heartbeat(memory, seat, held ? heldKey(memory, held) : own.key);
  if (!held) return checkout(memory);
  return die < 75 ? extend(memory, held) : checkin(memory, held);
}

const heldKey = ({ subject }: Memory, { licenseId }: Seat): string =>
  subject.floating.find(({ id }) => id === licenseId)?.key ?? '';

const post = ({ subject }: Memory, name: string, body: object, idempotencyKey?: string): Ask => ({
  method: 'POST',
  path: `/api/v1/license/${name}`,
  headers: {
    ...withKey(subject.apiKey),
    ...(idempotencyKey !== undefined && { 'X-Idempotency-Key': idempotencyKey }),
  },
  body,
});

function create(memory: Memory): Write {
  const key = memory.random.word(20);
  const customerEmail = `${memory.random.word(10)}@example.com`;
  const body = { productId: memory.subject.productId, customerEmail, maxActivations: MACHINES };
  return {
    ask: post(memory, 'create', body, key),
    acked({ license }) {
      memory.ledger.licenses.set(key, license.id);
      memory.own = { id: license.id, key: license.key, machines: [] };
    },
  };
}

function activate(memory: Memory, own: Own): Write {
  const seat = newSeat(own.id, memory.random);
  return {
    ask: post(memory, 'activate', { licenseKey: own.key, machineId: seat.machineId }),
    acked() {
      own.machines.push(seat);
      memory.ledger.seats.push(seat);
    },
  };
}

function recordUsage(memory: Memory, license: Named): Write {
  const key = memory.random.word(20);
  const quantity = 1 + memory.random.below(5);
  return {
    ask: post(memory, 'record-usage', { licenseKey: license.key, feature: 'render', quantity }, key),
    acked: () => void memory.ledger.usage.set(key, { licenseId: license.id, quantity }),
  };
}

function heartbeat(memory: Memory, seat: Seat, licenseKey: string): Write {
  const sentAt = new Date().toISOString();
  return {
    ask: post(memory, 'heartbeat', { licenseKey, machineId: seat.machineId }),
    acked() {
      seat.seenAt = sentAt;
    },
  };
}

function checkout(memory: Memory): Write {
  const license = memory.random.pick(memory.subject.floating);
  const seat = newSeat(license.id, memory.random);
  return {
    ask: post(memory, 'checkout', { licenseKey: license.key, machineId: seat.machineId }),
    acked({ activation }) {
      seat.leaseExpiresAt = activation.leaseExpiresAt ?? null;
      memory.held = seat;
      memory.ledger.seats.push(seat);
    },
    mayRefuse: (code) => code === 'SEAT_LIMIT_REACHED',
  };
}

function extend(memory: Memory, seat: Seat): Write {
  const leaseDuration = 3600 + memory.random.below(3600);
  const body = { licenseKey: heldKey(memory, seat), machineId: seat.machineId, leaseDuration };
  return {
    ask: post(memory, 'checkout', body),
    acked({ activation }) {
      seat.leaseExpiresAt = activation.leaseExpiresAt ?? null;
    },
  };
}

function checkin(memory: Memory, seat: Seat): Write {
  seat.state = 'unsure';
  const acked = (): void => {
    seat.state = 'ended';
    memory.held = null;
  };
  return {
    ask: post(memory, 'checkin', { licenseKey: heldKey(memory, seat), machineId: seat.machineId }),
    acked,
    mayRefuse(code, isRepeated) {
      // The first attempt was done and its answer was lost.
      const isDone = isRepeated && code === 'NOT_CHECKED_OUT';
      if (isDone) acked();
      return isDone;
    },
  };
}

const newSeat = (licenseId: string, random: Random): Seat => ({
  licenseId,
  machineId: `machine-${random.word(16)}`,
  state: 'live',
  leaseExpiresAt: null,
  seenAt: '',
});
