import { type Page, page, show } from '#kernel/http/page.ts';
import { localSecond } from '#kernel/local-time.ts';
import { PANEL } from '#platform/panel/index.ts';
import { hookReport } from './report.ts';

const shownTime = (at: string | null): string | null => (at === null ? null : localSecond(new Date(at)));

/** What the hooks directory holds, and how its files do. */
export const hooksPage: Page = page({
  path: '/store/settings/hooks',
  title: 'Hooks',
  audience: { staff: 'settings:read' },
  layout: PANEL,
  help: 'write-hooks',
  async show(ctx) {
    const files = await hookReport(ctx);
    return show('store/hooks', {
      dir: ctx.hooks.dir,
      points: ctx.hooks.points.map(({ name }) => name),
      files: files.map((one) => ({
        ...one,
        lastErrorAt: shownTime(one.lastErrorAt),
        subscriptions: one.subscriptions.map((sub) => ({ ...sub, lastErrorAt: shownTime(sub.lastErrorAt) })),
      })),
    });
  },
});
