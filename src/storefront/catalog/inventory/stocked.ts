import type { Ctx } from '#kernel/context.ts';
import { unknownVariant } from './levels.ts';
import { levelRows, type Stocked } from './queries.ts';

/** The stock of a variant with its names. @throws AppError NOT_FOUND */
export const stocked = async (ctx: Ctx, id: string): Promise<Stocked> =>
  (await levelRows.find(ctx, id)) ?? unknownVariant(id);
