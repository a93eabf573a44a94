// The memory behind the request log: it is bounded, tells what it drops, and survives a database that is away.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createContext } from '#kernel/bound-context.ts';
import type { Ctx } from '#kernel/context.ts';
import type { Answered } from '#kernel/http/surface.ts';
import { logTo } from '#kernel/log.ts';
import { ProcessMemory } from '#kernel/process-memory.ts';
import { flushRequests, list, recordRequest } from '#licensing/insight/requests/index.ts';
import { openTestContext, type TestContext } from '../support/context.ts';
import { failingCtx } from '../support/failing-ctx.ts';

let test: TestContext;
beforeAll(async () => {
  test = await openTestContext();
});
afterAll(() => test.close());

/** A process of its own on the same database; `logged` collects its warnings. */
function ownProcess() {
  const logged: Record<string, unknown>[] = [];
  const log = logTo({ write: (line: string) => void logged.push(JSON.parse(line)) }, 'warn');
  const runtime = { ...test.runtime, log, memory: new ProcessMemory() };
  return { ctx: createContext(runtime, test.ctx.tenantId), logged };
}

/** An answer of 404, to a caller with an API key or to a stranger. */
function refusal(ctx: Ctx, caller: 'known' | 'stranger', status = 404): Answered {
  const trail = caller === 'known' ? { credentialId: ctx.newId('key'), tenantId: ctx.tenantId } : {};
  const origin = { requestId: ctx.newId('req'), ip: '::1', userAgent: null, route: '/api/v1/x', trail };
  const asked = { surface: 'licensing', service: 'license', method: 'GET' };
  return { ctx: ctx.with({ origin }), ...asked, status, code: 'NOT_FOUND', ms: 0.4 };
}

const times = (count: number, work: () => void): void => {
  for (let i = 0; i < count; i++) work();
};

describe('the recorder', () => {
  it('keeps 5,000 rows, 100 of strangers, and tells once a minute how many it dropped', async () => {
    const { ctx, logged } = ownProcess();
    times(101, () => recordRequest(refusal(ctx, 'stranger')));
    times(4901, () => recordRequest(refusal(ctx, 'known')));
    expect(await flushRequests(ctx)).toBe(5000);
    expect(logged).toMatchObject([{ level: 'warn', dropped: 2 }]);
    times(101, () => recordRequest(refusal(ctx, 'stranger')));
    expect(await flushRequests(ctx)).toBe(100);
    expect(logged).toHaveLength(1);
    test.clock.advance(60);
    expect(await flushRequests(ctx)).toBe(0);
    expect(logged).toMatchObject([{ dropped: 2 }, { dropped: 1 }]);
  });

  it('keeps 100 of the answers that no limit bounds, whoever asked: 401, 403 and 429 together', async () => {
    const { ctx } = ownProcess();
    for (const status of [401, 403, 429]) times(40, () => recordRequest(refusal(ctx, 'known', status)));
    times(5, () => recordRequest(refusal(ctx, 'known', 400)));
    expect(await flushRequests(ctx)).toBe(105);
  });

  it('writes each row once, whatever flushes meet', async () => {
    const { ctx } = ownProcess();
    times(250, () => recordRequest(refusal(ctx, 'known', 418)));
    const counts = await Promise.all([flushRequests(ctx), flushRequests(ctx)]);
    expect(counts).toEqual([250, 0]);
    expect((await list(ctx, { page: 1, limit: 1, status: 418 })).pagination.total).toBe(250);
  });

  it('drops rows that the database refuses, and writes the others', async () => {
    const { ctx, logged } = ownProcess();
    recordRequest(refusal(ctx, 'known', 999));
    times(199, () => recordRequest(refusal(ctx, 'known', 410)));
    recordRequest(refusal(ctx, 'known', 411));
    expect(await flushRequests(ctx)).toBe(1);
    expect(logged).toMatchObject([{ level: 'error', rows: 200 }]);
    expect((await list(ctx, { page: 1, limit: 1, status: 411 })).pagination.total).toBe(1);
    expect(await flushRequests(ctx)).toBe(0);
  });

  it('keeps rows while the database is away', async () => {
    const { ctx } = ownProcess();
    const away = failingCtx(ctx, () => Object.assign(new Error('away'), { code: 'ECONNREFUSED' }));
    recordRequest(refusal(ctx, 'known', 409));
    await expect(flushRequests(away)).rejects.toThrow('away');
    expect(await flushRequests(ctx)).toBe(1);
    expect((await list(ctx, { page: 1, limit: 1, status: 409 })).pagination.total).toBe(1);
  });

  it('counts what it keeps from a failed flush against the same bound', async () => {
    const { ctx } = ownProcess();
    const away = failingCtx(ctx, () => Object.assign(new Error('away'), { code: 'ECONNREFUSED' }));
    times(60, () => recordRequest(refusal(ctx, 'stranger')));
    await expect(flushRequests(away)).rejects.toThrow('away');
    times(60, () => recordRequest(refusal(ctx, 'stranger')));
    expect(await flushRequests(ctx)).toBe(100);
  });

  it('never throws: an explanation that fails costs its row', async () => {
    const { ctx, logged } = ownProcess();
    const broken = refusal(ctx, 'known');
    Object.assign(broken.ctx.origin.trail ?? {}, {
      explain: () => {
        throw new Error('no trace');
      },
    });
    recordRequest(broken);
    expect(logged).toMatchObject([{ level: 'error', msg: 'a request was not recorded' }]);
    expect(await flushRequests(ctx)).toBe(0);
  });
});
