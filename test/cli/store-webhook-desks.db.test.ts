// Webhooks and API keys of the shop by commands, at both desks (cli.md sections 1.7 and 3.7).
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type BothDesks, openBothDesks } from '../support/both-desks.ts';
import { LOOPBACK_PINS, openReceiver, type Receiver } from '../support/webhooks.ts';

let desks: BothDesks;
let receiver: Receiver;
beforeAll(async () => {
  desks = await openBothDesks({ pins: LOOPBACK_PINS });
  receiver = await openReceiver();
});
afterAll(async () => {
  await receiver.close();
  await desks.close();
});

type Made = { id: string; service: string; secret?: string; events?: string[]; scopes?: string[] };

test('the life of a webhook of the shop', () =>
  desks.same(async (desk) => {
    const made = await desk.answer<Made>(`webhook create --service store --url ${receiver.url}`);
    expect(made).toMatchObject({ service: 'store', events: ['*'], secret: expect.stringMatching(/^whs_/) });
    const { id } = made;
    const listed = await desk.answer<{ items: Made[] }>('webhook list --service store');
    expect(listed.items.map((one) => one.id)).toEqual([id]);
    expect((await desk.answer<{ items: Made[] }>('webhook list')).items).toEqual([]);
    await desk.run(`webhook show ${id}`);
    await desk.run(`webhook update ${id} --name Sync --event product.created --event product.deleted`);
    expect(await desk.answer(`webhook update ${id} --clear event`)).toMatchObject({ events: ['*'] });
    expect((await desk.failure(`webhook update ${id} --event subscription.created`)).exit).toBe(2);
    expect((await desk.failure(`webhook update ${id} --product editor`)).exit).toBe(2);
    expect(await desk.answer(`webhook disable ${id} --reason moving`)).toMatchObject({
      disabledReason: 'moving',
    });
    await desk.run(`webhook enable ${id}`);
    expect((await desk.answer<Made>(`webhook rotate-secret ${id}`)).secret).not.toBe(made.secret);
    await desk.run(`webhook delete ${id} --dry-run`);
    await desk.run(`webhook delete ${id} --yes`);
    expect((await desk.failure(`webhook show ${id}`)).exit).toBe(3);
  }));

test('tests of a webhook of the shop, and its deliveries', () =>
  desks.atEach(async (desk) => {
    const { id } = await desk.answer<Made>(
      `webhook create --service store --url ${receiver.url} --event product.created`,
    );
    const sent = await desk.answer<Made>(`webhook test ${id} --event product.deleted`);
    expect(sent).toMatchObject({ event: 'product.deleted', state: 'DELIVERED', isTest: true });
    const printed = await desk.answer<{ body: string }>(`webhook test ${id} --print`);
    expect(JSON.parse(printed.body).event).toBe('webhook.test');
    const { items } = await desk.answer<{ items: Made[] }>(`webhook deliveries ${id} --state DELIVERED`);
    expect(items.map((one) => one.id)).toEqual([sent.id]);
    expect(await desk.answer(`webhook deliveries show ${sent.id}`)).toMatchObject({ webhookId: id });
    const range = await desk.answer(`webhook replay --webhook ${id} --failed --since 24h`);
    expect(range).toMatchObject({ summary: { total: 0 } });
    await desk.run(`webhook delete ${id} --yes`);
  }));

test('the events of the shop are listed with examples', async () => {
  await desks.atEach(async (desk) => {
    if (desk.isRemote) return;
    const { items } = await desk.answer<{ items: { event: string }[] }>('webhook events --service store');
    expect(items[0]).toMatchObject({ event: 'order.created', default: true });
  });
});

test('the life of an API key of the shop', () =>
  desks.same(async (desk) => {
    const create = 'apikey create --service store --name sync --scope products:write --scope inventory:read';
    const made = await desk.answer<Made>(create);
    expect(made).toMatchObject({ service: 'store', secret: expect.stringMatching(/^ask_/) });
    expect(made.scopes).toEqual(['products:write', 'inventory:read']);
    const { id } = made;
    await desk.run(`apikey show ${id}`);
    await desk.run(`apikey update ${id} --name import --ip 203.0.113.7`);
    expect((await desk.failure(`apikey update ${id} --limit write=600/15m`)).exit).toBe(2);
    expect((await desk.answer<Made>(`apikey rotate ${id} --overlap 0s`)).secret).toMatch(/^ask_/);
    await desk.run(`apikey revoke ${id} --yes`);
    expect((await desk.failure(`apikey create --service store --name x --scope FULL_ADMIN`)).exit).toBe(2);
    expect((await desk.failure('apikey show key_01J9ZK3T5W8Y2QF4M6N7P0R1SV')).exit).toBe(3);
  }));

test('keys of the shop are listed apart', () =>
  desks.atEach(async (desk) => {
    const { id } = await desk.answer<Made>('apikey create --service store --name list --scope products:read');
    const ids = async (line: string) =>
      (await desk.answer<{ items: Made[] }>(line)).items.map((one) => one.id);
    expect(await ids('apikey list --service store')).toContain(id);
    expect(await ids('apikey list')).not.toContain(id);
  }));
