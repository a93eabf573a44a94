import { isVersion, type ReleaseCreateInput } from '#licensing/releases/releases/index.ts';
import { noteChange, planned } from '../change.ts';
import type { Desk } from '../desk/desk.ts';
import { namingFlags } from '../flag-names.ts';
import type { Cli } from '../frame/context.ts';
import { CliError, usageError } from '../frame/errors.ts';
import { exits } from '../frame/exits.ts';
import { readableBundle } from './bundle-file.ts';
import { digestShown } from './deliver.ts';
import { flagOf, releaseAsked, releaseFlags, rolloutAsked, timeAsked } from './flags.ts';
import { signingKeyOfFlag } from './key-source.ts';
import { productOf } from './product-keys.ts';
import { checkRoom } from './room.ts';
import {
  backportWarning,
  judgeKey,
  keyChangeWarning,
  newestOf,
  requireRisingVersion,
} from './ship-checks.ts';
import { carryOut, plan, type Shipment } from './ship-steps.ts';
import { siblingsOf } from './siblings.ts';
import { trySignatureFile } from './signature-output.ts';
import { type DeskRelease, withReleases } from './twin.ts';
import { releaseCard, releaseName, releaseView } from './view.ts';

/** `appctl release ship FILE`. */
export const shipRelease = (cli: Cli): Promise<void> => shipBundle(cli, cli.argument('file'));

/**
 * Ships one bundle; also for `release sign FILE --publish`, which declares fewer options. What can be refused is
 * refused before the bundle is read: key and passphrase, then version, room and permission.
 *
 * @param path of the bundle
 */
export async function shipBundle(cli: Cli, path: string): Promise<void> {
  const when = timeAsked(cli);
  const key = await signingKeyOfFlag(cli);
  const input = await releaseAsked(cli);
  if (!isVersion(input.version)) {
    throw usageError(
      `--version '${input.version}' is not a semantic version`,
      'write a version such as 2.1.0',
    );
  }
  await namingFlags(releaseFlags, () =>
    withReleases(cli, async (desk) => {
      const size = await readableBundle(path, true);
      trySignatureFile(cli, path, 'appctl');
      const product = await productOf(desk, input.productId);
      const siblings = await siblingsOf(desk, lineOf(input));
      const existing = siblings.find(({ version }) => version === input.version) ?? null;
      if (existing && existing.state !== 'DRAFT') return answerShipped(cli, existing, path, size);
      const isFirstKey = judgeKey(product, key.keyId);
      const newest = newestOf(siblings, input.channel);
      if (!flagOf(cli, 'backport')) requireRisingVersion(newest, input.version);
      await checkRoom(desk, size);
      const isDraft = flagOf(cli, 'draft');
      const shipment = {
        path,
        size,
        key,
        isFirstKey,
        input,
        when,
        isDraft,
        product,
        siblings,
        draft: existing,
      };
      await answer(cli, await shipped(cli, desk, shipment), isFirstKey, newest);
    }),
  );
}

const lineOf = ({ productId, platform, arch }: ReleaseCreateInput) => ({
  product: productId,
  platform: platform ?? '',
  arch: arch ?? '',
});

const shipped = (cli: Cli, desk: Desk, shipment: Shipment): Promise<DeskRelease> =>
  cli.dryRun ? plan(cli, desk, shipment) : carryOut(cli, desk, shipment);

async function answer(
  cli: Cli,
  release: DeskRelease,
  keyRegistered: boolean,
  newest: DeskRelease | null,
): Promise<void> {
  await cli.out.value(planned(cli, { ...releaseView(release), keyRegistered }), releaseCard(release));
  if (keyRegistered) noteChange(cli, `the key ${release.keyId} is now the ACTIVE key of ${release.product}`);
  for (const warning of [keyChangeWarning(newest, release), backportWarning(newest, release)]) {
    if (warning !== null) cli.warn(warning);
  }
  if (release.state === 'DRAFT') {
    noteChange(cli, `${releaseName(release)} is a draft`);
    if (!cli.dryRun) cli.next(`appctl release publish ${release.id}`);
    return;
  }
  noteChange(cli, `published ${releaseName(release)} on channel ${release.channel}`);
  const { effectivePercent } = release.rollout;
  if (effectivePercent < 100 && !cli.dryRun) cli.next(`appctl release rollout ${release.id} --percent 100`);
}

/** A share that was asked for again is not set: it may have been raised or stopped since. */
function noteRollout(cli: Cli, { id, rollout }: DeskRelease): void {
  const { rolloutPercent } = rolloutAsked(cli);
  if (rolloutPercent === undefined || rolloutPercent === rollout.percent) return;
  cli.note(`its rollout stays at ${rollout.percent}%`);
  cli.next(`appctl release rollout ${id} --percent ${rolloutPercent}`);
}

/**
 * A build that is repeated has nothing to do when its release is out with the same bytes.
 *
 * @throws CliError 5 for other bytes, and for a release that is not out any more
 */
async function answerShipped(cli: Cli, release: DeskRelease, path: string, size: number): Promise<void> {
  const { sha256 } = await digestShown(cli, path, size, true);
  const isSame = release.bundleSha256 === sha256.toString('hex');
  if (isSame && release.state === 'PUBLISHED') {
    await cli.out.value(
      planned(cli, { ...releaseView(release), keyRegistered: false }),
      releaseCard(release),
    );
    cli.note(`${releaseName(release)} is already published, with the same bytes`);
    return noteRollout(cli, release);
  }
  throw new CliError(
    exits.conflict,
    'CONFLICT',
    `${releaseName(release)} is already ${release.state}${isSame ? '' : ', with different bytes'}`,
    {
      hint: isSame
        ? `appctl release show ${release.id}`
        : 'a published release cannot change: ship a new version',
      details: { reason: 'VERSION_EXISTS', id: release.id, state: release.state },
    },
  );
}
