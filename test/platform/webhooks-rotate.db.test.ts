// The signing secret of a webhook is changed (D120, M12).
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Ctx } from '#kernel/context.ts';
import { rehearsing } from '#kernel/rehearse.ts';
import { licenseWebhooks } from '#licensing/insight/webhooks/index.ts';
import * as webhooks from '#platform/webhooks/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { twoWait } from '../support/lock-wait.ts';
import { codeOf } from '../support/refusal.ts';
import { webhookRow } from '../support/webhooks.ts';

let app: TestApp;
let ctx: Ctx;
beforeAll(async () => {
  app = await startApp();
  ctx = app.ctx;
});
afterAll(() => app.close());

const make = () => webhooks.create(ctx, licenseWebhooks, { url: 'https://203.0.114.10/hooks' });
const get = (id: string) => webhooks.get(ctx, licenseWebhooks, id);
const typesOf = async (id: string) => (await app.eventsOf(id)).map(({ type }) => type);

describe('rotateSecret (D120, M12)', () => {
  const secretsOf = async (id: string) => {
    const row = await webhookRow(ctx, id);
    const open = (part: string, sealed: unknown) =>
      sealed === null ? null : ctx.keyring.open('secret', String(sealed), `webhook:${id}:${part}`);
    return [open('secret', row.secret_enc), open('previous', row.previous_secret_enc)];
  };

  test('the old secret stays for 24 hours and is then no longer shown', async () => {
    const { webhook, signingSecret: first } = await make();
    const rotated = await webhooks.rotateSecret(ctx, licenseWebhooks, webhook.id);
    const until = new Date(Date.parse(ctx.now()) + 86_400_000).toISOString();
    expect(rotated).toMatchObject({ previousUntil: until, webhook: { previousUntil: until } });
    expect(rotated.signingSecret).toMatch(/^whs_/);
    expect(await secretsOf(webhook.id)).toEqual([rotated.signingSecret, first]);
    const own = 'a secret of my own';
    await webhooks.rotateSecret(ctx, licenseWebhooks, webhook.id, { secret: own });
    expect(await secretsOf(webhook.id)).toEqual([own, rotated.signingSecret]);
    app.clock.advance(86_399);
    expect((await get(webhook.id)).previousUntil).toBe(until);
    app.clock.advance(1);
    expect((await get(webhook.id)).previousUntil).toBeNull();
    expect(await codeOf(webhooks.rotateSecret(ctx, licenseWebhooks, webhook.id, { secret: 'short' }))).toBe(
      'VALIDATION_ERROR',
    );
    expect(JSON.stringify(await app.eventsOf(webhook.id))).not.toMatch(/whs_|of my own/);
  });

  test('of two administrators at once one is refused, so that the receiver keeps a secret it knows', async () => {
    const { webhook, signingSecret: known } = await make();
    const rotate = () => webhooks.rotateSecret(ctx, licenseWebhooks, webhook.id);
    let rotations: Promise<PromiseSettledResult<{ signingSecret: string }>[]> = Promise.resolve([]);
    // Both have read the secret before either may write.
    await ctx.tx(async ({ db }) => {
      await db.knex('webhooks').where({ id: webhook.id }).forUpdate().select('id');
      rotations = Promise.allSettled([rotate(), rotate()]);
      await twoWait(app.instance.database);
    });
    const both = await rotations;
    const won = both.filter((one) => one.status === 'fulfilled');
    const lost = both.filter((one) => one.status === 'rejected');
    expect([won.length, lost.length]).toEqual([1, 1]);
    expect(lost[0]?.reason).toMatchObject({ code: 'CONFLICT' });
    expect(await secretsOf(webhook.id)).toEqual([won[0]?.value.signingSecret, known]);
    expect(await typesOf(webhook.id)).toEqual(['WEBHOOK_CREATED', 'WEBHOOK_SECRET_ROTATED']);
  });

  test('again with the same secret is refused: it would push out the one that the receiver knows', async () => {
    const { webhook, signingSecret: known } = await make();
    const secret = 'a secret of my own';
    await webhooks.rotateSecret(ctx, licenseWebhooks, webhook.id, { secret });
    for (const as of [rehearsing(ctx), ctx]) {
      const again = webhooks.rotateSecret(as, licenseWebhooks, webhook.id, { secret });
      expect(await codeOf(again)).toBe('CONFLICT');
    }
    expect(await secretsOf(webhook.id)).toEqual([secret, known]);
  });

  test('a rehearsal changes nothing', async () => {
    const { webhook, signingSecret } = await make();
    await webhooks.rotateSecret(rehearsing(ctx), licenseWebhooks, webhook.id);
    expect(await secretsOf(webhook.id)).toEqual([signingSecret, null]);
  });
});
