// Licenses from a CSV file in the panel: columns guessed and named, tried without effect, made once, faults by line.
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { member, rowsOf, textOf } from '../platform/panel/staff.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { type Browser, tokenIn } from '../support/browser.ts';
import { nothing } from '../support/database-changes.ts';

const PATH = '/admin/licenses/new/csv';

let app: TestApp;
let browser: Browser;
let slug: string;
beforeAll(async () => {
  app = await startApp();
  ({ browser } = await member(app));
  ({ slug } = await app.product());
});
afterAll(() => app.close());

type Fields = readonly (readonly [name: string, value: string])[];
/** Sends the form of the page as a browser does: a file that is chosen, or the text of one that was read. */
async function send(fields: Fields, file?: string, as = browser) {
  const { text } = await as.open(PATH);
  const parts = [['_csrf', tokenIn(text)] as const, ...fields].map(
    ([name, value]) => `--xx\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  if (file !== undefined)
    parts.push(
      `--xx\r\nContent-Disposition: form-data; name="file"; filename="rows.csv"\r\nContent-Type: text/csv\r\n\r\n${file}\r\n`,
    );
  return app.send(PATH, {
    method: 'POST',
    headers: {
      Cookie: [...as.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      'Content-Type': 'multipart/form-data; boundary=xx',
    },
    body: `${parts.join('')}--xx--\r\n`,
  });
}

const CHECK = ['step', 'check'] as const;
const RUN = ['step', 'run'] as const;
const maps = (targets: readonly string[]): Fields => targets.map((target) => ['map', target]);
const mappingIn = (html: string): string[] =>
  [...html.matchAll(/<select id="map-\d+"[\s\S]*?<\/select>/g)].map(
    ([select]) => /<option value="([^"]*)" selected/.exec(select)?.[1] ?? '',
  );
/** The lines of a file that a page offers. */
const fileIn = (html: string, name: string): string[] => {
  const [, data = ''] =
    new RegExp(`download="${name}" href="data:text/csv;charset=utf-8,([^"]*)"`).exec(html) ?? [];
  return decodeURIComponent(data.replaceAll('&#39;', "'")).trim().split(/\r?\n/);
};

it('guesses what columns hold, tries the rows without effect, makes them once and offers keys and rejects', async () => {
  const text = `Product,E-Mail,Machines,metadata.team,Remark\n${slug},ann@x.test,3,blue,first\n${slug},nobody,1,red,second\n${slug},ann@x.test,2,red,third\nno-such,bob@x.test,1,red,=1+1`;
  expect((await browser.open('/admin/licenses')).text).toContain(`href="${PATH}"`);
  const tried = await app.changesBy(() => send([CHECK, ['once', 'frm_csv-1']], text));
  expect([tried.result.status, tried.changes.rows]).toEqual([200, nothing.rows]);
  expect(mappingIn(tried.result.text)).toEqual([
    'productId',
    'customerEmail',
    'maxActivations',
    'metadata',
    '',
  ]);
  expect(textOf(tried.result.text)).toContain('1 of 4 rows will create a license, 3 will be refused.');
  expect(textOf(tried.result.text)).toMatch(/Line 3, nobody: customerEmail /);
  expect(textOf(tried.result.text)).toContain('Line 4, ann@x.test: line 2 has the same product');

  const again: Fields = [RUN, ['once', 'frm_csv-1'], ['text', text], ...maps(mappingIn(tried.result.text))];
  const { result, changes } = await app.changesBy(() => send(again));
  expect([result.status, changes.rows.licenses]).toEqual([200, '+1']);
  expect(textOf(result.text)).toContain('1 of 4 licenses were created.');
  expect(rowsOf(result.text).map(([line, email, , made]) => [line, email, made === 'Created'])).toEqual([
    ['2', 'ann@x.test', true],
    ['3', 'nobody', false],
    ['4', 'ann@x.test', false],
    ['5', 'bob@x.test', false],
  ]);
  const keys = fileIn(result.text, 'licenses.csv');
  expect(keys).toHaveLength(2);
  const [, , key = '', id = ''] = keys[1]?.split(',') ?? [];
  expect(rowsOf(result.text)[0]?.[2]).toBe(key);
  const { max_activations, metadata } = await app.instance.database.db.knex('licenses').where({ id }).first();
  expect([max_activations, JSON.parse(metadata)]).toEqual([3, { team: 'blue' }]);
  const rejects = fileIn(result.text, 'rejected.csv');
  expect(rejects[0]).toBe('Product,E-Mail,Machines,metadata.team,Remark,error');
  expect(rejects).toHaveLength(4);
  // A spreadsheet does not run what a cell says.
  expect(rejects[3]).toContain("'=1+1");

  const repeated = await app.changesBy(() => send(again));
  expect([repeated.result.status, repeated.changes.rows.licenses]).toEqual([200, undefined]);
  expect(fileIn(repeated.result.text, 'licenses.csv')).toEqual(keys);
});

