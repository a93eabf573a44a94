// Commands that change outbound webhooks (cli.md sections 1 and 3.7).
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { licenseWebhooks } from '#licensing/insight/webhooks/index.ts';
import { type Hook, useWebhookLife } from './webhook-life.ts';

const life = useWebhookLife();
const { make, failure } = life;

describe('webhook update, enable, disable, delete', () => {
  test('what is given changes, the rest stays; --clear takes away', async () => {
    const { secret: _secret, ...hook } = await make('--product', 'editor', '--event', 'LICENSE_CREATED');
    const update = (...more: string[]) => life.it.answer<Hook>(['webhook', 'update', hook.id, ...more]);
    const changed = await update('--name', 'CRM', '--redact-email', 'yes');
    expect(changed).toEqual({ ...hook, name: 'CRM', redactEmail: true, updatedAt: changed.updatedAt });
    expect(await update('--clear', 'product', '--event', '*')).toMatchObject({
      productIds: null,
      events: ['*'],
    });
    expect(await update('--clear', 'event')).toMatchObject({ events: licenseWebhooks.defaultEvents });
    const plan = await update('--name', 'other', '--dry-run');
    expect(plan).toMatchObject({ name: 'other', dryRun: true });
    expect(await life.it.answer(['webhook', 'show', hook.id])).toMatchObject({ name: 'CRM' });
  });

  test('disable says why, list shows it, enable tells how to send what failed', async () => {
    const { id } = await make();
    expect(await failure('webhook', 'disable', id, '--reason', 'x'.repeat(501))).toMatchObject({
      exit: 2,
      message: '--reason must have at most 500 characters',
    });
    const off = await life.it.answer<Hook>(['webhook', 'disable', id, '--reason', 'moving']);
    expect(off).toMatchObject({ enabled: false, disabledReason: 'moving' });
    expect((await life.it.inside(['webhook', 'show', id])).stderr).toContain(
      `Next: appctl webhook enable ${id}`,
    );
    const page = await life.it.answer<{ items: Hook[] }>(['webhook', 'list', '--state', 'disabled']);
    expect(page.items.map((one) => one.id)).toEqual([id]);
    expect((await life.it.inside(['webhook', 'list'])).stdout).toMatch(/disabled +moving/);
    const on = await life.it.inside(['webhook', 'enable', id]);
    expect(on).toMatchObject({ code: 0 });
    expect(on.stderr).toContain(`Next: appctl webhook replay --webhook ${id} --failed --since 24h`);
    expect((await life.it.inside(['webhook', 'enable', id])).stderr).toContain('was enabled already');
    expect(
      (await life.it.answer<{ items: Hook[] }>(['webhook', 'list', '--state', 'disabled'])).items,
    ).toEqual([]);
  });

  test('delete asks, rehearses, deletes', async () => {
    const { id } = await make();
    expect(await failure('webhook', 'delete', id)).toMatchObject({
      exit: 10,
      hint: 'run it again with --yes',
    });
    expect(await life.it.answer(['webhook', 'delete', id, '--dry-run'])).toMatchObject({
      ok: true,
      dryRun: true,
    });
    const plan = await life.it.inside(['webhook', 'delete', id, '--dry-run']);
    expect(plan.stdout).toBe(`${id} would be deleted\n`);
    const gone = await life.it.answer(['webhook', 'delete', id, '--yes']);
    expect(gone).toEqual({ ok: true, action: 'deleted', id, changed: true });
    expect(await failure('webhook', 'show', id)).toMatchObject({
      exit: 3,
      code: 'NOT_FOUND',
      hint: 'appctl webhook list',
    });
  });

  test.each([
    [['show', 'whk_nope'], 3],
    [['update', 'whk_nope', '--name', 'x'], 3],
    [['enable', 'whk_nope'], 3],
    [['disable', 'whk_nope'], 3],
    [['delete', 'whk_nope', '--yes'], 3],
    [['rotate-secret', 'whk_nope'], 3],
    [['update', 'whk_nope'], 2],
    [['update', 'whk_nope', '--clear', 'product', '--product', 'editor'], 2],
    [['update', 'whk_nope', '--clear', 'headers', '--headers-env', 'X'], 2],
    [['update', 'whk_nope', '--redact-email', 'maybe'], 2],
    [['list', '--state', 'broken'], 2],
    [['list', '--limit', '501'], 2],
    [['show'], 2],
  ])('webhook %j ends with %i', async (words, exit) => {
    expect(await failure('webhook', ...words)).toMatchObject({ exit, stdout: '' });
  });
});

describe('webhook rotate-secret', () => {
  test('a new secret, shown once; the old one for a day more', async () => {
    const hook = await make();
    const rotated = await life.it.answer<Hook>(['webhook', 'rotate-secret', hook.id]);
    expect(rotated.secret).toMatch(/^whs_/);
    expect(rotated.secret).not.toBe(hook.secret);
    const hours = (Date.parse(String(rotated.previousSecretUntil)) - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(23.9);
    const again = await life.it.inside([
      'webhook',
      'rotate-secret',
      hook.id,
      '--out',
      join(life.it.cwd, 'new.secret'),
    ]);
    expect(again.stdout + again.stderr).not.toContain('whs_');
    expect(again.stderr).toContain('only the last two do');
    const before = await life.it.answer(['webhook', 'show', hook.id]);
    expect(await life.it.answer(['webhook', 'rotate-secret', hook.id, '--dry-run'])).not.toHaveProperty(
      'secret',
    );
    expect(await life.it.answer(['webhook', 'show', hook.id])).toEqual(before);
  });
});

describe('webhook events', () => {
  test('runs without an installation and shows what each event sends', async () => {
    const page = await life.it.json<{
      items: { event: string; default: boolean; example: Record<string, unknown> }[];
    }>(['webhook', 'events', '--data-dir', join(life.it.cwd, 'nowhere')]);
    expect(page.items.map(({ event }) => event)).toEqual(licenseWebhooks.events.map(({ name }) => name));
    expect(page.items.filter((item) => item.default)).toHaveLength(20);
    expect(Object.keys(page.items[0]?.example ?? {})).toEqual(['event', 'timestamp', 'data']);
    expect(existsSync(join(life.it.cwd, 'nowhere'))).toBe(false);
  });

  test('completion offers events and webhooks', async () => {
    const { id } = await make();
    const words = async (...line: string[]) =>
      (await life.it.inside(['complete-words', '--', ...line])).stdout;
    expect(await words('webhook', 'create', '--event', 'LICENSE_RE')).toMatch(
      /LICENSE_RENEWED[\s\S]*LICENSE_REVOKED/,
    );
    expect(await words('webhook', 'show', 'whk')).toContain(id);
  });
});
