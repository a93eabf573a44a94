import { createTable } from '../src/kernel/db/columns.ts';
import type { DialectName } from '../src/kernel/db/database.ts';
import type { Migration } from '../src/kernel/db/migrate.ts';

type Schema = Parameters<Migration['up']>[0];

const TABLES = ['promotion_redemptions', 'code_registry', 'promotion_codes', 'promotions'];

/** Promotions, their codes, and what orders have used of both (storefront-domain 4.8). */
export const m0049ShopPromotions: Migration = {
  name: '0049-shop-promotions',
  async up(knex, dialect) {
    await makePromotions(knex, dialect);
    await makeCodes(knex, dialect);
    await makeRedemptions(knex, dialect);
  },
  async down(knex) {
    for (const table of TABLES) await knex.schema.dropTable(table);
  },
};

async function makePromotions(knex: Schema, dialect: DialectName): Promise<void> {
  await createTable(knex, dialect, 'promotions', (c, t) => {
    c.id().primary();
    c.text('name').notNullable();
    c.choice('type', ['coupon', 'automatic', 'bogo']).notNullable();
    c.choice('class', ['item', 'order', 'shipping']).notNullable();
    c.choice('effect', ['percent', 'fixed_amount', 'fixed_price', 'free_shipping', 'bogo']).notNullable();
    c.big('value', 0).notNullable();
    c.choice('scope', ['per_unit', 'once']).notNullable();
    for (const name of ['applies_to', 'customer_rule', 'shipping_rule', 'combines_with'])
      c.json(name).notNullable();
    for (const name of ['excludes', 'buy', 'get', 'schedule_rule']) c.json(name);
    for (const name of ['exclude_sale', 'stackable']) c.flag(name, false);
    for (const name of ['max_units', 'buy_quantity', 'get_quantity', 'max_sets', 'min_quantity'])
      c.int(name, 1);
    for (const name of ['usage_limit', 'usage_limit_per_customer']) c.int(name, 1);
    for (const name of ['max_discount_cents', 'min_subtotal_cents']) c.big(name, 1);
    c.choice('get_effect', ['percent', 'fixed_amount', 'fixed_price']).notNullable();
    c.big('get_value', 0).notNullable();
    c.choice('get_selection', ['grouped', 'cheapest']).notNullable();
    for (const name of ['code', 'code_norm', 'exclusion_group']) c.text(name);
    c.int('priority', 0, 1_000_000).notNullable();
    c.int('used_count', 0).notNullable();
    c.choice('status', ['draft', 'active', 'paused', 'archived']).notNullable();
    for (const name of ['starts_at', 'ends_at', 'locked_at']) c.time(name);
    c.int('version', 1).notNullable();
    c.updated();
    t.check('usage_limit IS NULL OR used_count <= usage_limit');
    t.check('starts_at IS NULL OR ends_at IS NULL OR starts_at < ends_at');
    t.check("(type = 'bogo') = (effect = 'bogo')");
    t.check("effect <> 'bogo' OR (class = 'item' AND buy_quantity IS NOT NULL AND get_quantity IS NOT NULL)");
    t.check("effect <> 'fixed_price' OR class = 'item'");
    t.check("effect <> 'free_shipping' OR class = 'shipping'");
    t.check("effect <> 'percent' OR (value >= 1 AND value <= 10000)");
    t.check("type <> 'automatic' OR code IS NULL");
    t.index(['status', 'created_at']);
    t.index(['created_at']);
    t.index(['code_norm']);
  });
}

async function makeCodes(knex: Schema, dialect: DialectName): Promise<void> {
  await createTable(knex, dialect, 'promotion_codes', (c, t) => {
    c.id().primary();
    c.reference('promotion_id', 'promotions', 'CASCADE').notNullable();
    c.text('code').notNullable();
    c.text('code_norm').notNullable();
    c.int('usage_limit', 1);
    c.int('used_count', 0).notNullable();
    c.time('disabled_at');
    c.time('expires_at');
    c.updated();
    t.check('usage_limit IS NULL OR used_count <= usage_limit');
    t.index(['promotion_id', 'created_at']);
    t.index(['code_norm']);
  });
  // A code is taken once, whether it is a promotion's own or one of many.
  await createTable(knex, dialect, 'code_registry', (c, t) => {
    c.text('code_norm').notNullable().primary();
    c.choice('kind', ['promotion', 'promotion_code']).notNullable();
    c.id('ref_id');
    t.index(['ref_id']);
  });
}

async function makeRedemptions(knex: Schema, dialect: DialectName): Promise<void> {
  await createTable(knex, dialect, 'promotion_redemptions', (c, t) => {
    c.id().primary();
    c.reference('promotion_id', 'promotions').notNullable();
    c.reference('code_id', 'promotion_codes').nullable();
    c.text('order_id').notNullable();
    c.text('customer_id');
    c.text('email_norm').notNullable();
    c.big('amount_cents', 1).notNullable();
    c.choice('status', ['held', 'used', 'released']).notNullable();
    c.updated();
    t.unique(['promotion_id', 'order_id']);
    t.index(['promotion_id', 'created_at']);
    t.index(['promotion_id', 'email_norm']);
    t.index(['promotion_id', 'customer_id']);
    t.index(['order_id']);
    t.index(['code_id']);
  });
}
