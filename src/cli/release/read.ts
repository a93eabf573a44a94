import type { Page } from '#kernel/service/pagination.ts';
import type { ReleaseStats } from '#licensing/releases/releases/view.ts';
import { card } from '../card.ts';
import { at } from '../desk/desk.ts';
import { namingFlags } from '../flag-names.ts';
import type { Cli } from '../frame/context.ts';
import { flushServer } from '../fresh.ts';
import { pageAsked } from '../paging.ts';
import { releaseFlags } from './flags.ts';
import { type DeskRelease, releaseOf, withReleases } from './twin.ts';
import { releaseCard, releaseColumns, releaseView } from './view.ts';

/** `appctl release list`. */
export async function listReleases(cli: Cli): Promise<void> {
  const query = {
    ...pageAsked(cli),
    productId: cli.option('product'),
    channel: cli.option('channel'),
    state: cli.option('state'),
    platform: cli.option('platform'),
    arch: cli.option('arch'),
  };
  await namingFlags(releaseFlags, () =>
    withReleases(cli, async (desk) => {
      const { items, pagination } = await desk.get<Page<DeskRelease>>('releases', query);
      await cli.out.page({ items: items.map(releaseView), pagination }, releaseColumns);
    }),
  );
}

/** `appctl release show ID`. */
export function showRelease(cli: Cli): Promise<void> {
  return withReleases(cli, async (desk) => {
    const release = await releaseOf(desk, cli.argument('id'));
    await cli.out.value(releaseView(release), releaseCard(release));
  });
}

/** `appctl release stats ID`. */
export async function showReleaseStats(cli: Cli): Promise<void> {
  await withReleases(cli, async (desk) => {
    // A server on this data directory may still have the last counts in its memory.
    if (desk.local !== null) await flushServer(cli);
    const stats = await desk.get<ReleaseStats>(at`releases/${cli.argument('id')}/stats`);
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
