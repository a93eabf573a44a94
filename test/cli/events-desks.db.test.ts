// The timeline at both desks (cli.md sections 1.7 and 3.5).
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type BothDesks, openBothDesks } from '../support/both-desks.ts';

let desks: BothDesks;
beforeAll(async () => {
  desks = await openBothDesks();
});
afterAll(() => desks.close());

test('events tail tells the same of a license', () =>
  desks.same(async (desk) => {
    const { id: productId } = await desks.app.product({ name: 'Told', slug: `told-${desk.tag}` });
    const { id } = await desks.app.license({ productId });
    const run = await desk.run(`events tail --license ${id} --json`);
    expect(
      run.stdout
        .trim()
        .split('\n')
        .map((text) => JSON.parse(text)),
    ).toMatchObject([{ type: 'LICENSE_CREATED', subject: id, licenseId: id }]);
    await desk.run(`events tail --license ${id}`);
    await desk.run(`events tail --license ${id} --since 1h --type LICENSE_CREATED`);
    await desk.run(`events tail --license ${id} --last 0`);
    await desk.run(`events tail --license lic_none --json`);
    await desk.run('events tail --csv');
    const misspelt = await desk.run('events tail --type LICENSE_REVOKD --json');
    expect([misspelt.code, misspelt.stderr]).toEqual([
      2,
      expect.stringContaining('did you mean LICENSE_REVOKED?'),
    ]);
    expect((await desk.run('events tail --type NOSUCH --follow')).code).toBe(2);
    // It has not happened yet.
    expect((await desk.run('events tail --type LICENSE_REVOKED')).code).toBe(0);
  }));
