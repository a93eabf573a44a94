import { createTable } from '../src/kernel/db/columns.ts';
import type { DialectName } from '../src/kernel/db/database.ts';
import { appendOnlyTriggers, dropAppendOnly } from '../src/kernel/db/dialect.ts';
import type { Migration } from '../src/kernel/db/migrate.ts';

type Schema = Parameters<Migration['up']>[0];

const TABLES = ['gift_card_holds', 'gift_card_ledger', 'gift_cards'];
const MOST_CENTS = 100_000_000_000;

/** Gift cards, each change of their balance, and what orders hold of it (storefront-domain 4.9). */
export const m0051ShopGiftCards: Migration = {
  name: '0051-shop-gift-cards',
  async up(knex, dialect) {
    await makeCards(knex, dialect);
    await makeLedger(knex, dialect);
    await makeHolds(knex, dialect);
  },
  async down(knex, dialect) {
    for (const table of TABLES) await knex.schema.dropTable(table);
    for (const sql of dropAppendOnly(dialect, 'gift_card_ledger')) await knex.raw(sql);
  },
};

async function makeCards(knex: Schema, dialect: DialectName): Promise<void> {
  await createTable(knex, dialect, 'gift_cards', (c, t) => {
    c.id().primary();
    c.text('code_hash').notNullable();
    // Emptied when the code has reached somebody.
    c.text('code_sealed');
    c.text('last4').notNullable();
    c.text('currency').notNullable();
    c.big('initial_cents', 1).notNullable();
    c.big('balance_cents', 0).notNullable();
    c.big('held_cents', 0).notNullable();
    c.choice('status', ['pending', 'active', 'disabled', 'redeemed', 'expired']).notNullable();
    for (const name of ['expires_at', 'send_at', 'delivered_at']) c.time(name);
    // Of orders and customers, which may be erased.
    for (const name of ['order_item_id', 'purchaser_customer_id', 'owner_customer_id']) c.text(name);
    for (const name of ['recipient_email', 'recipient_name', 'sender_name', 'message', 'locale', 'note'])
      c.text(name);
    c.updated();
    t.unique(['code_hash']);
    t.check('held_cents <= balance_cents');
    t.check("held_cents = 0 OR status = 'active'");
    t.check("status NOT IN ('redeemed', 'expired') OR balance_cents = 0");
    t.index(['status', 'created_at']);
    t.index(['status', 'expires_at']);
    t.index(['status', 'send_at']);
    t.index(['created_at']);
    t.index(['last4']);
    t.index(['order_item_id']);
    t.index(['owner_customer_id']);
    t.index(['purchaser_customer_id']);
  });
}

async function makeLedger(knex: Schema, dialect: DialectName): Promise<void> {
  await createTable(knex, dialect, 'gift_card_ledger', (c, t) => {
    c.id().primary();
    c.reference('gift_card_id', 'gift_cards').notNullable();
    c.big('delta_cents', -MOST_CENTS).notNullable();
    c.big('balance_after_cents', 0).notNullable();
    c.choice('type', ['issue', 'redeem', 'refund', 'adjust', 'expire', 'reverse']).notNullable();
    c.text('order_id');
    c.text('refund_id');
    c.text('actor').notNullable();
    c.text('note');
    t.check('delta_cents <> 0');
    t.index(['gift_card_id', 'created_at']);
    t.index(['order_id']);
  });
  for (const sql of appendOnlyTriggers(dialect, 'gift_card_ledger')) await knex.raw(sql);
}

async function makeHolds(knex: Schema, dialect: DialectName): Promise<void> {
  await createTable(knex, dialect, 'gift_card_holds', (c, t) => {
    c.id().primary();
    c.reference('gift_card_id', 'gift_cards').notNullable();
    c.text('order_id').notNullable();
    c.big('amount_cents', 1).notNullable();
    c.choice('status', ['held', 'spent', 'released']).notNullable();
    c.updated();
    t.unique(['gift_card_id', 'order_id']);
    t.index(['order_id']);
  });
}
