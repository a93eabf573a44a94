import type { Ctx } from '#kernel/context.ts';

/** How much the whole installation holds. */
export interface Totals {
  licenses: number;
  products: number;
  customers: number;
  /** Live ones only. */
  activations: number;
}

/** Counts over all tenants; trashed licenses and honeypots are not counted. */
export async function countAll(ctx: Ctx): Promise<Totals> {
  const { knex } = ctx.db;
  const row = await knex
    .select({
      licenses: knex('licenses').where({ deleted_at: null, honeypot: false }).count('*'),
      products: knex('license_products').count('*'),
      customers: knex('license_customers').count('*'),
      activations: knex('license_activations').whereNull('ended_at').count('*'),
    })
    .first();
  const count = (name: keyof Totals): number => Number(row?.[name] ?? 0);
  return {
    licenses: count('licenses'),
    products: count('products'),
    customers: count('customers'),
    activations: count('activations'),
  };
}
