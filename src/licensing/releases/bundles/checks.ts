import { type Check, type Finding, fail, ok, onSchema } from '#kernel/check.ts';
import type { Ctx } from '#kernel/context.ts';
import { StorageFailure } from '#kernel/storage/failure.ts';
import { locationOf } from '#kernel/storage/location.ts';
import { listServed, type ServedBundle } from './queries.ts';
import { type Damage, verifyStored } from './verify.ts';

/**
 * So much is read from its first to its last byte, the newest releases first: seconds on a disk. Older bundles are
 * looked at by their size, and hashed before they are sent anyway.
 */
const HASHED_BYTES = 4 * 1024 ** 3;

const SHOWN = 5;

/** Looks at the stored bytes of releases (cli.md section 7). */
export const bundleChecks: readonly Check[] = [
  {
    id: 'releases.files-present',
    title: 'the bundles of published releases are there and unchanged',
    isLong: true,
    run: onSchema((ctx) => checkFiles(ctx).catch(unreachable)),
  },
];

async function checkFiles(ctx: Ctx): Promise<Finding> {
  const served = await listServed(ctx);
  if (served.length === 0) return ok('no release is published');
  const wrong: (ServedBundle & { found: Damage })[] = [];
  let left = HASHED_BYTES;
  let hashed = 0;
  for (const bundle of served) {
    const isHashed = bundle.size <= left;
    if (isHashed) left -= bundle.size;
    const found = isHashed ? await verifyStored(ctx, bundle) : await lookAt(ctx, bundle);
    if (isHashed) hashed += 1;
    if (found !== 'ok') wrong.push({ ...bundle, found });
  }
  const [first] = wrong;
  if (first) {
    const named = wrong
      .slice(0, SHOWN)
      .map(({ product, version, releaseId, found }) => `${product} ${version} (${releaseId}) is ${found}`);
    const more = wrong.length > SHOWN ? `, and of ${wrong.length - SHOWN} more` : '';
    return fail(
      `the bundle of ${named.join(', of ')}${more}: it cannot be downloaded`,
      `restore the file from a backup, or send it again: appctl release upload ${first.releaseId} FILE`,
    );
  }
  const rest = served.length - hashed;
  const bySize = rest === 0 ? '' : `; older ones are there with their size: ${rest}`;
  return ok(`stored bundles with the digest that was published: ${hashed}${bySize}`);
}

/** What an operator can do about the storage is said; every other error goes through. */
function unreachable(error: unknown): Finding {
  if (error instanceof StorageFailure) return fail(error.message, error.hint);
  throw error;
}

async function lookAt(ctx: Ctx, { sha256, size }: ServedBundle): Promise<'ok' | Damage> {
  const object = await ctx.storage.open(locationOf(sha256));
  if (object === null) return 'missing';
  await object.close();
  return object.size === size ? 'ok' : 'damaged';
}
