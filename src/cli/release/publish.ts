import { systemClock } from '#kernel/clock.ts';
import { noteChange, planned } from '../change.ts';
import type { Desk } from '../desk/desk.ts';
import { namingFlags } from '../flag-names.ts';
import type { Cli } from '../frame/context.ts';
import { notFoundError, usageError } from '../frame/errors.ts';
import { humanTime } from '../frame/times.ts';
import { releaseFlags, rolloutAsked, timeAsked } from './flags.ts';
import { keyChangeWarning, newestOf, noStatementWarning } from './ship-checks.ts';
import { siblingsOf } from './siblings.ts';
import { actOn, type DeskRelease, releaseOf, withReleases } from './twin.ts';
import { releaseCard, releaseName, releaseView } from './view.ts';

/** `appctl release publish ID`, or with --product and --version. */
export async function publishRelease(cli: Cli): Promise<void> {
  const how = { ...timeAsked(cli), ...rolloutAsked(cli) };
  await namingFlags(releaseFlags, () =>
    withReleases(cli, async (desk) => {
      const draft = await named(cli, desk);
      const newest = newestOf(await siblingsOf(desk, draft), draft.channel);
      const release = await actOn(desk, draft.id, 'publish', how);
      await cli.out.value(planned(cli, releaseView(release)), releaseCard(release));
      noteChange(cli, `published ${releaseName(release)} on channel ${release.channel}${fromWhen(release)}`);
      for (const warning of [keyChangeWarning(newest, release), noStatementWarning(release)])
        if (warning !== null) cli.warn(warning);
    }),
  );
}

function fromWhen({ publishedAt }: DeskRelease): string {
  const now = systemClock.epochMs();
  return publishedAt !== null && Date.parse(publishedAt) > now
    ? `, from ${humanTime(publishedAt, now)} on`
    : '';
}

async function named(cli: Cli, desk: Desk): Promise<DeskRelease> {
  const [id, product, version] = [cli.optionalArgument('id'), cli.option('product'), cli.option('version')];
  const target = { platform: cli.option('platform') ?? '', arch: cli.option('arch') ?? '' };
  if (id !== undefined) {
    const lost = ['product', 'version', 'platform', 'arch'].find((name) => cli.given(name));
    if (lost !== undefined)
      throw usageError(`--${lost} cannot be used with an ID, which already names the release`);
    return releaseOf(desk, id);
  }
  if (product === undefined || version === undefined)
    throw usageError('ID is missing, or use --product and --version', 'appctl release list --state DRAFT');
  const siblings = await siblingsOf(desk, { product, ...target });
  const release = siblings.find((one) => one.version === version);
  if (release) return release;
  throw notFoundError(
    `release ${releaseName({ product, version, ...target })} was not found`,
    `appctl release list --product ${product}`,
  );
}
