import { allows } from '#kernel/actor.ts';
import type { Ctx } from '#kernel/context.ts';
import type { NavPlace, Page } from '#kernel/http/page.ts';
import type { Around } from '#kernel/http/site.ts';
import { isOn } from '#kernel/settings-reader.ts';
import type { PanelArea } from '../admin/index.ts';
import * as preferences from '../preferences/index.ts';
import { mayWorkForShop } from '../staff-api/index.ts';
import { type Desk, mayDo } from './screens/registry.ts';
import { listTitleOf } from './screens/words.ts';
import { isOfShop } from './tenant.ts';
import { tenantChoice } from './tenant-page.ts';
import { type WaitsFor, waitingFor } from './waiting.ts';

/** A group of the navigation. */
interface Group {
  readonly label: string;
  readonly items: readonly Item[];
}

interface Item {
  readonly label: string;
  /** Other words that people look for it by. */
  readonly words: string;
  readonly href: string;
  readonly isCurrent: boolean;
  readonly goKey: string | null;
}

/** In the order in which they are shown. */
const AREAS: Readonly<Record<PanelArea, string>> = {
  home: '',
  store: 'Store',
  licensing: 'Licensing',
  content: 'Content',
  insights: 'Insights',
  system: 'System',
};

/** What has a place in the navigation, whoever looks: the list of a resource, or a page of its own. */
interface Place extends NavPlace {
  readonly path: string;
  isFor(ctx: Ctx): boolean;
}

/** What stands around every page of the panel: its navigation, with what somebody may open (admin.md 4). */
export const around = (desks: readonly Desk[], waits: readonly WaitsFor[]): Around => {
  const lists = desks.flatMap(placeOfDesk);
  return async (ctx, { actor }, path, pages, page) => {
    const [at = path] = path.split('?', 1);
    return {
      nav: groupsOf([...lists, ...pages.flatMap(placeOfPage)], ctx, at),
      tenants: await tenantChoice(ctx),
      here: at,
      waiting: await waitingFor(ctx, waits),
      helpHref: page.help === undefined ? '/help' : `/help/${page.help}`,
      preferences: await preferences.of(ctx, actor.id),
      viewing: actor.viewing ? { as: actor.label, by: actor.viewing.label } : null,
    };
  };
};

const placeOfDesk = (desk: Desk): Place[] => {
  const { screen, labels, ops } = desk;
  const { path, area, goKey, order, words } = screen;
  if (screen.nav === null || path.includes('{')) return [];
  const more = {
    ...(goKey !== undefined && { goKey }),
    ...(order !== undefined && { order }),
    ...(words !== undefined && { words }),
  };
  return [
    {
      path,
      area,
      label: listTitleOf({ screen, labels }),
      ...more,
      isFor: (ctx) => isOn(desk, ctx) && mayDo(ctx.actor, ops.list),
    },
  ];
};

const placeOfPage = (page: Page): Place[] =>
  page.nav ? [{ ...page.nav, path: page.path, isFor: (ctx) => isOn(page, ctx) && mayOpen(ctx, page) }] : [];

const mayOpen = ({ actor }: Ctx, { audience }: Page): boolean =>
  typeof audience === 'string' ||
  allows(actor, audience.staff) ||
  (audience.or !== undefined && allows(actor, audience.or));

function groupsOf(places: readonly Place[], ctx: Ctx, at: string): readonly Group[] {
  const shown = places
    .filter((place) => place.isFor(ctx) && (!isOfShop(place.path) || mayWorkForShop(ctx.actor)))
    .sort((one, other) => orderOf(one) - orderOf(other));
  const current = currentOf(shown, at);
  const groups = Object.entries(AREAS).map(([area, label]) => ({
    label,
    items: shown
      .filter((place) => place.area === area)
      .map(({ label, words = '', path, goKey = null }) => ({
        ...{ label, words, goKey },
        href: path,
        isCurrent: path === current,
      })),
  }));
  return groups.filter(({ items }) => items.length > 0);
}

const orderOf = ({ order = Number.MAX_SAFE_INTEGER }: Place): number => order;

/** The path of the place that an address belongs to: the longest one, as `/admin/system/jobs` is below `/admin/system`. */
const currentOf = (places: readonly Place[], at: string): string | undefined =>
  places
    .map(({ path }) => path)
    .filter((path) => at === path || (!path.endsWith('/') && at.startsWith(`${path}/`)))
    .sort((one, other) => other.length - one.length)[0];
