import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import { oneOf, optional, text } from '#kernel/http/fields.ts';
import { goTo, type Page, page, refuseForm, type Shown, show } from '#kernel/http/page.ts';
import { csvText } from '#kernel/records/csv-write.ts';
import { later } from '#kernel/sharing.ts';
import { PANEL } from '#platform/panel/index.ts';
import { applyCounts, type Counted, type Fault, type Planned, planCounts, readCounts } from './counts.ts';
import { adjust, changeRules } from './levels.ts';
import { ADJUST_REASONS } from './record.ts';
import { stocked } from './stocked.ts';

const itemPath = (id: string): string => `/store/inventory/${encodeURIComponent(id)}`;

const reasonWords: Record<(typeof ADJUST_REASONS)[number], string> = {
  received: 'Received from a supplier',
  correction: 'Correction',
  damaged: 'Damaged or lost',
  returned: 'Returned',
  count: 'Counted',
};

/** What the form shows by which stock is changed. */
export async function adjustTab(ctx: Ctx, variantId: string): Promise<Record<string, unknown>> {
  const level = await stocked(ctx, variantId);
  return {
    action: `${itemPath(variantId)}/stock`,
    after: itemPath(variantId),
    sku: level.sku,
    onHand: level.onHand,
    reserved: level.reserved,
    isTracked: level.trackInventory,
    reasons: ADJUST_REASONS.map((value) => ({ value, label: reasonWords[value] })),
  };
}

/** Changes the stock of a variant by a number of units, or to what was counted. */
const stockPage = page({
  path: '/store/inventory/{variantId}/stock',
  title: 'Adjust stock',
  audience: { staff: 'inventory:write' },
  layout: PANEL,
  help: 'glossary',
  params: z.object({ variantId: text({ min: 1, max: 255 }) }),
  form: later(() =>
    z.object({
      how: oneOf(['delta', 'set_to']),
      units: text({ max: 12, trim: true }),
      reason: oneOf(ADJUST_REASONS),
      note: optional(text({ max: 500 })),
      track: optional(text({ max: 5 })),
    }),
  ),
  show: async (ctx, { params }) =>
    show('store/stock-page', await adjustTab(ctx, params.variantId), {
      values: { how: 'delta', reason: 'received', track: 'true' },
    }),
  async submit(ctx, { params: { variantId }, form: { how, units, reason, note, track } }) {
    if (!/^[+-]?\d{1,10}$/.test(units))
      throw refuseForm('The number of units is not valid', {
        units: `"${units}" is not a whole number; enter units such as 12 or -3`,
      });
    const wanted = how === 'delta' ? { delta: Number(units) } : { setTo: Number(units) };
    try {
      await ctx.tx(async (ctx) => {
        await adjust(ctx, variantId, { ...wanted, reason, note: note || null });
        if (track) await changeRules(ctx, variantId, { trackInventory: true });
      });
    } catch (error) {
      if (!(error instanceof AppError) || error.status !== 400) throw error;
      throw refuseForm('Stock was not changed', { units: error.message });
    }
    return goTo(`${itemPath(variantId)}?done=adjust`);
  },
});

/** Rows that a rehearsal shows. */
const MOST_SHOWN = 500;
const FILE_BYTES = 1024 * 1024;

interface Rehearsed {
  readonly planned: readonly Planned[];
  readonly faults: readonly Fault[];
  readonly isTracking: boolean;
}

const rehearsalOf = ({ planned, faults, isTracking }: Rehearsed) => ({
  rows: planned.slice(0, MOST_SHOWN),
  total: planned.length,
  changing: planned.filter(({ before, count }) => before !== count).length,
  faults,
  isTracking,
  csv: csvText([['sku', 'count'], ...planned.map(({ sku, count }) => [sku, String(count)])]),
});

const countsShown = (more: object = {}): Shown =>
  show('store/stock-counts', { rehearsal: null, done: null, ...more });

async function rehearsed(ctx: Ctx, rows: readonly Counted[], faults: readonly Fault[], isTracking: boolean) {
  const { planned, faults: refused } = await planCounts(ctx, rows);
  const all = [...faults, ...refused].sort((one, other) => one.line - other.line);
  return countsShown({ rehearsal: rehearsalOf({ planned, faults: all, isTracking }) });
}

/** Sets stock to what a file says: first shown, then done. */
const countsPage = page({
  path: '/store/inventory/counts',
  title: 'Import counts',
  audience: { staff: 'inventory:write' },
  layout: PANEL,
  help: 'glossary',
  query: later(() => z.object({ updated: z.string().max(10).optional().catch(undefined) })),
  form: later(() =>
    z.object({
      do: oneOf(['check', 'apply']),
      rows: optional(text({ max: FILE_BYTES })),
      track: optional(text({ max: 5 })),
    }),
  ),
  formBytes: FILE_BYTES,
  files: { file: { maxCount: 1, maxBytes: () => FILE_BYTES, isText: true } },
  show: async (_ctx, { query: { updated } }) =>
    countsShown({ done: updated === undefined ? null : { updated: Number(updated) || 0, faults: [] } }),
  async submit(ctx, { form, files }) {
    const sent = files.file?.[0]?.text ?? form.rows ?? '';
    const isTracking = form.track === 'true';
    const { rows, faults, problem } = await readCounts(sent);
    if (problem !== null) throw refuseForm(problem, { file: problem });
    if (form.do === 'check') return rehearsed(ctx, rows, faults, isTracking);
    const done = await applyCounts(ctx, rows, isTracking);
    if (done.faults.length > 0) return countsShown({ done });
    return goTo(`/store/inventory/counts?updated=${done.updated}`);
  },
});

/** Pages of the stock that its screens cannot declare. */
export const inventoryPages: readonly Page[] = [countsPage, stockPage];
