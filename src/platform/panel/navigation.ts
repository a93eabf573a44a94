import { allows } from '#kernel/actor.ts';
import type { Ctx } from '#kernel/context.ts';
import type { Around } from '#kernel/http/site.ts';
import type { PanelArea } from '../admin/index.ts';
import * as preferences from '../preferences/index.ts';
import { type Desk, mayDo } from './screens/registry.ts';
import { titleOf } from './screens/words.ts';
import { tenantChoice } from './tenant-page.ts';

/** A group of the navigation. */
interface Group {
  readonly label: string;
  readonly items: readonly Item[];
}

interface Item {
  readonly label: string;
  readonly href: string;
  readonly isCurrent: boolean;
  readonly goKey: string | null;
}

/** In the order in which they are shown. */
const AREAS: Readonly<Record<PanelArea, string>> = {
  store: 'Store',
  licensing: 'Licensing',
  content: 'Content',
  insights: 'Insights',
  system: 'System',
};

/** What stands around every page of the panel: its navigation, with what somebody may open (admin.md 4). */
export const around =
  (desks: readonly Desk[]): Around =>
  async (ctx, { actor }, path) => {
    const [at = path] = path.split('?', 1);
    return {
      nav: groupsOf(desks, ctx, at),
      tenants: await tenantChoice(ctx),
      here: at,
      preferences: await preferences.of(ctx, actor.id),
      viewing: actor.viewing ? { as: actor.label, by: actor.viewing.label } : null,
    };
  };

function groupsOf(desks: readonly Desk[], ctx: Ctx, at: string): readonly Group[] {
  const groups = Object.entries(AREAS).map(([area, label]) => ({
    label,
    items: desks
      .filter(({ screen, ops }) => isTop(screen) && screen.area === area && mayDo(ctx.actor, ops.list))
      .map((desk) => itemOf(desk, at)),
  }));
  const home = { label: 'Home', href: '/admin/', isCurrent: at === '/admin/', goKey: 'h' };
  const first = allows(ctx.actor, 'system:read') ? [{ label: '', items: [home] }] : [];
  return [...first, ...groups.filter(({ items }) => items.length > 0)];
}

const isTop = ({ path, nav }: Desk['screen']): boolean => nav !== null && !path.includes('{');

const itemOf = ({ screen, labels }: Desk, at: string): Item => ({
  label: screen.nav ?? titleOf(labels.many),
  href: screen.path,
  isCurrent: at === screen.path || at.startsWith(`${screen.path}/`),
  goKey: screen.goKey ?? null,
});
