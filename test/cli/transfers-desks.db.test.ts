// Exports, imports and files of settings at both desks (cli.md section 1.7).
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { MadeKey } from '../support/app.ts';
import { type BothDesks, openBothDesks } from '../support/both-desks.ts';
import { runInside } from '../support/cli-inside.ts';
import { errorOf } from '../support/cli-process.ts';

let desks: BothDesks;
let key: string;
let slug: string;
beforeAll(async () => {
  desks = await openBothDesks({ pins: { 'licensing.trash_days': '31' } });
  const product = await desks.app.product();
  slug = product.slug;
  ({ key } = await desks.app.license({ productId: product.id, customerName: '=Ann' }));
  write('pass', 'geheim\n');
});
afterAll(() => desks.close());

const at = (name: string): string => join(desks.cwd, name);
const write = (name: string, text: string): void => writeFileSync(at(name), text, { mode: 0o600 });
const waiting = (name: string): string[] => {
  try {
    return readdirSync(join(desks.app.ctx.dataDir, name));
  } catch {
    return [];
  }
};

describe('exports at both desks', () => {
  test('to stdout and to files, with and without keys', () =>
    desks.same(async (desk) => {
      await desk.run('export all');
      await desk.run('export all --json');
      await desk.run('export licenses --format csv');
      await desk.run('export customers --csv');
      await desk.run('export products --format jsonl --json');
      await desk.run('export policies --since 2020-01-01');
      expect(await desk.failure('export licenses --include-keys')).toMatchObject({ exit: 10 });
      await desk.run('export licenses --include-keys --yes --out keys.jsonl --force --json');
      expect(readFileSync(at('keys.jsonl'), 'utf8')).toContain(key);
      expect(statSync(at('keys.jsonl')).mode & 0o777).toBe(0o600);
      await desk.run('export all --include-keys --yes --out plain.jsonl --force');
      await desk.run('export all --include-keys --yes --passphrase-file pass --out sealed --force');
      expect(readFileSync(at('sealed'), 'utf8')).not.toContain(key);
      expect(await desk.failure('export all --out sealed')).toMatchObject({ exit: 5 });
      await desk.failure('export licenses --format csv');
      await desk.failure('export all --since yesterday-ish');
      expect(waiting('exports')).toEqual([]);
    }));

  test('of every tenant is refused to the token of one, which may export its own', async () => {
    const { secret } = await desks.app.adminToken('owner');
    write('tenant-token', secret);
    const there = { cwd: desks.cwd, env: { APPCTL_DATA_DIR: at('none') } };
    const server = ['--server', desks.app.url, '--api-key-file', 'tenant-token'];
    const refused = await runInside(['export', 'all', '--json', ...server], there);
    expect([refused.code, errorOf(refused).details]).toEqual([
      4,
      expect.objectContaining({ reason: 'TENANT_TOKEN' }),
    ]);
    const own = await runInside(['export', 'all', '--json', '--tenant', 'default', ...server], there);
    expect([own.code, own.stdout.split('\n')[0]]).toEqual([0, expect.stringContaining('"kind":"export"')]);
  });
});

