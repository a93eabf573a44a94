// Commands about suspicious use at both desks (cli.md sections 1.7 and 3.5).
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import { type BothDesks, openBothDesks } from '../support/both-desks.ts';

let desks: BothDesks;
beforeAll(async () => {
  desks = await openBothDesks();
});
afterAll(() => desks.close());

interface Flag {
  id: string;
  status: string;
  [field: string]: unknown;
}

describe('flags', () => {
  test('raise, list, show, clear and confirm', () =>
    desks.same(async (desk) => {
      const { id: productId } = await desks.app.product({ name: 'Editor', slug: `editor-${desk.tag}` });
      const { id } = await desks.app.license({ productId });
      const raise = ['abuse', 'flag', id, '--reason', 'in a forum'];
      expect(await desk.answer([...raise, '--dry-run'])).toMatchObject({ status: 'OPEN', dryRun: true });
      expect(await desk.answer(`abuse list --license ${id}`)).toMatchObject({ items: [] });
      const flag = await desk.answer<Flag>(raise);
      expect(flag).toMatchObject({ rule: 'MANUAL', licenseId: id, note: 'in a forum' });
      expect(await desk.failure(raise)).toMatchObject({ exit: 5, code: 'CONFLICT' });
      expect(await desk.answer(`abuse show ${flag.id}`)).toEqual(flag);
      await desk.run(`abuse show ${flag.id}`);
      await desk.run(`abuse list --license ${id} --status OPEN --rule MANUAL`);
      await desk.run(`abuse list --license ${id} --plain`);
      await desk.run(['abuse', 'clear', flag.id, '--reason', 'ours', '--dry-run']);
      await desk.run(['abuse', 'clear', flag.id, '--reason', 'ours']);
      expect(await desk.failure(['abuse', 'clear', flag.id, '--reason', 'again'])).toMatchObject({ exit: 5 });
      const second = await desk.answer<Flag>(raise);
      const confirm = ['abuse', 'confirm', second.id, '--reason', 'shared', '--action', 'SUSPEND'];
      expect(await desk.answer(confirm)).toMatchObject({ status: 'CONFIRMED' });
      expect(await licenses.get(desks.app.ctx, id)).toMatchObject({ storedStatus: 'SUSPENDED' });
    }));

  test('refusals', () =>
    desks.same(async (desk) => {
      for (const words of [
        ['show', 'flg_nope'],
        ['show', '..'],
        ['clear', 'flg_nope', '--reason', 'x'],
        ['flag', 'lic_nope', '--reason', 'x'],
      ])
        expect(await desk.failure(['abuse', ...words])).toMatchObject({ exit: 3, code: 'NOT_FOUND' });
      expect(await desk.failure(['abuse', 'flag', 'lic_nope', '--reason', ''])).toMatchObject({ exit: 2 });
    }));
});

test('rules at both desks', () =>
  desks.same(async (desk) => {
    await desk.run('abuse rules set IP_SPREAD --param networks=25 --disable --dry-run');
    const changed = await desk.answer('abuse rules set IP_SPREAD --param networks=25 --disable');
    expect(changed).toMatchObject({ rule: 'IP_SPREAD', enabled: false, params: { networks: 25 } });
    await desk.run('abuse rules list');
    await desk.run('abuse rules set IP_SPREAD --param networks=10 --enable');
    expect(await desk.failure('abuse rules set CHURN --param nope=1')).toMatchObject({
      exit: 2,
      message: expect.stringMatching(/^--param has no nope; thresholds of CHURN: pairs/),
    });
    expect(await desk.failure('abuse rules set MANUAL --disable')).toMatchObject({ exit: 2 });
  }));
