// A bulk run that is run again, as it was or repaired: no customer gets a second license.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { errorOf } from '../support/cli-process.ts';
import { type FreshDatabase, migratedDatabaseUrl } from '../support/database.ts';
import { type Installation, prepareInstallation } from './prepared-installation.ts';

let it: Installation;
let database: FreshDatabase;
let product = '';
beforeAll(async () => {
  database = await migratedDatabaseUrl();
  it = await prepareInstallation(database.url);
  product = (await it.answer<{ id: string }>(['product', 'create', '--name', 'Editor', '--slug', 'editor']))
    .id;
});
afterAll(async () => {
  it.remove();
  await database.drop();
});

interface Row {
  success: boolean;
  line: number;
  email: string | null;
  id?: string;
  idempotent?: true;
  idempotentMismatch?: true;
  error?: { code: string; message: string; details: { hint?: string } };
}
interface Batch {
  results: Row[];
  summary: { total: number; succeeded: number; failed: number };
  next: string[];
}

const bulk = ['license', 'mint-bulk'];
const file = (name: string, ...lines: string[]): string => {
  writeFileSync(join(it.cwd, name), `${lines.join('\n')}\n`);
  return name;
};
const answer = (args: readonly string[], code = 0, input?: string): Promise<Batch> =>
  it.answer<Batch>([...bulk, ...args], { code, ...(input !== undefined && { input }) });
/** Licenses that the customers of a domain hold. */
async function held(domain: string): Promise<number> {
  const list = ['license', 'list', '--limit', '1', '--q', `@${domain}`];
  return (await it.answer<{ pagination: { total: number } }>(list)).pagination.total;
}
const ids = ({ results }: Batch): (string | undefined)[] => results.map(({ id }) => id);

describe('a repaired file', () => {
  test('mints with --resume only what is missing, and names every row', async () => {
    const header = 'product,email,maxActivations';
    const broken = file('r.csv', header, 'editor,ann@r.test,1', 'editor,bob@r.test,many', 'editor,eve@r,1');
    const first = await answer([broken], 7);
    expect(first.results.map(({ line, email, success }) => [line, email, success])).toEqual([
      [2, 'ann@r.test', true],
      [3, 'bob@r.test', false],
      [4, 'eve@r', false],
    ]);
    expect(first.next).toEqual(['appctl license mint-bulk r.csv --resume']);

    // A line was put in front, so that no row stands where it stood.
    const rows = ['editor,zoe@r.test,1', 'editor,ann@r.test,1', 'editor,bob@r.test,2', 'editor,eve@r.test,1'];
    const repaired = file('r.csv', header, ...rows);
    const second = await answer([repaired, '--resume']);
    expect(second.results.map(({ email, idempotent }) => [email, idempotent])).toEqual([
      ['zoe@r.test', undefined],
      ['ann@r.test', true],
      ['bob@r.test', undefined],
      ['eve@r.test', undefined],
    ]);
    expect(second.results[1]?.id).toBe(first.results[0]?.id);
    expect(await held('r.test')).toBe(4);
    expect(ids(await answer([repaired, '--resume']))).toEqual(ids(second));
    expect(await held('r.test')).toBe(4);
  });

  test('without --resume is refused as a whole, before anything is minted', async () => {
    const name = file('w.csv', 'product,email', 'editor,ann@w.test', 'nope,bob@w.test');
    const first = await answer([name], 7);
    file('w.csv', 'product,email', 'editor,new@w.test', 'editor,ann@w.test', 'editor,bob@w.test');
    const refused = await it.inside([...bulk, name, '--json']);
    expect({ code: refused.code, stdout: refused.stdout }).toEqual({ code: 5, stdout: '' });
    expect(errorOf(refused)).toMatchObject({
      code: 'CONFLICT',
      message: `1 of 3 rows was already minted: line 3 (ann@w.test) is license ${first.results[0]?.id}`,
      hint: 'mint only the missing rows: appctl license mint-bulk w.csv --resume; or every row again: --idempotency-key NAME',
    });
    expect(await held('w.test')).toBe(1);
  });

  test('with --out over the file of the first run names the whole command, and each wrong row its cure', async () => {
    const name = file(
      'o.csv',
      'product,email,type,validUntil',
      'editor,ann@o.test,,',
      'editor,bob@o.test,TRIAL,',
      'editor,cat@o.test,,31.01.2028',
    );
    const { results } = await answer([name, '--out', 'o.txt'], 7);
    expect(results.map(({ error }) => error?.details.hint)).toEqual([
      undefined,
      'give the row days, validUntil or perpetual',
      'write validUntil 2027-01-31 or validUntil 2027-01-31T12:00:00Z',
    ]);
    const again = await it.inside([...bulk, name, '--out', 'o.txt', '--json']);
    expect([again.code, errorOf(again).hint]).toEqual([
      5,
      'choose another file, or replace it: appctl license mint-bulk o.csv --resume --out o.txt --force',
    ]);
    const missing = await it.inside([...bulk, 'gone.csv', '--json']);
    expect([missing.code, errorOf(missing).hint]).toEqual([2, 'check the path; - reads stdin']);
  });

  test('may hold only the rows that failed', async () => {
    await answer([file('p.csv', 'product,email', 'editor,ann@p.test', 'nope,bob@p.test')], 7);
    expect(
      ids(await answer([file('rest.csv', 'product,email', 'editor,bob@p.test'), '--resume'])),
    ).toHaveLength(1);
    expect(await held('p.test')).toBe(2);
  });

  test('the report says on a terminal what became of each row, and what to run next', async () => {
    const name = file('my rows.csv', 'product,email', 'editor,ann@t.test', 'nope,bob@t.test');
    const run = await it.inside([...bulk, name]);
    expect(run.code).toBe(7);
    expect(run.stdout).toMatch(/^ *2 +ann@t\.test +lic_\w{26} +APP-\w{4}-\*{4}-\*{4}-\*{4} +minted$/m);
    expect(run.stdout).toMatch(
      /^ *3 +bob@t\.test +failed: product nope was not found \(appctl product list\)$/m,
    );
    expect(run.stderr).toContain(
      '1 of 2 succeeded\nRepair line 3 of my rows.csv. Only rows without a license',
    );
    expect(run.stderr).toContain("Next: appctl license mint-bulk 'my rows.csv' --resume\n");
    file('my rows.csv', 'product,email', 'editor,ann@t.test', 'editor,bob@t.test');
    const again = await it.inside([...bulk, name, '--resume', '--out', 'keys of t.txt']);
    expect(again.stdout).toMatch(/^ *2 +ann@t\.test +lic_\w{26} +APP-\S+ +already there$/m);
    expect(readFileSync(join(it.cwd, 'keys of t.txt'), 'utf8')).toMatch(/^(APP(-\w{4}){4}\n){2}$/);
    const csv = await it.inside([...bulk, name, '--resume', '--csv']);
    expect(csv.stdout.split('\r\n')[0]).toBe('line,email,id,keyMasked,result');
  });
});

