import type { Ctx } from '#kernel/context.ts';
import * as categories from '../categories/index.ts';
import * as collections from '../collections/index.ts';
import * as content from '../content/index.ts';
import type { MenuLink } from './record.ts';

/** What a menu can lead to. */
export interface Target {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
}

type Kind = Exclude<MenuLink['type'], 'url'>;

/** Everything that a menu can lead to beside addresses: what shoppers can open now. */
export type Targets = Readonly<Record<Kind, readonly Target[]>>;

const folders: Record<Kind, string> = { page: 'pages', category: 'categories', collection: 'collections' };

/** Read from memory: each is as the database has it. */
export async function targetsOf(ctx: Ctx): Promise<Targets> {
  const named = ({ id, slug, title }: { id: string; slug: string; title: string }) => ({
    id,
    slug,
    name: title,
  });
  return {
    page: (await content.listShown(ctx)).map(named),
    category: (await categories.listShown(ctx)).map(({ id, slug, name }) => ({ id, slug, name })),
    collection: (await collections.listShown(ctx)).map(named),
  };
}

/** The address that a link leads to; null while there is nothing to see there. */
export function hrefOf(targets: Targets, { type, target }: Pick<MenuLink, 'type' | 'target'>): string | null {
  if (type === 'url') return target;
  const found = targets[type].find(({ id }) => id === target);
  return found ? `/shop/${folders[type]}/${found.slug}` : null;
}

/** Whether an address may stand in a menu: another site over http(s), or a path of this one. */
export function isLinkAddress(address: string): boolean {
  // A browser reads // and /\ as another site.
  if (/[\p{Cc}\s\\]/u.test(address)) return false;
  if (address.startsWith('/')) return !address.startsWith('//');
  return /^https?:\/\//i.test(address) && URL.canParse(address);
}
