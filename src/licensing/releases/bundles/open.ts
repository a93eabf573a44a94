import type { Ctx } from '#kernel/context.ts';
import { memoryKey } from '#kernel/process-memory.ts';
import type { StoredObject } from '#kernel/storage/types.ts';
import { fail } from '#licensing/contract/errors.ts';
import { bundleEvents } from './events.ts';
import { type BundleIdentity, type Damage, openVerified } from './verify.ts';

/** The release whose bytes are asked for. */
export interface BundleSubject {
  readonly releaseId: string;
  readonly version: string;
  readonly filename: string;
}

/** Damage that was told already, by release: the state of the location that it was told of. */
const TOLD = memoryKey('bundles.damage-told', () => new Map<string, string>());

/**
 * Opens the bytes of a release for a download; not inside a transaction. What is returned has been verified, and must
 * be closed. Damage is logged, and told once per state and process in the timeline of the release (decision 0024).
 *
 * @throws AppError SERVER_ERROR when the bytes are gone or others than were published; StorageFailure when the storage
 *   cannot be asked
 */
export async function openBundle(
  ctx: Ctx,
  bundle: BundleIdentity,
  subject: BundleSubject,
): Promise<StoredObject> {
  const opened = await openVerified(ctx, bundle);
  const told = ctx.memory.of(TOLD);
  if ('object' in opened) {
    told.delete(subject.releaseId);
    return opened.object;
  }
  if (told.get(subject.releaseId) !== opened.state) {
    told.set(subject.releaseId, opened.state);
    await tell(ctx, bundle, subject, opened.damage);
  }
  throw fail('SERVER_ERROR', 'the stored bundle differs from the published one');
}

async function tell(
  ctx: Ctx,
  { sha256 }: BundleIdentity,
  subject: BundleSubject,
  reason: Damage,
): Promise<void> {
  const { releaseId, version, filename } = subject;
  ctx.log.error(
    { releaseId, version, filename, sha256, reason, requestId: ctx.origin.requestId },
    'a published bundle is gone or damaged; nothing of it was sent',
  );
  try {
    await ctx.tx((ctx) =>
      bundleEvents.tell(ctx, 'RELEASE_BUNDLE_DAMAGED', releaseId, { version, filename, sha256, reason }),
    );
  } catch (error) {
    // The answer stays the same; the next request tells it again.
    ctx.memory.of(TOLD).delete(releaseId);
    ctx.log.error({ err: error, releaseId }, 'the damage could not be written to the timeline');
  }
}
