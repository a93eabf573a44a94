// What addresses of webhooks must fulfil, as settings and the configuration decide it (D125).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createContext } from '#kernel/bound-context.ts';
import { parseTarget } from '#kernel/outbound/url.ts';
import { createSettingsStore, get, set, unset } from '#platform/settings/index.ts';
import { webhooks } from '#platform/webhooks/capability.ts';
import { targetRules } from '#platform/webhooks/index.ts';
import { openTestContext, type TestContext } from '../support/context.ts';
import { faultsOf, refusalOf } from '../support/refusal.ts';

const RANGES = 'webhooks.allowed_private_cidrs';
let t: TestContext;
beforeAll(async () => {
  t = await openTestContext();
});
afterAll(() => t.close());

async function openProcess(pins: Record<string, { text: string; by: string }> = {}) {
  const { keyring } = t.runtime;
  const settings = createSettingsStore(webhooks.settings ?? [], new Map(Object.entries(pins)), keyring);
  const ctx = createContext({ ...t.runtime, settings }, t.ctx.tenantId);
  await settings.refresh(ctx);
  return ctx;
}

describe('the rules', () => {
  it('are strict until somebody opens something', async () => {
    expect(targetRules(await openProcess())).toMatchObject({ allowHttp: false, openedRanges: [] });
  });

  it('follow the settings at once', async () => {
    const ctx = await openProcess();
    await set(ctx, { key: 'webhooks.allow_http', text: 'on' });
    await set(ctx, { key: RANGES, text: '10.0.0.0/8, fd00::/8' });
    expect(targetRules(ctx)).toMatchObject({ allowHttp: true, openedRanges: ['10.0.0.0/8', 'fd00::/8'] });
    expect(parseTarget('http://10.1.2.3/', targetRules(ctx)).href).toBe('http://10.1.2.3/');
    await set(ctx, { key: RANGES, value: ['192.168.0.1'] });
    expect(targetRules(ctx).openedRanges).toEqual(['192.168.0.1']);
    await set(ctx, { key: RANGES, text: '' });
    expect(targetRules(ctx).openedRanges).toEqual([]);
    await unset(ctx, 'webhooks.allow_http');
    expect(targetRules(ctx)).toMatchObject({ allowHttp: false, openedRanges: [] });
  });

  it.each([['10.1'], ['10.0.0.0/33'], ['localhost'], ['5'], ['[1]'], ['10.0.0.0/8;11.0.0.0/8'], ['{}']])(
    'refuse %j as ranges',
    async (text) => {
      const ctx = await openProcess();
      expect(await faultsOf(set(ctx, { key: RANGES, text }))).toEqual([RANGES]);
      expect(targetRules(ctx).openedRanges).toEqual([]);
    },
  );

  it('take 50 ranges and no more', async () => {
    const ctx = await openProcess();
    const ranges = (count: number) => Array.from({ length: count }, (_, i) => `10.${i}.0.0/16`);
    await set(ctx, { key: RANGES, value: ranges(50) });
    expect(targetRules(ctx).openedRanges).toHaveLength(50);
    expect(await faultsOf(set(ctx, { key: RANGES, value: ranges(51) }))).toEqual([RANGES]);
    await unset(ctx, RANGES);
  });

  it('are fixed by the configuration', async () => {
    const by = 'APPCTL_WEBHOOK_ALLOW_PRIVATE';
    const ctx = await openProcess({ [RANGES]: { text: '127.0.0.0/8,::1/128', by } });
    expect(targetRules(ctx).openedRanges).toEqual(['127.0.0.0/8', '::1/128']);
    expect(get(ctx, RANGES)).toMatchObject({ pinnedBy: by, changed: true });
    const refusal = await refusalOf(set(ctx, { key: RANGES, value: [] }));
    expect([refusal.code, refusal.message]).toEqual(['CONFLICT', `${RANGES} is set by ${by}`]);
    await expect(openProcess({ [RANGES]: { text: '::ffff:1.2.3.4/3', by } })).rejects.toThrow(RANGES);
  });
});
