// Commands about purchases that payment processors report, at both desks (cli.md sections 1.7 and 3.7).
import { createHmac } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type BothDesks, type OneDesk, openBothDesks } from '../support/both-desks.ts';
import { runInside } from '../support/cli-inside.ts';

const SECRET = 'a secret of the processor';
const OTHER = 'the next secret of it';

let desks: BothDesks;
beforeAll(async () => {
  desks = await openBothDesks();
  writeFileSync(join(desks.cwd, 'own.secret'), `${SECRET}\n`);
  await desks.app.product({ name: 'Editor', slug: 'editor' });
});
afterAll(() => desks.close());

interface Integration {
  id: string;
  secret?: string;
  previousUntil: string | null;
  mappings: { id: string }[];
}
interface Events {
  items: { id: string; status: string }[];
}

const create = (desk: OneDesk, more = '--secret-file own.secret') =>
  desk.answer<Integration>(`integration create --processor generic --name shop-${desk.tag} ${more}`);

/** Reports a purchase to the endpoint, as the processor does. */
async function report(id: string, event: object, secret = SECRET): Promise<void> {
  const body = JSON.stringify({ event: 'order.completed', email: 'ann@x.test', ...event });
  const signature = createHmac('sha256', secret).update(body).digest('hex');
  const headers = { 'X-Webhook-Signature': signature };
  const { status } = await desks.app.send(`/api/v1/webhooks/inbound/${id}`, { body, headers });
  expect(status).toBe(200);
}

