// Who was refused by which rate limit: counted in bounded memory, written into bounded rows (D15).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createContext } from '#kernel/bound-context.ts';
import type { Ctx } from '#kernel/context.ts';
import { ProcessMemory } from '#kernel/process-memory.ts';
import { limits } from '#licensing/contract/limits.ts';
import { flushRefusals, list, noteRefusal } from '#platform/limit-refusals/index.ts';
import { openTestContext, type TestContext } from '../support/context.ts';
import { failingCtx } from '../support/failing-ctx.ts';

let test: TestContext;
beforeAll(async () => {
  test = await openTestContext();
});
afterAll(() => test.close());

const DAY = 86_400;
/** A process of its own on the same database. */
const ownProcess = (): Ctx =>
  createContext({ ...test.runtime, memory: new ProcessMemory() }, test.ctx.tenantId);

const { read, write } = limits;

/** Notes requests that a limit has refused. */
function refuse(ctx: Ctx, rule: typeof read | typeof write, key: string, times = 1): void {
  const trail = { refusedBy: { ...rule, key } };
  const origin = { requestId: null, ip: '::1', userAgent: null, route: '/api/v1/x', trail };
  for (let n = 0; n < times; n++) noteRefusal({ ctx: ctx.with({ origin }), service: 'license' });
}

const clear = () => test.ctx.tx((ctx) => ctx.db.knex('limit_refusals').delete());
const rows = async (): Promise<number> => {
  const [counted] = await test.ctx.db.knex('limit_refusals').count({ n: '*' });
  return Number(counted?.n);
};

describe('refusals', () => {
  it('are counted per limit and client, over processes and flushes', async () => {
    const [one, other] = [ownProcess(), ownProcess()];
    const firstAt = one.now();
    refuse(one, write, 'key_a', 3);
    refuse(one, read, '192.0.2.1');
    expect(await flushRefusals(one)).toBe(2);
    expect(await flushRefusals(one)).toBe(0);
    test.clock.advance(60);
    refuse(one, write, 'key_a', 2);
    refuse(other, write, 'key_a', 4);
    await Promise.all([flushRefusals(one), flushRefusals(other)]);
    expect(await list(test.ctx)).toEqual([
      {
        service: 'license',
        bucket: 'write',
        kind: 'api_key',
        subject: 'key_a',
        count: 9,
        max: 15,
        windowSeconds: 900,
        firstAt,
        lastAt: one.now(),
        apiKey: null,
      },
      expect.objectContaining({ bucket: 'read', kind: 'address', subject: '192.0.2.1', count: 1 }),
    ]);
    expect(await list(test.ctx, { subject: '192.0.2.1', bucket: 'write' })).toEqual([]);
    expect(await list(test.ctx, { since: one.now() })).toHaveLength(1);
    await clear();
  });

  it('an answer that no limit refused is none', async () => {
    const ctx = ownProcess();
    noteRefusal({ ctx, service: 'license' });
    noteRefusal({ ctx: ctx.with({ origin: { ...ctx.origin, trail: {} } }), service: 'license' });
    expect(await flushRefusals(ctx)).toBe(0);
  });

  it('a day without one begins a new count, and after 30 days the row goes', async () => {
    const ctx = ownProcess();
    refuse(ctx, write, 'key_b', 5);
    await flushRefusals(ctx);
    test.clock.advance(DAY + 1);
    refuse(ctx, write, 'key_b', 2);
    await flushRefusals(ctx);
    expect(await list(test.ctx)).toMatchObject([{ count: 2, firstAt: ctx.now() }]);
    test.clock.advance(30 * DAY + 1);
    refuse(ctx, read, '192.0.2.2');
    await flushRefusals(ctx);
    expect(await list(test.ctx)).toMatchObject([{ subject: '192.0.2.2' }]);
    await clear();
  });

  it('many addresses fill neither memory nor table, lose no count, and hide neither API key nor office', async () => {
    const ctx = ownProcess();
    refuse(ctx, read, '203.0.113.7', 40);
    for (let n = 0; n < 4; n++) {
      for (let i = 0; i < 2000; i++) refuse(ctx, read, `2001:db8:${n}:${i.toString(16)}::/64`);
      refuse(ctx, write, 'key_c');
      expect(await flushRefusals(ctx)).toBeLessThanOrEqual(202);
    }
    expect(await rows()).toBe(502);
    const found = await list(test.ctx);
    expect(found.reduce((sum, { count }) => sum + count, 0)).toBe(8044);
    expect(found.slice(0, 2)).toMatchObject([
      { kind: 'other', subject: '', bucket: 'read', count: 8000 - 499 },
      { kind: 'address', subject: '203.0.113.7', count: 40 },
    ]);
    expect(found).toContainEqual(expect.objectContaining({ subject: 'key_c', count: 4 }));
    await clear();
  });

  it('wait for the next flush while the database is away', async () => {
    const ctx = ownProcess();
    refuse(ctx, write, 'key_d', 2);
    const away = failingCtx(ctx, () => new Error('the database is away'));
    await expect(flushRefusals(away)).rejects.toThrow('away');
    refuse(ctx, write, 'key_d');
    expect(await flushRefusals(ctx)).toBe(1);
    expect(await list(test.ctx)).toMatchObject([{ subject: 'key_d', count: 3 }]);
    await clear();
  });
});
