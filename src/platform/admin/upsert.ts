import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import { count } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { type Action, answering, type Form, type How } from './resource.ts';

const Upserted = later(() =>
  z
    .object({
      upserted: count(),
      errors: z.array(z.object({ index: count(), code: z.string(), message: z.string() })),
    })
    .meta({ id: 'Upserted' }),
);

/**
 * An action that makes or changes many things at once, each in its own transaction: a refused one costs only itself,
 * and is told by its place among those that were sent.
 *
 * @param spec `item` is the form of one; `most` how many a request may send, 500 when absent
 */
export function upserting<Row, F extends Form>({
  item,
  most = 500,
  run,
  ...spec
}: Pick<Action<Row>, 'label' | 'summary' | 'needs' | 'where' | 'path' | 'errors'> & {
  readonly item: F;
  readonly most?: number;
  readonly run: (ctx: Ctx, id: string, item: z.output<F>, how: How) => Promise<unknown>;
}): Action<Row> {
  return answering({
    ...spec,
    level: 'mild',
    method: 'put',
    input: z.strictObject({ items: z.array(item).min(1).max(most) }),
    output: Upserted,
    run: async (ctx, id, { items }, how) => {
      const errors: z.output<typeof Upserted>['errors'] = [];
      for (const [index, one] of (items as z.output<F>[]).entries()) {
        try {
          await run(ctx, id, one, how);
        } catch (error) {
          if (!(error instanceof AppError) || error.status >= 500) throw error;
          errors.push({ index, code: error.code, message: error.message });
        }
      }
      return { upserted: items.length - errors.length, errors };
    },
  });
}
