import { z } from 'zod';
import { allows } from '#kernel/actor.ts';
import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import { optional, text } from '#kernel/http/fields.ts';
import { goTo, type Page, page, refuseForm, show } from '#kernel/http/page.ts';
import { PANEL } from '#platform/panel/index.ts';
import { renameBrand } from './brands.ts';
import { listBrands } from './queries.ts';

const model = async (ctx: Ctx) => ({
  brands: (await listBrands(ctx, '')).map(({ brand, count }) => ({
    brand,
    count,
    href: `/store/products?brand=${encodeURIComponent(brand)}`,
  })),
  mayWrite: allows(ctx.actor, 'products:write'),
});

/** Brands in use, and the form that renames one in all its products. */
const brandsPage = page({
  path: '/store/brands',
  title: 'Brands',
  audience: { staff: 'products:write' },
  layout: PANEL,
  help: 'glossary',
  query: z.object({ from: optional(text({ max: 100 })) }),
  form: z.object({ from: text({ max: 100, trim: true }), to: text({ max: 100, trim: true }) }),
  show: async (ctx, { query }) =>
    show('store/brands', await model(ctx), { values: { from: query.from ?? '' } }),
  async submit(ctx, { form }) {
    if (form.to === '') throw refuseForm('Nothing was renamed', { to: 'Enter the new name' });
    try {
      await renameBrand(ctx, form);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'NOT_FOUND') throw error;
      throw refuseForm('Nothing was renamed', { from: `Brand ${form.from} does not exist` });
    }
    return goTo('/store/brands');
  },
});

/** Pages of what products are grouped by. */
export const wordPages: readonly Page[] = [brandsPage];