it('asks which column holds what it does not find, and takes the answer', async () => {
  const text = `what;who\n${slug};"<b>eve</b>@x.test"\n${slug};eve@x.test`;
  const first = await send([CHECK], text);
  expect([first.status, mappingIn(first.text)]).toEqual([400, ['', '']]);
  expect(textOf(first.text)).toContain(
    'The column productId is missing. Choose what each column contains below.',
  );
  const named = await send([CHECK, ['text', text], ...maps(['productId', 'customerEmail'])]);
  expect([named.status, named.text.includes('<b>eve')]).toEqual([200, false]);
  expect(textOf(named.text)).toContain('1 of 2 rows will create a license, 1 will be refused.');
  const twice = await send([CHECK, ['text', text], ...maps(['productId', 'productId'])]);
  expect(textOf(twice.text)).toContain('Two columns are called productId.');
});

it('a task makes more than 200 rows, and the form that is kept shows their keys', async () => {
  const lines = Array.from({ length: 205 }, (_, at) => `${slug},many${at}@x.test`);
  const text = `product,email\n${lines.join('\n')}\n${slug},wrong`;
  const run: Fields = [RUN, ['once', 'frm_csv-2'], ['text', text], ...maps(['productId', 'customerEmail'])];
  const begun = await send(run);
  const href = /href="(\/admin\/tasks\/[^"]*)"/.exec(begun.text)?.[1] ?? '';
  expect(begun.status).toBe(200);
  await vi.waitFor(
    async () => expect(textOf((await browser.open(href)).text)).toContain('The task is done.'),
    {
      timeout: 15_000,
      interval: 200,
    },
  );
  expect(textOf((await browser.open(href)).text)).toContain('Made 205');
  const { result, changes } = await app.changesBy(() => send([...run, ['isBegun', 'true']]));
  expect([result.status, changes.rows.licenses]).toEqual([200, undefined]);
  expect(fileIn(result.text, 'licenses.csv')).toHaveLength(206);
  expect(fileIn(result.text, 'rejected.csv')).toHaveLength(2);
});

it('a form that says that its task was begun makes 200 licenses at most, and leads to the next rows', async () => {
  const lines = Array.from({ length: 205 }, (_, at) => `${slug},forged${at % 204}@x.test`);
  const text = `product,email\n${lines.join('\n')}`;
  const run: Fields = [RUN, ['once', 'frm_csv-3'], ['text', text], ...maps(['productId', 'customerEmail'])];
  const first = await app.changesBy(() => send([...run, ['isBegun', 'true']]));
  expect([first.result.status, first.changes.rows.licenses]).toEqual([200, '+200']);
  expect(textOf(first.result.text)).toContain('These are rows 1 to 200 of 205.');
  expect(fileIn(first.result.text, 'licenses-1-200.csv')).toHaveLength(201);
  const [, from = ''] = /name="from" value="(\d+)"/.exec(first.result.text) ?? [];
  const next = await app.changesBy(() => send([...run, ['isBegun', 'true'], ['from', from]]));
  expect([from, next.changes.rows.licenses]).toEqual(['200', '+4']);
  // What the rows before it say is known still.
  expect(fileIn(next.result.text, 'rejected-201-205.csv')[1]).toContain('line 2 has the same product');
  expect(next.result.text).not.toContain('name="from"');
  // With licenses that are there, all rows are shown at once.
  const again = await send([...run, ['isBegun', 'true'], ['from', '<b>']]);
  expect(fileIn(again.text, 'licenses.csv')).toHaveLength(205);
});

it.each([
  ['', 'Choose a CSV file'],
  ['product,email', 'The file has no rows below its header.'],
  ['{"product":"a"}', 'The first line must have the column names'],
  ['product,product\na,b', 'the column product twice'],
  ['product,email\n"a', 'Line 2'],
])('refuses %j', async (text, says) => {
  const { status, text: page } = await send([CHECK], text);
  expect(status).toBe(400);
  expect(textOf(page)).toContain(says);
});

it('refuses more rows than it reads, and is for who may make licenses', async () => {
  const rows = Array.from({ length: 5001 }, (_, at) => `a,${at}`).join('\n');
  const many = await send([CHECK], `product,email\n${rows}`);
  expect([many.status, textOf(many.text).includes('At most 5000 rows')]).toEqual([400, true]);
  const { browser: reader } = await member(app, ['licensing:read']);
  expect((await reader.open(PATH)).status).toBe(403);
  expect((await reader.open('/admin/licenses')).text).not.toContain(PATH);
  const other = await app.otherTenant();
  const { browser: stranger } = await member(app, undefined, other.tenantId);
  const foreign = await send([CHECK], `product,email\n${slug},ann@x.test`, stranger);
  expect(textOf(foreign.text)).toContain('0 of 1 rows will create a license');
});

it('a column that is called like what every object has stands for nothing', async () => {
  for (const name of ['constructor', '__proto__', 'toString', 'hasOwnProperty']) {
    const text = `product,email,${name}\n${slug},proto@x.test,1`;
    const { result, changes } = await app.changesBy(() => send([CHECK, ['once', `frm_${name}`]], text));
    expect([result.status, changes.rows.licenses]).toEqual([200, undefined]);
    expect(mappingIn(result.text)).toEqual(['productId', 'customerEmail', '']);
  }
});
