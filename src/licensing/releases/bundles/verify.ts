import { createHash } from 'node:crypto';
import type { Ctx } from '#kernel/context.ts';
import { memoryKey } from '#kernel/process-memory.ts';
import { StorageFailure } from '#kernel/storage/failure.ts';
import { locationOf } from '#kernel/storage/location.ts';
import type { StoredObject } from '#kernel/storage/types.ts';

/** What the bytes of a bundle must be: lower-case hex and bytes. */
export interface BundleIdentity {
  readonly sha256: string;
  readonly size: number;
}

interface Verified {
  readonly state: string;
  /** Whether the bytes of this state have the digest. */
  readonly isRight: Promise<boolean>;
  /** False while they are read. */
  isDone: boolean;
}

/** Which state of a location this process has hashed. */
const VERIFIED = memoryKey('bundles.verified', () => new Map<string, Verified>());

/** More bundles than that are hashed again: it bounds the memory, not what is served. */
const REMEMBERED = 10_000;

/** Bytes may be replaced while they are hashed; a file that never rests is not served. */
const ATTEMPTS = 10;

/** Why bytes cannot be served. */
export type Damage = 'missing' | 'damaged';

/** An object whose bytes are right, or what is wrong and with which state of the location. */
export type Opened = { object: StoredObject } | { damage: Damage; state: string };

/**
 * Opens stored bytes and makes sure that they are the right ones: a state that this process has not hashed yet is
 * hashed on the opened object (decision 0024).
 *
 * @throws StorageFailure, also for right bytes that are replaced again and again; what the storage throws while it is
 *   read
 */
export async function openVerified(ctx: Ctx, { sha256, size }: BundleIdentity): Promise<Opened> {
  const location = locationOf(sha256);
  let hashed: string | null = null;
  for (let attempt = 1; ; attempt += 1) {
    const object = await ctx.storage.open(location);
    if (object === null) return { damage: 'missing', state: 'missing' };
    // Whoever verifies the same bytes meanwhile has them hashed again: what was read here holds nevertheless.
    if (object.state === hashed) return { object };
    const verdict = await closingOnError(object, () => judge(ctx, object, { sha256, size }));
    if (verdict === 'right') return { object };
    await object.close();
    if (verdict === 'wrong') return { damage: 'damaged', state: object.state };
    if (attempt === ATTEMPTS)
      throw new StorageFailure('a stored bundle changes while it is read', 'try again');
    hashed = object.state;
  }
}

/** `unsure`: they were right when they were read, and may have changed since it was opened. */
async function judge(
  ctx: Ctx,
  object: StoredObject,
  { sha256, size }: BundleIdentity,
): Promise<'right' | 'wrong' | 'unsure'> {
  if (object.size !== size) return 'wrong';
  const verified = ctx.memory.of(VERIFIED);
  const location = locationOf(sha256);
  const known = verified.get(location);
  if (known?.state === object.state && known.isDone) return (await known.isRight) ? 'right' : 'wrong';
  const found = known?.state === object.state ? known : read(verified, object, sha256);
  // Opened again: the state after the reading is that before it, or the bytes are read once more.
  return (await found.isRight) ? 'unsure' : 'wrong';
}

/** Begins to hash an object; all who open the same state meanwhile wait for the one reading. */
function read(verified: Map<string, Verified>, object: StoredObject, sha256: string): Verified {
  const location = locationOf(sha256);
  const found: Verified = { state: object.state, isRight: hasDigest(object, sha256), isDone: false };
  remember(verified, location, found);
  found.isRight.then(
    () => {
      found.isDone = true;
    },
    () => {
      if (verified.get(location) === found) verified.delete(location);
    },
  );
  return found;
}

/**
 * Reads stored bytes from their first to their last and compares them, whatever was verified before.
 *
 * @throws StorageFailure, or what the storage throws while it is read
 */
export async function verifyStored(ctx: Ctx, bundle: BundleIdentity): Promise<'ok' | Damage> {
  ctx.memory.of(VERIFIED).delete(locationOf(bundle.sha256));
  return verifyOnce(ctx, bundle);
}

/** As `verifyStored`, but bytes that this process has read and that nobody has changed since are not read again. */
export async function verifyOnce(ctx: Ctx, bundle: BundleIdentity): Promise<'ok' | Damage> {
  const opened = await openVerified(ctx, bundle);
  if (!('object' in opened)) return opened.damage;
  await opened.object.close();
  return 'ok';
}

async function hasDigest(object: StoredObject, sha256: string): Promise<boolean> {
  const hash = createHash('sha256');
  for await (const chunk of object.read(0, object.size - 1)) hash.update(chunk);
  return hash.digest('hex') === sha256;
}

function remember(verified: Map<string, Verified>, location: string, found: Verified): void {
  verified.delete(location);
  verified.set(location, found);
  for (const oldest of verified.keys()) {
    if (verified.size <= REMEMBERED) return;
    verified.delete(oldest);
  }
}

async function closingOnError<T>(object: StoredObject, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await object.close();
    throw error;
  }
}