describe('imports at both desks', () => {
  test('a native file, sealed or not, of all tenants or of one', () =>
    desks.same(async (desk) => {
      const native = 'import licenses --source native --file';
      const sealed = `${native} sealed --passphrase-file pass`;
      expect(await desk.answer(`${sealed} --dry-run`)).toMatchObject({ created: 0, dryRun: true });
      await desk.run(`${native} plain.jsonl`);
      await desk.run(`${native} plain.jsonl --tenant default --json`);
      await desk.run(`${native} keys.jsonl --skip-licenses --json`);
      expect(await desk.failure(`${native} keys.jsonl --product ${slug}`)).toMatchObject({ exit: 2 });
      write('cut', readFileSync(at('keys.jsonl'), 'utf8').slice(0, -30));
      expect(await desk.failure(`${native} cut`)).toMatchObject({ exit: 6 });
      await desk.run(`${native} cut`);
      write('empty', '');
      expect(await desk.failure(`${native} empty`)).toMatchObject({ exit: 6 });
      expect(waiting('imports')).toEqual([]);
    }));

  test('of all tenants are reports for who sees all of them, wherever they began', async () => {
    const ofTenant = await desks.app.adminToken('owner');
    const everywhere = await desks.app.adminToken('owner', { isInstanceWide: true });
    await desks.atEach(async (desk) => {
      const native = 'import licenses --source native --file plain.jsonl';
      await desk.run(native);
      await desk.run(`${native} --tenant default`);
      const newest = async (key: MadeKey) => {
        const list = await desks.app.admin('/tasks?kind=import&sort=-started&limit=2', key);
        return (list.body.items as unknown as { id: string; params: object }[]).slice(0, 2);
      };
      const [ofOne, ofAll] = await newest(everywhere);
      expect([ofAll?.params, ofOne?.params]).toMatchObject([{ allTenants: true }, { allTenants: false }]);
      const read = async (id: string | undefined, key: MadeKey) =>
        (await desks.app.admin(`/imports/${id}`, key)).body;
      expect(await read(ofAll?.id, everywhere)).toMatchObject({
        import: { state: 'DONE', entity: 'licenses', source: 'native', report: { failed: 0 } },
      });
      expect((await read(ofAll?.id, ofTenant)).error?.code).toBe('NOT_FOUND');
      expect((await newest(ofTenant))[0]?.id).toBe(ofOne?.id);
      expect((await newest(ofTenant)).map(({ id }) => id)).not.toContain(ofAll?.id);
    });
  });

  test('a table: rows that fail end with 7, and are named; customers by a map', () =>
    desks.same(async (desk) => {
      const rows = [`BOTH-${desk.tag}-1,${desk.tag}@x.test`, `!,x@x.test`, `BOTH-${desk.tag}-2,none`];
      write('table.csv', `key,E-Mail\n${rows.join('\n')}\n`);
      const line = ['import', 'licenses', '--source', 'csv', '--file', 'table.csv', '--product', slug];
      const mapped = [...line, '--map', 'E-Mail=customerEmail'];
      expect((await desk.run([...mapped, '--dry-run'])).code).toBe(7);
      expect((await desk.run([...mapped, '--dry-run', '--json'])).code).toBe(7);
      expect((await desk.run([...mapped, '--json'])).code).toBe(7);
      await desk.run(mapped);
      expect(await desk.failure([...line.slice(0, -1), 'nobody'])).toMatchObject({ exit: 3 });
      expect(await desk.failure([...line, '--map', 'a=nothing'])).toMatchObject({ exit: 2 });
      expect(await desk.failure([...line, '--policy', 'nobody'])).toMatchObject({ exit: 3 });
      write('broken.csv', 'key,email\n"unfinished,a@x.test\n');
      expect(await desk.failure('import licenses --source csv --file broken.csv')).toMatchObject({ exit: 2 });
      write('people.csv', `Mail,name\n${desk.tag}-zoe@x.test,Zoe\n`);
      const people = ['import', 'customers', '--file', 'people.csv', '--map', 'Mail=customerEmail'];
      await desk.run([...people, '--dry-run']);
      await desk.run(people);
      await desk.run([...people, '--json']);
    }));
});

describe('settings in a file at both desks', () => {
  const first = 'licensing.default_lease_seconds';
  const document = (settings: object, more: object = {}): string =>
    JSON.stringify({ kind: 'settings', v: 1, createdAt: '2027-01-01', settings, secrets: [], ...more });

  test('are written, compared, and taken over after a yes', () =>
    desks.same(async (desk) => {
      await desk.run(`settings set ${first} 1200`);
      const file = await desk.answer<{ settings: object }>('settings export');
      expect(file.settings).toEqual({ [first]: 1200 });
      await desk.run('settings export --out settings.json --force --json');
      await desk.run(`settings unset ${first}`);
      await desk.run('settings import settings.json --dry-run');
      expect(await desk.failure('settings import settings.json')).toMatchObject({ exit: 10 });
      expect((await desk.run('settings import settings.json')).stderr).toContain(`${first}: 3600 -> 1200`);
      await desk.run('settings import settings.json --yes --json');
      await desk.run('settings import settings.json --yes');
      expect(await desk.answer(`settings get ${first}`)).toMatchObject({ value: 1200 });
      await desk.run(`settings unset ${first}`);
    }));

  test('what is pinned or unknown is told and left out; a value that does not fit changes nothing', () =>
    desks.same(async (desk) => {
      write('other.json', document({ [first]: 1300, 'licensing.trash_days': 7, 'nothing.here': 1 }));
      const done = await desk.run('settings import other.json --yes --json');
      expect([done.code, JSON.parse(done.stdout)]).toEqual([
        7,
        expect.objectContaining({
          pinned: [{ key: 'licensing.trash_days', pinnedBy: 'APPCTL_SETTING_LICENSING__TRASH_DAYS' }],
          unknown: ['nothing.here'],
        }),
      ]);
      await desk.run('settings import other.json --yes');
      write('wrong.json', document({ [first]: 1400, 'licensing.limits.enabled': 'maybe' }));
      expect(await desk.failure('settings import wrong.json --yes')).toMatchObject({ exit: 2 });
      expect(await desk.answer(`settings get ${first}`)).toMatchObject({ value: 1300 });
      write('back.json', document({ [first]: null }));
      await desk.run('settings import back.json --yes');
      write('text.json', 'no JSON');
      expect(await desk.failure('settings import text.json')).toMatchObject({ exit: 2 });
      write('foreign.json', '{"settings":{}}');
      expect(await desk.failure('settings import foreign.json')).toMatchObject({ exit: 2 });
    }));
});
