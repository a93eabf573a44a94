import { randomBytes, timingSafeEqual } from 'node:crypto';
import { argon2id } from '#kernel/argon2-thread.ts';
import type { Ctx } from '#kernel/context.ts';
import type { AppError } from '#kernel/errors.ts';
import { othersOf } from '#kernel/other-processes.ts';
import { memoryKey } from '#kernel/process-memory.ts';
import { createSemaphore, QueueFull, type Semaphore } from '#kernel/semaphore.ts';
import { fail } from '#kernel/service/errors.ts';
import { longTasksAtOnce } from '#kernel/thread-pool.ts';

/** argon2id with 19 MiB, two passes, one lane (reliability M13). */
const PARAMETERS = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 } as const;

/** A queue of seconds is as long as somebody at a sign-in page waits (M13). */
const MOST_WAITING = 50;
const RETRY_AFTER_SECONDS = 2;

const queue = memoryKey('password hashing', () => ({ turns: null as Semaphore | null }));

/** The processes of a server share the cores of one machine, and each leaves most of them to those who answer requests. */
function turnsOf(ctx: Pick<Ctx, 'memory'>): Semaphore {
  const held = ctx.memory.of(queue);
  const share = Math.floor(longTasksAtOnce() / othersOf(ctx).processes.wanted);
  held.turns ??= createSemaphore({ atOnce: Math.max(1, share), waiting: MOST_WAITING });
  return held.turns;
}

/** Of no password: what is compared where there is no account, so that the answer takes as long. */
const DUMMY = phcOf(Buffer.alloc(16), Buffer.alloc(PARAMETERS.tagLength));

/**
 * A password hash in PHC form, `$argon2id$v=19$m=…,t=…,p=…$salt$tag`.
 *
 * @throws AppError RATE_LIMITED when too many passwords wait to be hashed
 */
export async function hashPassword(ctx: Pick<Ctx, 'memory'>, password: string): Promise<string> {
  const nonce = randomBytes(16);
  return phcOf(nonce, await inTurn(ctx, () => argon2id({ message: password, nonce, ...PARAMETERS })));
}

/**
 * Whether a password belongs to a PHC string. It takes as long where there is none, or one of another form.
 *
 * @throws AppError RATE_LIMITED when too many passwords wait to be hashed
 */
export async function verifyPassword(
  ctx: Pick<Ctx, 'memory'>,
  password: string,
  phc: string | null,
): Promise<boolean> {
  const known = phc === null ? null : parsePhc(phc);
  const { tag, ...parameters } = known ?? (parsePhc(DUMMY) as Parsed);
  const again = await inTurn(ctx, () =>
    argon2id({ message: password, ...parameters, tagLength: tag.length }),
  );
  return timingSafeEqual(again, tag) && known !== null;
}

/** Whether a hash was made with other parameters than a new one is. */
export function isOutdated(phc: string): boolean {
  const parsed = parsePhc(phc);
  if (!parsed) return true;
  const { memory, passes, parallelism, tagLength } = PARAMETERS;
  const isSame = parsed.memory === memory && parsed.passes === passes && parsed.parallelism === parallelism;
  return !isSame || parsed.tag.length !== tagLength;
}

/** A password for somebody who asked for one: 24 characters, 144 random bits. */
export const generatePassword = (): string => randomBytes(18).toString('base64url');

/**
 * Whoever cannot be served refuses before reading on: of 500 who sign in at once, all but 50 are refused, and reading
 * each of them would hold up everybody else.
 *
 * @throws AppError RATE_LIMITED when too many passwords wait to be hashed
 */
export function requireRoom(ctx: Pick<Ctx, 'memory'>): void {
  if (turnsOf(ctx).isFull) throw tooMany();
}

const tooMany = (): AppError =>
  fail('RATE_LIMITED', 'Too many people are signing in right now', {
    details: { retryAfterSeconds: RETRY_AFTER_SECONDS },
  });

async function inTurn<T>(ctx: Pick<Ctx, 'memory'>, work: () => Promise<T>): Promise<T> {
  try {
    return await turnsOf(ctx).run(work);
  } catch (error) {
    if (!(error instanceof QueueFull)) throw error;
    throw tooMany();
  }
}

interface Parsed {
  memory: number;
  passes: number;
  parallelism: number;
  nonce: Buffer;
  tag: Buffer;
}

function parsePhc(phc: string): Parsed | null {
  const match = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/.exec(phc);
  if (!match) return null;
  const [memory, passes, parallelism] = match.slice(1, 4).map(Number) as [number, number, number];
  const [nonce, tag] = match.slice(4).map((part) => Buffer.from(part, 'base64')) as [Buffer, Buffer];
  return { memory, passes, parallelism, nonce, tag };
}

function phcOf(nonce: Uint8Array, tag: Uint8Array): string {
  const { memory, passes, parallelism } = PARAMETERS;
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${unpadded(nonce)}$${unpadded(tag)}`;
}

function unpadded(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64').replaceAll('=', '');
}
