// The desk itself: what every command gets from it, on the local installation and on a server (decision 0051).
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { at, type Desk } from '../../src/cli/desk/desk.ts';
import { withDesk } from '../../src/cli/desk/open.ts';
import type { Cli } from '../../src/cli/frame/context.ts';
import { buildTree } from '../../src/cli/frame/tree.ts';
import { type BothDesks, openBothDesks } from '../support/both-desks.ts';
import { runInside } from '../support/cli-inside.ts';
import { errorOf } from '../support/cli-process.ts';

let desks: BothDesks;
let env: Record<string, string>;
beforeAll(async () => {
  desks = await openBothDesks();
  const { dataDir, database } = desks.app.instance.config;
  env = { APPCTL_DATA_DIR: dataDir, APPCTL_DATABASE_URL: database.url };
  const { secret } = await desks.app.apiKey('FULL_ADMIN');
  writeFileSync(join(desks.cwd, 'apikey'), secret);
});
afterAll(() => desks.close());

type Work = (desk: Desk, cli: Cli) => Promise<unknown>;
const places = { here: [], there: ['--server', '', '--api-key-file', 'token'] };

/** Runs work at a desk as a command does; `flags` are those of its line. */
async function work(place: keyof typeof places, run: Work, flags: readonly string[] = []) {
  const spec = {
    path: 'work',
    summary: 'works',
    runs: ['L', 'R'],
    examples: ['appctl work'],
    confirm: 'mild',
    load: async () => async (cli: Cli) => {
      await withDesk(cli, twins, async (desk) => cli.out.value({ got: await run(desk, cli) }));
    },
  } as const;
  const words = places[place].map((word) => word || desks.app.url);
  const line = ['work', '--json', ...words, ...flags];
  const done = await runInside(line, { cwd: desks.cwd, env }, buildTree([], [spec]));
  if (done.code === 0) return JSON.parse(done.stdout).got;
  return { exit: done.code, ...errorOf(done) };
}

const twins = async () => {
  const [formats, validation] = await Promise.all([
    import('#licensing/catalog/key-formats/resource.ts'),
    import('#licensing/licenses/validation/admin-endpoints.ts'),
  ]);
  return [...formats.keyFormatResource.endpoints('license-admin'), ...validation.validationAdminEndpoints];
};

interface Made {
  keyFormat: { id: string; name: string; updatedAt: string };
}
let made = 0;
const make: Work = async (desk) => {
  made += 1;
  return (await desk.post<Made>('key-formats', { name: `format ${made}`, prefix: 'AB', segments: 4 }))
    .keyFormat;
};

describe.each(['here', 'there'] as const)('a desk %s', (place) => {
  test('makes, changes and deletes; a state that has changed since is refused', async () => {
    const { id, updatedAt } = (await work(place, make)) as Made['keyFormat'];
    const rename = (ifMatch: string) =>
      work(place, (desk) => desk.patch(at`key-formats/${id}`, { name: `renamed ${made}` }, { ifMatch }));
    expect(await rename(updatedAt)).toMatchObject({ keyFormat: { name: `renamed ${made}` } });
    expect(await rename('2020-01-01T00:00:00.000Z')).toMatchObject({ exit: 5, code: 'PRECONDITION_FAILED' });
    expect(await work(place, (desk) => desk.delete(at`key-formats/${id}`))).toMatchObject({ id });
    expect(await work(place, (desk) => desk.get(at`key-formats/${id}`))).toMatchObject({ exit: 3 });
  });

  test('hands bytes out as they come', async () => {
    await work(place, make);
    const exported = await work(place, (desk) =>
      desk.download('key-formats/export', { format: 'csv' }, async ({ type, chunks }) => {
        let text = '';
        for await (const chunk of chunks) text += Buffer.from(chunk).toString();
        return { type, text };
      }),
    );
    expect(exported).toEqual({
      type: expect.stringContaining('text/csv'),
      text: expect.stringContaining(`format ${made}`),
    });
    const refused = await work(place, (desk) =>
      desk.download('key-formats/export', { format: 'nope' }, async () => null),
    );
    expect(refused).toMatchObject({ exit: 2, code: 'VALIDATION_ERROR' });
  });

  test('what fails while bytes are read is told as it is', async () => {
    const failed = await work(place, (desk) =>
      desk.download('key-formats/export', { format: 'csv' }, async () => {
        throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
      }),
    );
    expect(failed).toMatchObject({ message: 'no space left' });
  });

  test('rehearses with --dry-run, or when it is asked to; what has no dry run is refused', async () => {
    const plan = (await work(place, make, ['--dry-run'])) as Made['keyFormat'];
    expect(plan.id).toMatch(/^[a-z]{3}_/);
    expect(await work(place, (desk) => desk.get(at`key-formats/${plan.id}`))).toMatchObject({ exit: 3 });
    const preview: Work = (desk) =>
      desk.post('key-formats', { name: 'rehearsed', prefix: 'AB', segments: 4 }, { rehearse: true });
    const { keyFormat } = (await work(place, preview)) as Made;
    expect(await work(place, (desk) => desk.get(at`key-formats/${keyFormat.id}`))).toMatchObject({ exit: 3 });
    const asked = { licenseKey: 'APP-AAAA-BBBB-CCCC', machineId: 'machine-0001' };
    const without: Work = (desk) => desk.post('licenses/validate', asked);
    const refused = await work(place, without, ['--dry-run']);
    expect(refused).toMatchObject({ exit: 2, code: 'VALIDATION_ERROR' });
  });

  test.each(['', '.', '..', 'a/b', 'x'.repeat(40), 'a?b=c', '%2e%2e'])(
    'an id %j names nothing',
    async (id) => {
      const asked = await work(place, (desk) => desk.get(at`key-formats/${id}`));
      expect(asked).toMatchObject({ exit: 3, code: 'NOT_FOUND' });
    },
  );

  test('bad input is refused by the operation, with its issues', async () => {
    const refused = await work(place, (desk) => desk.post('key-formats', { nome: 'x' }));
    expect(refused).toMatchObject({ exit: 2, details: { issues: expect.any(Array) } });
    const query = await work(place, (desk) => desk.get('key-formats', { nome: 'x' }));
    expect(query).toMatchObject({ exit: 2, code: 'VALIDATION_ERROR' });
  });

  test('an operation that the command did not declare is a defect', async () => {
    expect(await work(place, (desk) => desk.get('webhooks'))).toMatchObject({ exit: 1 });
  });
});

describe('an API key', () => {
  const asKey = async (run: Work) => {
    const words = ['--server', desks.app.url, '--api-key-file', 'apikey'];
    places.there = words;
    try {
      return await work('there', run);
    } finally {
      places.there = ['--server', '', '--api-key-file', 'token'];
    }
  };

  test('opens the public operations, and no others', async () => {
    const { id } = await desks.app.license({ orderId: 'order-1' });
    const read = await asKey(
      (desk) => desk.byApiKey?.('GET', 'license/by-order/order-1') ?? Promise.resolve(null),
    );
    expect(read).toMatchObject({ licenses: [{ id }] });
    expect(await asKey((desk) => desk.get('key-formats'))).toMatchObject({
      exit: 2,
      message: expect.stringContaining('this is an API key'),
    });
  });

  test('is none of the local installation, nor of an admin token', async () => {
    const isNone: Work = async (desk) => desk.byApiKey === null;
    expect(await work('here', isNone)).toBe(true);
    expect(await work('there', isNone)).toBe(true);
  });
});
