import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { oneOf } from '#kernel/http/fields.ts';
import { goTo, type Page, page, type Shown, show } from '#kernel/http/page.ts';
import { PANEL } from '#platform/panel/index.ts';
import { start, state } from './sample.ts';

const KINDS: Readonly<Record<string, string>> = { media: 'picture' };

async function shown(ctx: Ctx, report: object | null): Promise<Shown> {
  const { SAMPLE_PRODUCTS } = await import('./load.ts');
  return show('store/sample', { state: await state(ctx), total: SAMPLE_PRODUCTS, report });
}

/** Fills the shop with sample data, and takes it away again. */
const samplePage = page({
  path: '/store/sample',
  title: 'Sample data',
  audience: { staff: 'products:write' },
  layout: PANEL,
  help: 'open-a-shop',
  form: z.object({ do: oneOf(['load', 'remove']) }),
  show: (ctx) => shown(ctx, null),
  async submit(ctx, { form }) {
    if (form.do === 'load') {
      await start(ctx);
      return goTo('/store/sample');
    }
    const { removed, kept } = await (await import('./remove.ts')).remove(ctx);
    const rows = kept.map(({ kind, ...one }) => ({ ...one, kind: KINDS[kind] ?? kind }));
    return shown(ctx, { removed, kept: rows });
  },
});

export const samplePages: readonly Page[] = [samplePage];
