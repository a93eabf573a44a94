import { type Check, type Finding, fail, ok, onSchema, storageFinding } from '#kernel/check.ts';
import type { Ctx } from '#kernel/context.ts';
import { locationOf } from '#kernel/storage/location.ts';
import { listServed, type ServedBundle } from './queries.ts';
import { type Damage, verifyOnce, verifyStored } from './verify.ts';

/**
 * So much is read from its first to its last byte, the newest releases first: seconds on a disk. Older bundles are
 * looked at by their size, and hashed before they are sent anyway.
 */
const HASHED_BYTES = 4 * 1024 ** 3;

const SHOWN = 5;

/** Looks at the stored bytes of releases (cli.md section 7). */
export const bundleChecks: readonly Check[] = [
  {
    id: 'releases.storage',
    title: 'bundle storage',
    asksOthers: true,
    run: onSchema((ctx) => checkStorage(ctx).catch(storageFinding)),
  },
  {
    id: 'releases.files-present',
    title: 'the bundles of published releases are there and unchanged',
    isLong: 'hourly',
    run: onSchema((ctx, { isRoutine }) => checkFiles(ctx, isRoutine === true).catch(storageFinding)),
  },
];

/** An empty folder in the place of a disk that was not mounted has none of them. */
const LOOKED_AT = 3;

/** Quickly: whether bundles can be stored, and whether the newest ones are there with their size. */
async function checkStorage(ctx: Ctx): Promise<Finding> {
  await ctx.storage.probe();
  const newest = await listServed(ctx, LOOKED_AT);
  const wrong: (ServedBundle & { found: Damage })[] = [];
  for (const bundle of newest) {
    const found = await lookAt(ctx, bundle);
    if (found !== 'ok') wrong.push({ ...bundle, found });
  }
  if (wrong.length > 0) return notServed(wrong);
  return ok(
    newest.length === 0
      ? 'bundles can be stored'
      : 'bundles can be stored, and those of the newest releases are there',
  );
}

/** @param isRoutine bytes that this process has verified and that nobody changed since are not read again */
async function checkFiles(ctx: Ctx, isRoutine: boolean): Promise<Finding> {
  const served = await listServed(ctx);
  if (served.length === 0) return ok('no release is published');
  const wrong: (ServedBundle & { found: Damage })[] = [];
  let left = HASHED_BYTES;
  let hashed = 0;
  for (const bundle of served) {
    const isHashed = bundle.size <= left;
    if (isHashed) left -= bundle.size;
    const found = isHashed ? await verify(ctx, bundle, isRoutine) : await lookAt(ctx, bundle);
    if (isHashed) hashed += 1;
    if (found !== 'ok') wrong.push({ ...bundle, found });
  }
  if (wrong.length > 0) return notServed(wrong);
  const rest = served.length - hashed;
  const bySize = rest === 0 ? '' : `; older ones are present with the right size: ${rest}`;
  return ok(`stored bundles with the published digest: ${hashed}${bySize}`);
}

const verify = (ctx: Ctx, bundle: ServedBundle, isRoutine: boolean) =>
  isRoutine ? verifyOnce(ctx, bundle) : verifyStored(ctx, bundle);

function notServed(wrong: readonly (ServedBundle & { found: Damage })[]): Finding {
  const named = wrong
    .slice(0, SHOWN)
    .map(({ product, version, releaseId, found }) => `${product} ${version} (${releaseId}) is ${found}`);
  const more = wrong.length > SHOWN ? `, and of ${wrong.length - SHOWN} more` : '';
  return fail(
    `the bundle of ${named.join(', of ')}${more}: it cannot be downloaded`,
    `restore the file from a backup, or send it again: appctl release upload ${wrong[0]?.releaseId} FILE`,
  );
}

async function lookAt(ctx: Ctx, { sha256, size }: ServedBundle): Promise<'ok' | Damage> {
  const object = await ctx.storage.open(locationOf(sha256));
  if (object === null) return 'missing';
  await object.close();
  return object.size === size ? 'ok' : 'damaged';
}