describe('what makes a row the same', () => {
  test('product, e-mail and order, however they are written', async () => {
    const first = await answer([file('s.csv', 'product,email,orderId', 'editor,ann@s.test,A-1')]);
    const other = file(
      's2.csv',
      'orderId,email,product',
      `A-1,ANN@s.test,${product}`,
      'A-2,ann@s.test,editor',
    );
    const second = await answer([other, '--resume']);
    expect(second.results.map(({ idempotent }) => idempotent)).toEqual([true, undefined]);
    expect(second.results[0]?.id).toBe(first.results[0]?.id);
    expect(await held('s.test')).toBe(2);
  });

  test('a row that says it twice gets one license; the other row is told how to get its own', async () => {
    const name = file(
      'd.csv',
      'product,email,idempotencyKey',
      'editor,ann@d.test,',
      'editor,ann@d.test,',
      'editor,ann@d.test,d-3',
    );
    const { results } = await answer([name], 7);
    expect(results.map(({ success }) => success)).toEqual([true, false, true]);
    expect(results[1]?.error?.message).toBe(
      'line 2 has the same product, email and order; a second license needs its own orderId or idempotencyKey',
    );
    expect(await held('d.test')).toBe(2);
  });

  test('idempotencyKey, whatever else changed; the values of the first run stay', async () => {
    const first = await answer([file('k.csv', 'product,email,idempotencyKey', 'editor,ann@k.test,sale-1')]);
    const other = file('k2.jsonl', '{"product":"editor","email":"annette@k.test","idempotencyKey":"sale-1"}');
    const second = await answer([other]);
    expect(second.results[0]).toMatchObject({
      id: first.results[0]?.id,
      idempotent: true,
      idempotentMismatch: true,
    });
    const minted = await it.answer<{ id: string }>([
      ...['license', 'mint', '--product', 'editor', '--email', 'ann@k.test', '--idempotency-key', 'sale-1'],
    ]);
    expect(minted.id).toBe(first.results[0]?.id);
    const long = file('k3.csv', 'product,email,idempotencyKey', `editor,ann@k.test,${'x'.repeat(256)}`);
    const refused = await answer([long], 7);
    expect(refused.results[0]?.error?.message).toBe('idempotencyKey must have 1 to 255 characters');
    expect(await held('k.test')).toBe(1);
  });

  test('a run with a name of its own is a sale of its own', async () => {
    const name = file('n.csv', 'product,email', 'editor,ann@n.test');
    await answer([name]);
    const may = await answer([name, '--idempotency-key', 'may']);
    expect(ids(await answer([name, '--idempotency-key', 'may']))).toEqual(ids(may));
    expect(await held('n.test')).toBe(2);
  });
});

test('a pipe is known row by row: again it mints nothing, and --resume takes what is there', async () => {
  const input = '{"product":"editor","email":"ann@i.test"}\n';
  const first = await answer(['-'], 0, input);
  const again = await answer(['-'], 7, input);
  expect(again.results[0]?.error).toMatchObject({
    code: 'CONFLICT',
    message: `the row was already minted, as license ${first.results[0]?.id}; --resume skips it`,
  });
  const more = await answer(['-', '--resume'], 0, `${input}{"product":"editor","email":"bob@i.test"}\n`);
  expect(more.results.map(({ idempotent }) => idempotent)).toEqual([true, undefined]);
  expect(await held('i.test')).toBe(2);
});

test('two runs of one file at once: every customer has one license', async () => {
  const rows = Array.from({ length: 30 }, (_, n) => `editor,c${n}@c.test`);
  const name = file('c.csv', 'product,email', ...rows);
  const runs = await Promise.all([1, 2].map(() => it.appctl([...bulk, name, '--resume', '--json'])));
  expect(runs.map(({ code }) => code)).toEqual([0, 0]);
  expect(await held('c.test')).toBe(30);
});
