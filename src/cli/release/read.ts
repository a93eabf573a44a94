import type { ReleaseStats } from '#licensing/releases/releases/index.ts';
import { card } from '../card.ts';
import { namingFlags } from '../flag-names.ts';
import type { Cli } from '../frame/context.ts';
import { flushServer } from '../fresh.ts';
import { pageAsked } from '../paging.ts';
import type { ReleaseQuery } from './desk.ts';
import { releaseFlags } from './flags.ts';
import { withDesk } from './open-desk.ts';
import { releaseCard, releaseColumns, releaseView } from './view.ts';

/** `appctl release list`. */
export async function listReleases(cli: Cli): Promise<void> {
  const query: ReleaseQuery = {
    ...pageAsked(cli),
    product: cli.option('product'),
    // The choices of the options are those of the service.
    channel: cli.option('channel') as ReleaseQuery['channel'],
    state: cli.option('state') as ReleaseQuery['state'],
    platform: cli.option('platform'),
    arch: cli.option('arch'),
  };
  await namingFlags(releaseFlags, () =>
    withDesk(cli, async ({ desk }) => {
      const { items, pagination } = await desk.list(query);
      await cli.out.page({ items: items.map(releaseView), pagination }, releaseColumns);
    }),
  );
}

/** `appctl release show ID`. */
export function showRelease(cli: Cli): Promise<void> {
  return withDesk(cli, async ({ desk }) => {
    const release = await desk.get(cli.argument('id'));
    await cli.out.value(releaseView(release), releaseCard(release));
  });
}

/** `appctl release stats ID`. */
export async function showReleaseStats(cli: Cli): Promise<void> {
  await withDesk(cli, async ({ desk, isRemote }) => {
    // A server on this data directory may still have the last counts in its memory.
    if (!isRemote) await flushServer(cli);
    const stats = await desk.stats(cli.argument('id'));
    await cli.out.value(stats, statsCard(stats));
  });
}

const inWords = ({ checks, offers, downloads }: Omit<ReleaseStats, 'id' | 'fromVersions' | 'days'>) =>
  `${checks} checks, ${offers} offers, ${downloads} downloads`;

const statsCard = (stats: ReleaseStats) =>
  card([
    ['in all', inWords(stats)],
    ...stats.fromVersions.map((one): [string, string] => [
      `from ${one.fromVersion === '' ? 'others' : one.fromVersion}`,
      inWords(one),
    ]),
    ...stats.days.map((one): [string, string] => [`${one.day} UTC`, inWords(one)]),
  ]);
