import type { Migration } from '../src/kernel/db/migrate.ts';

/** Lists of licenses count along one index and walk the newest along the other (admin.md 5.5). */
export const m0016LicenseLists: Migration = {
  name: '0016-license-lists',
  async up(knex) {
    const visible = 'tenant_id, deleted_at, honeypot';
    await knex.raw(
      `CREATE INDEX licenses_counted ON licenses (${visible}, status, type, tier, product_id, valid_until)`,
    );
    await knex.raw(`CREATE INDEX licenses_newest ON licenses (${visible}, id)`);
  },
  async down(knex) {
    await knex.raw('DROP INDEX licenses_newest');
    await knex.raw('DROP INDEX licenses_counted');
  },
};
