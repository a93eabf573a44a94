// What happens to a release after it was published: withdrawal, archive, promotion, renewal, rollout (4.2, 6.3, 6.4).
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Ctx } from '#kernel/context.ts';
import { rehearse, rehearsing } from '#kernel/rehearse.ts';
import { activate, register } from '#licensing/catalog/keys/index.ts';
import * as releases from '#licensing/releases/releases/index.ts';
import { changesBy } from '../support/database-changes.ts';
import { faultsOf } from '../support/refusal.ts';
import { bundleOf, drafted, keyOf, published, signed, signedProduct } from './release-fixture.ts';
import { reasonOf, releaseWorld } from './release-world.ts';

const world = releaseWorld();

describe('what is published', () => {
  test('is withdrawn, comes back, and is archived; each told once', async () => {
    const { id } = await published(world.own.ctx, world.product, '3.0.0');
    const { changes } = await changesBy(world.own.database, async () => {
      expect(await releases.yank(world.own.ctx, id, { reason: 'crash' })).toMatchObject({
        state: 'YANKED',
        yankedReason: 'crash',
      });
      await releases.yank(world.own.ctx, id, { reason: 'again' });
    });
    expect(changes.events).toEqual(['RELEASE_YANKED']);
    const ids = async () =>
      (await releases.servableReleases(world.own.ctx, world.product.id)).map((one) => one.id);
    expect(await ids()).not.toContain(id);
    expect(await reasonOf(releases.archive(world.own.ctx, id))).toBe('CONFLICT NOT_PUBLISHED');
    const back = await releases.unyank(world.own.ctx, id);
    expect(back).toMatchObject({ state: 'PUBLISHED', yankedAt: null, yankedReason: null });
    expect(await releases.unyank(world.own.ctx, id)).toEqual(back);
    expect(await releases.archive(world.own.ctx, id)).toMatchObject({ state: 'ARCHIVED' });
    expect(await releases.archive(world.own.ctx, id)).toMatchObject({ state: 'ARCHIVED' });
    expect(await ids()).toContain(id);
    // Taking back a withdrawal offers nothing that was not offered before it.
    await releases.yank(world.own.ctx, id, { reason: 'crash' });
    expect(await releases.unyank(world.own.ctx, id)).toMatchObject({ state: 'ARCHIVED', yankedAt: null });
    expect(await releases.unyank(world.own.ctx, id)).toMatchObject({ state: 'ARCHIVED' });
    const types = (await world.own.eventsOf(id)).map(({ type }) => type);
    const told = { RELEASE_YANKED: 2, RELEASE_UNYANKED: 2, RELEASE_ARCHIVED: 1 };
    for (const [type, times] of Object.entries(told))
      expect(types.filter((one) => one === type)).toHaveLength(times);
  });

  test('draft: neither withdrawn nor archived nor promoted', async () => {
    const { id } = await drafted(world.own.ctx, world.product, '3.1.0');
    expect(await reasonOf(releases.yank(world.own.ctx, id, { reason: 'x' }))).toBe('CONFLICT NOT_PUBLISHED');
    expect(await reasonOf(releases.unyank(world.own.ctx, id))).toBe('CONFLICT NOT_PUBLISHED');
    expect(await reasonOf(releases.archive(world.own.ctx, id))).toBe('CONFLICT NOT_PUBLISHED');
    expect(await reasonOf(releases.promote(world.own.ctx, id, { channel: 'beta' }))).toBe(
      'CONFLICT NOT_PUBLISHED',
    );
    expect(await faultsOf(releases.yank(world.own.ctx, id, { reason: '' }))).toEqual(['reason']);
  });

  test('its file goes with it when nobody else is served with the same bytes', async () => {
    const bytes = bundleOf('shared');
    const one = await published(world.own.ctx, world.product, '3.2.0', { bytes });
    const two = await published(world.own.ctx, world.product, '3.2.1', { bytes });
    const withdraw = (id: string) =>
      releases.yank(world.own.ctx, id, { reason: 'leak', unpublishFile: true });
    expect(await reasonOf(withdraw(one.id))).toBe('CONFLICT FILE_SHARED');
    expect(await releases.get(world.own.ctx, one.id)).toMatchObject({ state: 'PUBLISHED' });
    await releases.yank(world.own.ctx, one.id, { reason: 'leak' });
    await withdraw(two.id);
    expect(() => readFileSync(world.stored(bytes))).toThrow('ENOENT');
    expect(await reasonOf(releases.unyank(world.own.ctx, two.id))).toBe('CONFLICT FILE_MISSING');
    await world.attach(two.id, bytes);
    expect(await releases.unyank(world.own.ctx, two.id)).toMatchObject({ state: 'PUBLISHED' });
  });

  test.each([
    ['whole', <T>(ctx: Ctx, work: (ctx: Ctx) => Promise<T>) => rehearse(ctx, work)],
    ['by itself', <T>(ctx: Ctx, work: (ctx: Ctx) => Promise<T>) => work(rehearsing(ctx))],
  ])(
    'a withdrawal that is rehearsed %s leaves the bytes, also those of a withdrawn one',
    async (how, run) => {
      const bytes = bundleOf(how);
      const version = `3.8.${how.length}`;
      const { id } = await published(world.own.ctx, world.product, version, { bytes, statement: null });
      const withdraw = (ctx: Ctx) => releases.yank(ctx, id, { reason: 'leak', unpublishFile: true });
      for (const state of ['PUBLISHED', 'YANKED'] as const) {
        const { result, changes } = await changesBy(world.own.database, () => run(world.own.ctx, withdraw));
        expect(result.state).toBe('YANKED');
        expect(changes).toEqual({ events: [], rows: {} });
        expect(readFileSync(world.stored(bytes))).toEqual(bytes);
        if (state === 'PUBLISHED') await releases.yank(world.own.ctx, id, { reason: 'leak' });
      }
    },
  );

  test('is promoted with a statement for the new channel, signed by the key that signed it', async () => {
    const other = await signedProduct(world.own.ctx, 'promoted');
    const beta = await published(world.own.ctx, other, '1.0.0', { channel: 'beta' });
    await published(world.own.ctx, other, '0.9.0', { statement: { sequence: 50 } });
    const bytes = bundleOf('promoted 1.0.0');
    const said = { product: 'promoted', version: '1.0.0', channel: 'stable' as const };
    const promote = (sent: object) =>
      releases.promote(world.own.ctx, beta.id, { channel: 'stable', ...sent });
    const statement = (change: object, how: object = {}) => {
      const { statement, statementSignature } = signed(bytes, { ...said, sequence: 60, ...change }, how);
      return { statement, statementSignature };
    };
    expect(await reasonOf(promote({}))).toBe('VERIFICATION_FAILED STATEMENT_REQUIRED');
    expect(await reasonOf(promote(statement({ channel: 'beta' })))).toBe(
      'VERIFICATION_FAILED STATEMENT_MISMATCH',
    );
    expect(await reasonOf(promote(statement({ sequence: 50 })))).toBe('CONFLICT SEQUENCE_NOT_RISING');
    expect(await reasonOf(promote(statement({}, { key: keyOf(2) })))).toBe(
      'VERIFICATION_FAILED STATEMENT_INVALID',
    );
    await register(world.own.ctx, other, { publicKey: keyOf(2).publicKey, seed: null, label: null });
    await activate(world.own.ctx, keyOf(2).keyId, other.id);
    expect(await promote(statement({}))).toMatchObject({
      channel: 'stable',
      sequence: 60,
      keyId: keyOf().keyId,
    });
    const plain = await published(world.own.ctx, world.product, '3.3.0', { channel: 'rc', statement: null });
    expect(await releases.promote(world.own.ctx, plain.id, { channel: 'stable' })).toMatchObject({
      channel: 'stable',
    });
    const rc = await published(world.own.ctx, world.product, '3.4.0-rc.1', {
      channel: 'rc',
      statement: null,
    });
    expect(await reasonOf(releases.promote(world.own.ctx, rc.id, { channel: 'stable' }))).toBe(
      'VALIDATION_ERROR CHANNEL_MISMATCH',
    );
  });

  test('leaves its sequence behind on the channel that it was promoted from', async () => {
    const other = await signedProduct(world.own.ctx, 'left');
    const beta = await published(world.own.ctx, other, '1.0.0', {
      channel: 'beta',
      statement: { sequence: 70 },
    });
    const promote = (channel: 'beta' | 'stable', sequence: number) => {
      const said = { product: 'left', version: '1.0.0', channel, sequence };
      const { statement, statementSignature } = signed(bundleOf('left 1.0.0'), said);
      return releases.promote(world.own.ctx, beta.id, { channel, statement, statementSignature });
    };
    expect(await reasonOf(promote('beta', 69))).toBe('CONFLICT SEQUENCE_NOT_RISING');
    await promote('stable', 10);
    const next = (version: string, sequence: number) =>
      published(world.own.ctx, other, version, { channel: 'beta', statement: { sequence } });
    expect(await reasonOf(next('1.1.0', 70))).toBe('CONFLICT SEQUENCE_NOT_RISING');
    expect(await reasonOf(promote('beta', 70))).toBe('CONFLICT SEQUENCE_NOT_RISING');
    expect(await next('1.1.1', 71)).toMatchObject({ state: 'PUBLISHED' });
    expect(await promote('beta', 72)).toMatchObject({ sequence: 72 });
    expect(await reasonOf(promote('stable', 10))).toBe('CONFLICT SEQUENCE_NOT_RISING');
  });

  test('its statement is renewed by the same content with a later end', async () => {
    const { id } = await published(world.own.ctx, world.product, '3.5.0');
    const bytes = bundleOf('editor 3.5.0');
    const said = { product: 'editor', version: '3.5.0', sequence: 3_005_000, statementDays: 800 };
    const renew = (change: object) =>
      releases.attachSignature(
        world.own.ctx,
        id,
        signed(bytes, { ...said, ...change }, { now: world.own.ctx.now() }),
      );
    const renewed = await renew({});
    expect(renewed.statementExpiresAt?.slice(0, 4)).toBe('2028');
    expect(await renew({})).toEqual(renewed);
    expect(await reasonOf(renew({ sequence: 4_000_000 }))).toBe('VERIFICATION_FAILED STATEMENT_MISMATCH');
    expect(await reasonOf(renew({ statementDays: 799 }))).toBe('VERIFICATION_FAILED STATEMENT_EXPIRES_SOON');
    expect(await reasonOf(renew({ isCritical: true }))).toBe('VERIFICATION_FAILED STATEMENT_MISMATCH');
    const bare = releases.attachSignature(world.own.ctx, id, signed(bytes));
    expect(await reasonOf(bare)).toBe('CONFLICT NOT_DRAFT');
    const plain = await published(world.own.ctx, world.product, '3.5.1', { statement: null });
    const sent = signed(bundleOf('editor 3.5.1'), { product: 'editor', version: '3.5.1' });
    expect(await reasonOf(releases.attachSignature(world.own.ctx, plain.id, sent))).toBe(
      'CONFLICT NO_STATEMENT',
    );
  });

  test('reaches as far as its rollout; pausing is told with what was reached', async () => {
    const { id } = await published(world.own.ctx, world.product, '3.6.0');
    const schedule = [
      { at: '2026-03-01T00:00:00Z', percent: 25 },
      { at: '2026-03-02T00:00:00Z', percent: 100 },
    ];
    await releases.rollout(world.own.ctx, id, { percent: 10, schedule });
    const paused = await releases.rollout(world.own.ctx, id, { paused: true });
    expect(paused.rollout).toMatchObject({ bps: 2500, paused: true });
    const [last] = (await world.own.eventsOf(id)).slice(-1);
    expect(last).toMatchObject({ type: 'RELEASE_ROLLOUT_CHANGED', data: { percent: 25, paused: true } });
    expect(
      await faultsOf(releases.rollout(world.own.ctx, id, { schedule: [...schedule].reverse() })),
    ).toEqual(['schedule']);
    expect(
      await faultsOf(releases.rollout(world.own.ctx, id, { schedule: Array(21).fill(schedule[0]) })),
    ).toContain('schedule');
  });
});
