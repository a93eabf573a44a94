// Commands about canary keys at both desks (cli.md sections 1.7 and 3.5).
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ids } from '#licensing/contract/ids.ts';
import * as honeypots from '#licensing/insight/honeypots/index.ts';
import { type BothDesks, openBothDesks } from '../support/both-desks.ts';

let desks: BothDesks;
beforeAll(async () => {
  desks = await openBothDesks();
});
afterAll(() => desks.close());

interface Honeypot {
  id: string;
  key?: string;
  [field: string]: unknown;
}

/** Two uses of a canary key: one in 2020, one now. */
async function seedHits(id: string): Promise<void> {
  const { ctx } = desks.app;
  const { knex } = ctx.db;
  const key = await knex('license_keys').where({ license_id: id }).first('id');
  const hit = (at: string, more: object) => ({
    id: ctx.newId(ids.honeypotHit),
    license_key_id: key.id,
    hour: at.slice(0, 13),
    count: 1,
    first_at: at,
    last_at: at,
    created_at: at,
    ...more,
  });
  const validate = { endpoint: '/api/v1/license/validate', machine_id: 'desk-1', user_agent: null };
  const activate = { endpoint: '/api/v1/license/activate', machine_id: null, user_agent: 'curl/8' };
  const rows = [
    hit('2020-01-01T00:00:00.000Z', { ip: '192.0.2.1', ...validate }),
    hit(ctx.now(), { ip: '192.0.2.2', ...activate }),
  ];
  await ctx.tx(async ({ db }) => void (await db.knex('license_honeypot_hits').insert(rows)));
}

test('the life of a canary key', () =>
  desks.same(async (desk) => {
    const slug = `baited-${desk.tag}`;
    await desks.app.product({ name: 'Baited', slug });
    const create = ['honeypot', 'create', '--product', slug, '--label', `wiki ${desk.tag}`];
    expect((await desk.answer<Honeypot>([...create, '--dry-run'])).key).toBeUndefined();
    const made = await desk.answer<Honeypot>([...create, '--block-ip', '60']);
    expect(made).toMatchObject({ kind: 'CANARY', blockIpSeconds: 60, key: expect.stringMatching(/^APP-/) });
    await desk.run(create);
    await desk.run([...create, '--out', `canary-${desk.tag}.txt`]);
    expect(readFileSync(join(desks.cwd, `canary-${desk.tag}.txt`), 'utf8')).toMatch(
      /^APP(-[0-9A-Z]{4}){4}\n$/,
    );
    await desk.run('honeypot list --limit 2');
    expect(await desk.answer(`honeypot hits ${made.id}`)).toMatchObject({ items: [] });
    await seedHits(made.id);
    const hits = async (more: string) =>
      (await desk.answer<{ items: { ip: string }[] }>(`honeypot hits ${made.id} ${more}`)).items.map(
        ({ ip }) => ip,
      );
    expect(await hits('--since 30d')).toEqual(['192.0.2.2']);
    expect(await hits('--until 2021-01-01')).toEqual(['192.0.2.1']);
    expect(await hits('--ip 192.0.2.1')).toEqual(['192.0.2.1']);
    expect(await hits('--endpoint activate')).toEqual(['192.0.2.2']);
    expect(await hits('--machine desk-1')).toEqual(['192.0.2.1']);
    expect(await hits('--q curl')).toEqual(['192.0.2.2']);
    await desk.run(`honeypot hits ${made.id} --plain`);
    expect(await desk.failure(`honeypot hits ${made.id} --since soon`)).toMatchObject({ exit: 2 });
    expect(await desk.failure(`honeypot delete ${made.id}`)).toMatchObject({ exit: 10 });
    await desk.run(`honeypot delete ${made.id} --yes --dry-run`);
    await desk.run(`honeypot delete ${made.id} --yes`);
    expect(await desk.failure(`honeypot hits ${made.id}`)).toMatchObject({ exit: 3, code: 'NOT_FOUND' });
    // The other desk lists its own alone.
    const { items } = await honeypots.honeypotRows.page(desks.app.ctx, { offset: 0, limit: 50 });
    for (const { id } of items) await honeypots.remove(desks.app.ctx, id);
  }));

test('refusals', () =>
  desks.same(async (desk) => {
    const create = ['honeypot', 'create', '--label', 'wiki', '--product'];
    expect(await desk.failure([...create, 'nope'])).toMatchObject({ exit: 3 });
    expect(await desk.failure([...create, 'nope', '--label', ''])).toMatchObject({
      exit: 2,
      message: expect.stringContaining('--label'),
    });
    for (const id of ['nope', '..', 'lic_none'])
      expect(await desk.failure(['honeypot', 'delete', id, '--yes'])).toMatchObject({ exit: 3 });
  }));
