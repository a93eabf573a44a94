import type { Page } from '#kernel/service/pagination.ts';
import type { Desk } from '../desk/desk.ts';
import type { DeskRelease } from './twin.ts';

const PER_PAGE = 500;

/**
 * Every release of a product for the same platform and processor: a new one must fit among them.
 *
 * @param release its product by slug or id; platform and arch may be aliases
 */
export async function siblingsOf(
  desk: Desk,
  { product, platform, arch }: { product: string; platform: string; arch: string },
): Promise<DeskRelease[]> {
  const found: DeskRelease[] = [];
  for (let page = 1; ; page += 1) {
    const { items, pagination } = await desk.get<Page<DeskRelease>>('releases', {
      productId: product,
      platform,
      arch,
      page,
      limit: PER_PAGE,
    });
    found.push(...items);
    if (page >= pagination.totalPages) return found;
  }
}

/**
 * The number of a new statement: the time in seconds, or one more than the highest of its line when that is ahead of
 * the clock.
 *
 * @param now ISO 8601 UTC
 */
export function nextSequence(
  siblings: readonly DeskRelease[],
  { id, channel }: { id: string; channel: DeskRelease['channel'] },
  now: string,
): number {
  const taken = siblings
    .filter((release) => release.id !== id && release.channel === channel)
    .map(({ sequence }) => (sequence ?? -1) + 1);
  return Math.max(Math.floor(Date.parse(now) / 1000), ...taken);
}