describe('integrations at both desks', () => {
  test('the life of an integration', () =>
    desks.same(async (desk) => {
      await desk.run('integration list');
      const { id } = await create(desk);
      await desk.run(`integration show shop-${desk.tag}`);
      await desk.run(`integration map ${id} --external plan_1 --product editor --days 30`);
      await desk.run(`integration map ${id} --external plan_1 --product editor --tier BUSINESS --json`);
      await desk.run(`integration map ${id} --external plan_2 --product editor --perpetual --dry-run`);
      const other = await desk.answer<{ id: string }>(
        `integration map shop-${desk.tag} --external plan_2 --product editor --perpetual`,
      );
      await desk.run(`integration mappings ${id}`);
      await desk.run(`integration mappings ${id} --limit 1 --json`);
      await desk.run(`integration show ${id} --json`);
      await desk.run('integration list --plain');
      await desk.failure(`integration unmap ${id} --external plan_1`);
      await desk.run(`integration unmap ${id} --external plan_1 --dry-run`);
      await desk.run(`integration unmap ${id} --external plan_1 --yes`);
      await desk.run(`integration unmap ${id} --external ${other.id} --yes --json`);
      await desk.run(`integration update ${id} --name store-${desk.tag} --disable --dry-run`);
      await desk.run(`integration update ${id} --name store-${desk.tag} --disable`);
      await desk.run(`webhook inbound show store-${desk.tag}`);
      await desk.failure(`integration delete ${id}`);
      await desk.run(`integration delete ${id} --dry-run`);
      await desk.run(`integration delete ${id} --yes`);
      await desk.failure(`integration show ${id}`);
    }));

  test('secrets: given ones travel and are never printed, made ones are shown once or go to a file', () =>
    desks.same(async (desk) => {
      const given = await create(desk);
      expect(given).not.toHaveProperty('secret');
      const { id } = given;
      await report(id, { id: `given-${desk.tag}` });
      await desk.run(`integration update ${id} --secret-stdin`, { input: `${OTHER}\n` });
      await report(id, { id: `next-${desk.tag}` }, OTHER);
      await desk.run(`integration update ${id} --secret-env KEY`, { env: { KEY: 'a third secret of it' } });
      const made = await desk.answer<Integration>(`integration update ${id} --generate-secret`);
      expect(made.secret).toMatch(/^ins_[\w-]{43}$/);
      await report(id, { id: `made-${desk.tag}` }, made.secret);
      await desk.run(`integration update ${id} --generate-secret`);
      const shown = await desk.run(`integration update ${id} --generate-secret --reveal`);
      expect(shown.stdout).toMatch(/^secret +ins_/m);
      const file = `${desk.tag}.secret`;
      expect(
        await desk.answer(`integration update ${id} --generate-secret --out ${file}`),
      ).not.toHaveProperty('secret');
      await report(id, { id: `file-${desk.tag}` }, readFileSync(join(desks.cwd, file), 'utf8').trim());
      expect(await desk.failure(`integration update ${id} --generate-secret --out ${file}`)).toMatchObject({
        exit: 5,
      });
      await desk.run(`integration create --processor square --generate-secret --dry-run`);
      const { items } = await desk.answer<Events>(`integration events ${id}`);
      expect(items).toHaveLength(4);
      await desk.run(`integration delete ${id} --yes`);
    }));

  test('what was reported: lists, one event, what was refused, and processing it again', () =>
    desks.same(async (desk) => {
      const { id } = await create(desk);
      await desk.run(`integration events ${id}`);
      await report(id, { id: `lost-${desk.tag}`, productId: 'lost' });
      await report(id, { id: `forged-${desk.tag}` }, OTHER);
      const { items } = await desk.answer<Events>(`integration events ${id} --reason UNMAPPED --since 1h`);
      expect(items).toMatchObject([{ status: 'FAILED' }]);
      const event = String(items[0]?.id);
      await desk.run(`integration events ${id} --status FAILED`);
      await desk.run(`integration events show ${event}`);
      await desk.run(`integration events refused ${id}`);
      await desk.run(`integration replay ${event}`);
      await desk.run(`integration map ${id} --external lost --product editor --perpetual`);
      await desk.run(`integration replay --integration ${id} --dry-run`);
      expect(
        await desk.answer<{ results: object[] }>(`integration replay --integration ${id}`),
      ).toMatchObject({ results: [{ success: true, id: event, licensesCreated: 1 }] });
      await desk.run(`integration replay ${event} ibe_nope --yes`);
      await desk.run(`integration events show ${event} --json`);
      await desk.run(`integration delete ${id} --yes`);
    }));

  test('what an event would make, and a sample that would be sent', () =>
    desks.same(async (desk) => {
      const { id } = await create(desk);
      await desk.failure(`integration test ${id}`);
      await desk.run(`integration map ${id} --external plan_1 --product editor --perpetual`);
      const event = (more: object) =>
        JSON.stringify({ id: 'e1', event: 'payment', email: 'a@x.test', ...more });
      const items = [{ productId: 'plan_1', quantity: 2 }, { productId: 'other' }];
      await desk.run(`integration simulate ${id} --file -`, { input: event({ items }) });
      await desk.run(`integration simulate ${id} --file - --json`, { input: event({ items }) });
      const unmapped = event({ items: [{ productId: 'other' }] });
      expect((await desk.run(`integration simulate ${id} --file -`, { input: unmapped })).code).toBe(6);
      for (const input of ['no event', '[]', '{}'])
        expect(await desk.failure(`integration simulate ${id} --file -`, { input })).toMatchObject({
          exit: 2,
          message: expect.stringContaining('--file is not a JSON object'),
        });
      const plan = await desk.run(`integration test ${id} --email ann@x.test --dry-run`);
      expect(plan.stdout).toContain('would send a purchase of plan_1');
      expect(await desk.answer<Events>(`integration events ${id}`)).toMatchObject({ items: [] });
      await desk.failure(`integration test ${id} --email nobody`);
      await desk.run(`integration delete ${id} --yes`);
    }));

  test('a sample goes to the server that the line names, and makes a license there', async () => {
    const names = { cwd: desks.cwd, env: { APPCTL_DATA_DIR: 'none' } };
    const place = ['--server', desks.app.url, '--api-key-file', 'token'];
    const there = (line: string) => runInside([...line.split(' '), ...place, '--json'], names);
    const made = await there('integration create --processor generic --name far --secret-file own.secret');
    const { id } = JSON.parse(made.stdout) as Integration;
    await there(`integration map ${id} --external plan_1 --product editor --perpetual`);
    const sent = await there(`integration test ${id} --email far@x.test`);
    expect([sent.code, JSON.parse(sent.stdout)]).toMatchObject([
      0,
      { response: { status: 200, body: { success: true } }, licensesCreated: [{ product: 'editor' }] },
    ]);
    const [{ id: license }] = JSON.parse(sent.stdout).licensesCreated;
    const shown = await there(`license show ${license}`);
    expect(JSON.parse(shown.stdout)).toMatchObject({ customer: { email: 'far@x.test' } });
    const lost = await there(`integration test ${id} --external lost`);
    expect([lost.code, JSON.parse(lost.stdout).response.body]).toMatchObject([6, { reason: 'UNMAPPED' }]);
    await there(`integration delete ${id} --yes`);
  });

  test('refusals name flags and change nothing', () =>
    desks.same(async (desk) => {
      const { id } = await create(desk);
      for (const line of [
        `create --processor generic --name shop-${desk.tag}`,
        'create --processor stripe --secret-env SHORT',
        'create --processor generic --notification-url https://a.x.test',
        'show nope',
        'show ..',
        `map ${id} --external x --product nope`,
        `map ${id} --external x --product editor --policy nope`,
        `map ${id} --external x --product editor --type SUBSCRIPTION`,
        'map nope --external x --product editor',
        `unmap ${id} --external x --yes`,
        'events nope',
        'events refused nope',
        'events show ibe_nope',
        `events ${id} --since yesterday`,
        'replay --integration nope --yes',
        'test nope',
        'delete nope --yes',
      ])
        await desk.failure(`integration ${line}`, { env: { SHORT: 'only-15-letters' } });
      expect(await desk.answer<Integration>(`integration show ${id}`)).toMatchObject({ mappings: [] });
      await desk.run(`integration delete ${id} --yes`);
    }));
});
