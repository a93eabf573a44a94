import { z } from 'zod';
import { allows } from '#kernel/actor.ts';
import type { Ctx } from '#kernel/context.ts';
import { oneOf } from '#kernel/http/fields.ts';
import { type Page, page, show } from '#kernel/http/page.ts';
import { homeFigures, PERIOD_DAYS, tilesOf } from './home-figures.ts';
import { todo } from './todo.ts';

/** Whoever may do all that the first license takes. */
const mayBegin = ({ actor }: Ctx): boolean =>
  allows(actor, 'licensing:secrets') && allows(actor, 'licensing:write');

/** Shorter ones draw no line. */
const FEWEST_DAYS = 7;

/** What a vendor opens the day with: what is to do, the figures against those before, and their course (admin.md 5.1). */
export const homePage: Page = page({
  path: '/admin/',
  title: 'Home',
  audience: { staff: 'licensing:read', or: 'system:read' },
  layout: 'layouts/panel',
  help: 'reports',
  nav: { area: 'home', label: 'Home', goKey: 'h' },
  query: z.object({ days: oneOf(PERIOD_DAYS).default('30') }),
  async show(ctx, { query }) {
    const days = Number(query.days);
    const maySee = allows(ctx.actor, 'licensing:read');
    const figures = maySee ? await homeFigures(ctx, days, Math.max(days, FEWEST_DAYS)) : null;
    const all = await todo(ctx, figures?.overview.licenses.expiringIn30Days ?? 0);
    return show('licensing/home', {
      tasks: all.filter(({ isAdvice }) => !isAdvice),
      advice: all.filter(({ isAdvice }) => isAdvice),
      isBeginning: figures?.overview.licenses.total === 0 && mayBegin(ctx),
      periods: PERIOD_DAYS.map((value) => ({
        label: value === '1' ? 'Today' : `${value} days`,
        href: `/admin/?days=${value}`,
        isCurrent: value === query.days,
      })),
      tiles: figures ? tilesOf(figures) : [],
      // The library that draws is loaded for whoever looks.
      charts: figures ? (await import('./home-charts.ts')).courses(figures) : [],
    });
  },
});
