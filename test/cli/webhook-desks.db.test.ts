// Commands about webhooks at both desks (cli.md sections 1.7 and 3.7).
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type BothDesks, openBothDesks } from '../support/both-desks.ts';
import { LOOPBACK_PINS, openReceiver, type Receiver, webhookWorker } from '../support/webhooks.ts';
import type { Hook } from './webhook-life.ts';

let desks: BothDesks;
let receiver: Receiver;
beforeAll(async () => {
  desks = await openBothDesks({ pins: LOOPBACK_PINS });
  receiver = await openReceiver();
  writeFileSync(join(desks.cwd, 'own.secret'), 'a secret of my own\n');
  writeFileSync(join(desks.cwd, 'next.secret'), 'another one of mine\n');
  await desks.app.product({ name: 'Editor', slug: 'editor' });
});
afterAll(async () => {
  await receiver.close();
  await desks.close();
});
beforeEach(() => {
  receiver.received.length = 0;
});

const create = () => `webhook create --service license --url ${receiver.url} --event LICENSE_CREATED`;

describe('webhooks at both desks', () => {
  test('the life of a webhook', () =>
    desks.same(async (desk) => {
      await desk.run('webhook list');
      const { id } = await desk.answer<Hook>(`${create()} --product editor`);
      await desk.run(`webhook show ${id}`);
      await desk.run(`webhook update ${id} --name CRM --clear product`);
      await desk.run(`webhook update ${id} --name other --dry-run`);
      await desk.run(`webhook disable ${id} --reason moving`);
      await desk.run('webhook list --state disabled --plain');
      await desk.run(`webhook enable ${id}`);
      await desk.run(`webhook enable ${id}`);
      await desk.run(`webhook rotate-secret ${id} --dry-run`);
      await desk.run(`webhook rotate-secret ${id}`);
      await desk.run(`webhook rotate-secret ${id} --out ${desk.tag}-rotated.secret`);
      await desk.run(`webhook rotate-secret ${id} --json`);
      await desk.run(`webhook delete ${id}`);
      await desk.run(`webhook delete ${id} --dry-run`);
      await desk.run(`webhook delete ${id} --yes`);
      await desk.failure(`webhook show ${id}`);
    }));

  test('secrets: own ones, and one that goes to a file', () =>
    desks.same(async (desk) => {
      const own = await desk.answer<Hook>(`${create()} --secret-file own.secret`);
      expect(own).not.toHaveProperty('secret');
      await desk.failure(`webhook rotate-secret ${own.id} --secret-file own.secret`);
      await desk.answer(`webhook rotate-secret ${own.id} --secret-file next.secret`);
      const file = `${desk.tag}.secret`;
      const made = await desk.answer<Hook>(`${create()} --out ${file}`);
      expect(readFileSync(join(desks.cwd, file), 'utf8')).toMatch(/^whs_\S+\n$/);
      await desk.failure(`${create()} --out ${file}`);
      for (const { id } of [own, made]) await desk.run(`webhook delete ${id} --yes`);
    }));

  test('tests, deliveries and what is sent again', () =>
    desks.same(async (desk) => {
      const { id } = await desk.answer<Hook>(create());
      await desk.run(`webhook test ${id} --event LICENSE_REVOKED --override data.status=EXPIRED --print`);
      receiver.answers = [200, 503];
      await desk.run(`webhook test ${id} --note hello`);
      await desk.run(`webhook test ${id}`);
      const { id: productId } = await desks.app.product({ name: `P ${desk.tag}`, slug: `p-${desk.tag}` });
      await desks.app.license({ productId });
      await webhookWorker(desks.app.ctx).idle();
      await desk.run(`webhook deliveries ${id}`);
      const { items } = await desk.answer<{ items: { id: string; isTest: boolean }[] }>(
        `webhook deliveries ${id} --state DELIVERED --state FAILED --event LICENSE_CREATED --since 1h`,
      );
      expect(items).toHaveLength(1);
      const delivery = String(items[0]?.id);
      await desk.run(`webhook deliveries show ${delivery}`);
      await desk.run(`webhook replay ${delivery} dlv_nope --dry-run`);
      await desk.run(`webhook replay ${delivery}`);
      await webhookWorker(desks.app.ctx).idle();
      await desk.run(`webhook replay --webhook ${id} --state DELIVERED --limit 1 --dry-run`);
      await desk.run(`webhook replay --webhook ${id} --state DELIVERED --json`);
      await desk.run(`webhook delete ${id} --yes`);
    }));

  test('refusals', () =>
    desks.same(async (desk) => {
      await desk.failure('webhook show whk_nope');
      await desk.failure('webhook update whk_nope --name x');
      await desk.failure('webhook deliveries whk_nope');
      await desk.failure('webhook deliveries show dlv_nope');
      await desk.failure('webhook create --service license --url http://10.0.0.1/');
      await desk.failure(`${create()}X`);
      await desk.failure(`webhook create --service license --url ${receiver.url} --product nope`);
      const { id } = await desk.answer<Hook>(create());
      await desk.failure(['webhook', 'disable', id, '--reason', 'x'.repeat(501)]);
      await desk.failure(`webhook test ${id} --event NOPE`);
      await desk.failure(`webhook test ${id} --override data.nope=1`);
      const refused = await desk.failure(`webhook update ${id} --event NOPE`);
      expect(refused).toMatchObject({ exit: 2, message: expect.stringContaining('--event') });
      await desk.run(`webhook delete ${id} --yes`);
    }));
});
